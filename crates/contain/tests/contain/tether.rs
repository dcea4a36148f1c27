//! A named pipe that a script holds open as file 9: it reads to its end exactly when the last process of the script is
//! gone.

use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Long enough for the busiest machine; no test waits for it unless something is wrong.
pub(crate) const WAIT: Duration = Duration::from_secs(120);

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
            at_open.send(()).expect("the test waits");
            pipe.read_to_end(&mut Vec::new()).expect("the pipe ends");
            at_end.send(()).expect("the test waits");
        });
        Self { path, opened, ended }
    }

    /// The line of a script that takes hold of the tether.
    pub(crate) fn hold(&self) -> String {
        format!("exec 9> '{}'\n", self.path.display())
    }

    pub(crate) fn wait_until_held(&self) {
        self.opened.recv_timeout(WAIT).expect("the script takes hold");
    }

    pub(crate) fn wait_until_released(&self) {
        self.ended.recv_timeout(WAIT).expect("all processes of the script end");
    }
}
