//! Bubblewrap: does it work here, and what is it told?

use super::Room;
use crate::command::{Capture, Ending, Invocation, Watch};
use crate::switch::Switch;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A sandbox that takes longer than this to say hello is of no use.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
const PROBE_OUTPUT_BYTES: usize = 4_000;

const PROBED: [&str; 6] = ["--tmpfs", "/tmp", "--remount-ro", "/tmp", "--", "true"];

/// Places in a home folder that hold keys and tokens, and none that a build needs.
const SECRETS: [&str; 11] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".netrc",
    ".git-credentials",
    ".config/gh",
    ".config/git/credentials",
    ".config/gcloud",
    ".docker/config.json",
];
/// Sockets and folders of sockets through which a process could act outside of its sandbox.
const DOORS: [&str; 4] =
    ["/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/user"];

/// The shared temporary folder, which is replaced by the run's own unless Ralph or the command lie in it.
const SHARED_TEMPORARY: &str = "/tmp";

/// Whether Bubblewrap works on this machine, found out by running it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    Works(PathBuf),
    /// It is not there, or the system does not let it; in words for `doctor`.
    Fails(String),
}

impl Probe {
    /// Runs `program` with everything that is asked of it later. `path` is where it is looked for.
    #[must_use]
    pub fn run(program: &Path, path: &OsStr) -> Self {
        let mut hello = Invocation::new(program, Path::new("/"));
        hello.environment.insert("PATH".into(), path.to_owned());
        let mut arguments = fixed_arguments();
        arguments.extend(PROBED.map(OsString::from));
        hello.arguments = arguments;
        let mut said = Capture::new(0, PROBE_OUTPUT_BYTES);
        let switch = match Switch::new() {
            Ok(switch) => switch,
            Err(error) => return Self::Fails(error.to_string()),
        };
        let watch = Watch {
            whole: PROBE_TIMEOUT,
            turn: None,
            switch: &switch,
            patience: Duration::from_secs(1),
        };
        match hello.run(&watch, &mut |_, bytes| said.take(bytes)) {
            Ok(Ending::Exited(0)) => Self::Works(program.to_owned()),
            Ok(ending) => Self::Fails(format!("{ending}: {}", said.text().trim())),
            Err(error) => Self::Fails(error.to_string()),
        }
    }

    #[must_use]
    pub fn program(self) -> Option<PathBuf> {
        match self {
            Self::Works(program) => Some(program),
            Self::Fails(_) => None,
        }
    }
}

/// What contained processes are not to see: keys and tokens below a home folder, and sockets of services
/// that act for whoever asks. Only what exists.
#[must_use]
pub fn secrets_below(home: &Path) -> Vec<PathBuf> {
    let secrets = SECRETS.iter().map(|name| home.join(name));
    secrets.chain(DOORS.iter().map(PathBuf::from)).filter(|path| path.exists()).collect()
}

/// The words between `bwrap` and its command, and the command itself.
pub(super) fn arguments(inner: &Invocation, room: &Room) -> Vec<OsString> {
    let mut words = fixed_arguments();
    let mut add = |option: &str, paths: &[&Path]| {
        words.push(option.into());
        words.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    };
    let named = named_paths(inner);
    for hidden in &room.hidden {
        if hidden.is_dir() {
            add("--tmpfs", &[hidden]);
        } else if hidden.exists() {
            add("--ro-bind", &[Path::new("/dev/null"), hidden]);
        }
    }
    let shared = Path::new(SHARED_TEMPORARY);
    let everything = room.writable.iter().chain(&room.readable).chain(&room.hidden);
    if let Some(own) = inner.environment.get(OsStr::new("TMPDIR"))
        && !everything.chain(&named).any(|path| path.starts_with(shared))
    {
        add("--bind", &[Path::new(own), shared]);
    }
    let is_hidden = |path: &&PathBuf| room.hidden.iter().any(|hidden| path.starts_with(hidden));
    for readable in room.readable.iter().chain(named.iter().filter(is_hidden)) {
        add("--ro-bind", &[readable, readable]);
    }
    for writable in &room.writable {
        add("--bind", &[writable, writable]);
    }
    for hidden in room.hidden.iter().filter(|hidden| hidden.is_dir()) {
        add("--remount-ro", &[hidden]);
    }
    add("--chdir", &[&inner.directory]);
    words.extend(["--".into(), inner.program.clone()]);
    words.extend(inner.arguments.iter().cloned());
    words
}

/// Own processes, own `/dev`, no privileges, nothing writable, and an end with the guard. The network stays:
/// an agent without its model is of no use.
fn fixed_arguments() -> Vec<OsString> {
    [
        "--die-with-parent",
        "--unshare-pid",
        "--new-session",
        "--cap-drop",
        "ALL",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
    ]
    .map(OsString::from)
    .to_vec()
}

/// Files that the command line names, so that hiding a folder does not hide the program in it.
fn named_paths(inner: &Invocation) -> Vec<PathBuf> {
    let words = std::iter::once(&inner.program).chain(&inner.arguments).map(PathBuf::from);
    words.filter(|word| word.is_absolute() && word.exists()).collect()
}
