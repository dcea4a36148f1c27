//! Bubblewrap: does it work here, and what is it told?
//!
//! A contained process begins with nothing. It is shown what [`View`] names, read-only, and the folders of its
//! run; then everything secret is covered, so that no later mount can uncover it.

use super::Room;
use super::view::{SYSTEM, View};
use crate::command::{Capture, Ending, Invocation, Watch};
use crate::switch::Switch;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A sandbox that takes longer than this to say hello is of no use.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
const PROBE_OUTPUT_BYTES: usize = 4_000;

/// Shared temporary folders, which are replaced by the run's own unless something needed lies in them.
const SHARED_TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// Whether Bubblewrap works on this machine, found out by running it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    Works(PathBuf),
    /// There is no such program.
    Absent,
    /// It is there, and the system does not let it; in words for `doctor`.
    Fails(String),
}

impl Probe {
    /// Runs `program` with everything that is asked of it later. `path` is where it is looked for.
    #[must_use]
    pub fn run(program: &Path, path: &OsStr) -> Self {
        let view = View { path: path.to_owned(), ..View::default() };
        let mut hello = Invocation::new(program, Path::new("/"));
        hello.environment.insert("PATH".into(), path.to_owned());
        hello.arguments =
            arguments(&Invocation::new("true", Path::new("/")), &Room::default(), &view);
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
            Err(error) if error.is_absent() => Self::Absent,
            Err(error) => Self::Fails(crate::git::in_full(&error)),
        }
    }

    #[must_use]
    pub fn program(self) -> Option<PathBuf> {
        match self {
            Self::Works(program) => Some(program),
            Self::Absent | Self::Fails(_) => None,
        }
    }
}

/// The words between `bwrap` and its command, and the command itself.
pub(super) fn arguments(inner: &Invocation, room: &Room, view: &View) -> Vec<OsString> {
    let mut mounts = Mounts { words: namespaces(), seen: Vec::new(), masked: Vec::new() };
    SYSTEM.iter().for_each(|folder| mounts.show_system(Path::new(folder)));
    mounts.add("--dev", &[Path::new("/dev")]);
    mounts.add("--proc", &[Path::new("/proc")]);
    // Folders before what lies in them.
    let masks: BTreeSet<PathBuf> = room.hidden.iter().cloned().chain(view.masked()).collect();
    let seen = view.seen(&room.named);
    let mut below: BTreeMap<Option<&PathBuf>, Vec<&PathBuf>> = BTreeMap::new();
    for path in seen.difference(&masks) {
        below.entry(masks.iter().rfind(|mask| path.starts_with(mask))).or_default().push(path);
    }
    below.remove(&None).into_iter().flatten().for_each(|path| mounts.show(path));
    mounts.own_temporary(inner, room, &masks);
    for mask in masks.iter().filter(|mask| mask.is_dir()) {
        mounts.add("--tmpfs", &[mask]);
        mounts.seen.retain(|seen| !seen.starts_with(mask));
        mounts.masked.push(mask.clone());
        below.remove(&Some(mask)).into_iter().flatten().for_each(|path| mounts.show(path));
    }
    room.readable.iter().for_each(|path| mounts.show(path));
    room.writable.iter().for_each(|path| mounts.add("--bind", &[path, path]));
    let secret = view.hidden();
    secret.iter().for_each(|path| mounts.cover(path));
    for covered in masks.iter().chain(&secret).filter(|path| path.is_dir()) {
        mounts.add("--remount-ro", &[covered]);
    }
    mounts.add("--remount-ro", &[Path::new("/")]);
    mounts.add("--chdir", &[&inner.directory]);
    let mut words = mounts.words;
    words.extend(["--".into(), inner.program.clone()]);
    words.extend(inner.arguments.iter().cloned());
    words
}

/// Own processes, own shared memory, no privileges, and an end with the guard. The network stays: an agent without
/// its model is of no use.
fn namespaces() -> Vec<OsString> {
    ["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--new-session", "--cap-drop", "ALL"]
        .map(OsString::from)
        .to_vec()
}

struct Mounts {
    words: Vec<OsString>,
    /// What is shown already, with everything in it but what is masked.
    seen: Vec<PathBuf>,
    masked: Vec<PathBuf>,
}

impl Mounts {
    fn add(&mut self, option: &str, paths: &[&Path]) {
        self.words.push(option.into());
        self.words.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    }

    fn is_seen(&self, path: &Path) -> bool {
        let is_masked = |seen: &PathBuf| {
            self.masked.iter().any(|mask| path.starts_with(mask) && mask.starts_with(seen))
        };
        self.seen.iter().any(|seen| path.starts_with(seen) && !is_masked(seen))
    }

    /// A folder of the system; a link such as `/bin` stays one.
    fn show_system(&mut self, folder: &Path) {
        match std::fs::read_link(folder) {
            Ok(target) => {
                self.add("--symlink", &[&target, folder]);
                self.seen.push(folder.to_owned());
            }
            Err(_) => self.show(folder),
        }
    }

    /// A file or folder, read-only, at its place and at the place that links lead to. Nothing if it is not there.
    fn show(&mut self, path: &Path) {
        let Ok(real) = path.canonicalize() else { return };
        for at in [&real, path] {
            if !self.is_seen(at) {
                self.add("--ro-bind", &[&real, at]);
                self.seen.push(at.to_owned());
            }
        }
    }

    /// The run's own folder in the place of the shared ones, unless something that was shown lies in them.
    fn own_temporary(&mut self, inner: &Invocation, room: &Room, masks: &BTreeSet<PathBuf>) {
        let Some(own) = inner.environment.get(OsStr::new("TMPDIR")).map(PathBuf::from) else {
            return;
        };
        let needed = room.writable.iter().chain(&room.readable).chain(masks);
        let needed: Vec<_> = needed.chain(&self.seen).cloned().collect();
        for shared in SHARED_TEMPORARY.map(Path::new) {
            let real = shared.canonicalize();
            let is_real = real.is_ok_and(|real| real == shared);
            if is_real && !needed.iter().any(|path| path.starts_with(shared)) {
                self.add("--bind", &[&own, shared]);
            }
        }
    }

    /// Puts nothing in the place of a secret.
    fn cover(&mut self, path: &Path) {
        if path.is_dir() {
            self.add("--tmpfs", &[path]);
        } else {
            self.add("--ro-bind", &[Path::new("/dev/null"), path]);
        }
    }
}
