//! A folder for one contained process, and short ways to start one in it.
#![expect(clippy::disallowed_methods, reason = "programs are found where the user finds them")]
#![expect(clippy::print_stdout, reason = "containments that cannot be tested here are named")]

use crate::folder::Folder;
use ralph_contain::{
    Containment, Ending, GuardProgram, Launcher, Probe, Process, Spec, Stderr, Switch, View, Watch,
};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) const GRACE: Duration = Duration::from_millis(200);
const STAND_IN: &str = env!("CARGO_BIN_EXE_contain-stand-in");

/// The containments that can be tested here. Bubblewrap is left out, loudly, where it does not work.
pub(crate) fn containments() -> Vec<Containment> {
    match Probe::run(Path::new("bwrap"), &path()) {
        Probe::Works(program) => vec![Containment::Bubblewrap(program), Containment::Guard],
        why @ (Probe::Absent | Probe::Fails(_)) => {
            println!("Bubblewrap does not work here, so only the guard is tested: {why:?}");
            vec![Containment::Guard]
        }
    }
}

/// Bubblewrap, where it works.
pub(crate) fn sandbox() -> Option<Containment> {
    containments().into_iter().find(|one| matches!(one, Containment::Bubblewrap(_)))
}

pub(crate) fn path() -> OsString {
    std::env::var_os("PATH").expect("a PATH")
}

pub(crate) fn launcher(containment: &Containment) -> Launcher {
    Launcher {
        guard: GuardProgram { program: STAND_IN.into(), arguments: vec!["guard".into()] },
        containment: containment.clone(),
        grace: GRACE,
        view: View { path: path(), ..View::default() },
    }
}

/// The folder `inside` is writable for the process, and the folder around it is hidden.
pub(crate) struct Room(Folder);

impl Room {
    pub(crate) fn new() -> Self {
        let room = Self(Folder::new());
        for name in ["inside/work", "inside/tmp"] {
            fs::create_dir_all(room.around().join(name)).expect("a folder");
        }
        room
    }

    pub(crate) fn around(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn inside(&self) -> PathBuf {
        self.around().join("inside")
    }

    /// A script for the shell, with both outputs in one.
    pub(crate) fn spec(&self, script: &str) -> Spec {
        let mut spec = Spec::new("sh", &self.inside().join("work")).arguments(["-c", script]);
        spec.environment.insert("PATH".into(), path());
        spec.environment.insert("TMPDIR".into(), self.inside().join("tmp").into());
        spec.stderr = Stderr::WithStdout;
        spec.access.writable.push(self.inside());
        spec.access.hidden.push(self.around().to_owned());
        spec
    }

    pub(crate) fn start(&self, containment: &Containment, script: &str) -> Process {
        launcher(containment).confined(&self.spec(script)).expect("it starts")
    }

    /// Runs a script to its end; its output comes with the ending.
    pub(crate) fn run(&self, containment: &Containment, script: &str) -> (Ending, String) {
        follow(self.start(containment, script), Duration::from_secs(60))
    }
}

pub(crate) fn follow(process: Process, time: Duration) -> (Ending, String) {
    let switch = Switch::new().expect("a switch");
    let mut watch = Watch { time, switch: &switch, monitor: None };
    let mut output = Vec::new();
    let ending = process.follow(&mut watch, &mut |_, bytes| output.extend_from_slice(bytes));
    (ending.expect("an end"), String::from_utf8(output).expect("text"))
}

/// Waits until no process has this mark in its environment or command line.
pub(crate) fn wait_until_gone(mark: &str) {
    let is_there = || {
        let processes = fs::read_dir("/proc").expect("/proc").flatten();
        let read = |path: PathBuf| {
            String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
        };
        processes.map(|process| process.path()).any(|process| {
            read(process.join("cmdline")).contains(mark)
                || read(process.join("environ")).contains(mark)
        })
    };
    assert!((0..20_000).any(|_again| !is_there()), "{mark} is still there");
}
