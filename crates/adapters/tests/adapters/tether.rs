//! A pipe that a script holds open as file 9: it reads to its end exactly when the last process of the script
//! is gone. And a look at all processes, for a mark in their environment or on their command line.

use crate::stage::WAIT;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

pub(crate) struct Tether {
    path: PathBuf,
    opened: Receiver<()>,
    ended: Receiver<()>,
}

impl Tether {
    pub(crate) fn tie(folder: &Path) -> Self {
        let path = folder.join("tether");
        mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).expect("a named pipe");
        let (at_open, opened) = channel();
        let (at_end, ended) = channel();
        let own = path.clone();
        std::thread::spawn(move || {
            let mut pipe = File::open(own).expect("the pipe opens");
            at_open.send(()).expect("somebody waits");
            pipe.read_to_end(&mut Vec::new()).expect("the pipe ends");
            at_end.send(()).expect("somebody waits");
        });
        Self { path, opened, ended }
    }

    /// The line of a script that takes hold of the tether.
    pub(crate) fn hold(&self) -> String {
        format!("exec 9> '{}'\n", self.path.display())
    }

    /// Waits until the script holds it.
    pub(crate) fn is_held(&self) {
        self.opened.recv_timeout(WAIT).expect("the script takes hold");
    }

    /// Waits until the last process of the script is gone.
    pub(crate) fn is_let_go(&self) {
        self.ended.recv_timeout(WAIT).expect("all processes of the script end");
    }
}

/// Processes with this mark in their environment or command line.
pub(crate) fn alive(mark: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    let read = |path: PathBuf| {
        String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
    };
    let commands = processes.map(|process| {
        let command = read(process.path().join("cmdline")).replace('\0', " ");
        (read(process.path().join("environ")).contains(mark) || command.contains(mark), command)
    });
    commands.filter(|(is_marked, _)| *is_marked).map(|(_, command)| command).collect()
}
