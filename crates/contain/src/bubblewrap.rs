//! Bubblewrap: the test whether it works here, and its arguments.
//!
//! A sandboxed process begins with nothing. It is shown the [`View`], read-only, and the folders of its [`Access`]; then
//! everything secret is covered, so that no later mount can uncover it.

use crate::view::{SYSTEM, View};
use crate::{
    Access, Capture, Ending, GuardProgram, Network, ProxyDoor, Spec, Switch, Watch, relay,
};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A sandbox that takes longer than this to run `true` is of no use.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
const PROBE_OUTPUT_BYTES: usize = 4_000;

/// Entries shown of a folder that holds a secret; each one is a few arguments for Bubblewrap. Files that commands name
/// are shown in addition.
const ENTRIES_MAX: usize = 2_000;

/// Temporary folders of the machine. In their place the process has its own.
const SHARED_TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];
/// The settings of the kernel, most of which hold for the whole machine.
const KERNEL_SETTINGS: &str = "/proc/sys";
/// The folder of sockets and other state of the machine. In its place the process has an empty one.
const RUN: &str = "/run";

/// Own users, processes, shared memory and host name, a session without a terminal, no privileges, and an end with the
/// guard.
const NAMESPACES: [&str; 8] = [
    "--die-with-parent",
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--new-session",
    "--cap-drop",
    "ALL",
];

/// The answer to whether Bubblewrap works on this machine, found out by running it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    Works(PathBuf),
    /// There is no such program.
    Absent,
    /// The program is there, and the system refuses it; in words for `doctor`.
    Fails(String),
}

impl Probe {
    /// Runs `program`, found in `path`, with everything that a sandbox needs.
    #[must_use]
    pub fn run(program: &Path, path: &OsStr) -> Self {
        let view = View { path: path.to_owned(), ..View::default() };
        let mut hello = Spec::new(program, Path::new("/"));
        hello.environment.insert("PATH".into(), path.to_owned());
        let inner = Spec { network: Network::None, ..Spec::new("true", Path::new("/")) };
        hello.arguments = arguments(&inner, &view, None);
        let switch = match Switch::new() {
            Ok(switch) => switch,
            Err(error) => return Self::Fails(error.to_string()),
        };
        let process = match hello.start_bare() {
            Ok(process) => process,
            Err(error) if error.is_absent() => return Self::Absent,
            Err(error) => {
                let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
                return Self::Fails(format!("{error}{cause}"));
            }
        };
        let mut said = Capture::new(0, PROBE_OUTPUT_BYTES);
        let mut watch = Watch { time: PROBE_TIMEOUT, switch: &switch, monitor: None };
        match process.follow(&mut watch, &mut |_, bytes| said.take(bytes)) {
            Ok(Ending::Exited(0)) => Self::Works(program.to_owned()),
            Ok(ending) => Self::Fails(format!("{ending}: {}", said.text().trim())),
            Err(error) => Self::Fails(error.to_string()),
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

/// The arguments of `bwrap`, the command included.
pub(crate) fn arguments(inner: &Spec, view: &View, relay: Option<&Relay<'_>>) -> Vec<OsString> {
    let access = &inner.access;
    let hidden = access.hidden.iter().filter_map(|folder| folder.canonicalize().ok());
    // Folders come before their entries.
    let masks: BTreeSet<PathBuf> =
        hidden.chain(view.masked()).filter(|folder| folder.is_dir()).collect();
    let secret = view.hidden();
    let mut mounts = Mounts {
        words: NAMESPACES.map(OsString::from).to_vec(),
        seen: Vec::new(),
        masked: Vec::new(),
        frozen: Frozen { folders: view.frozen(), secret: &secret, masks: &masks },
    };
    match inner.network {
        Network::Host => {}
        Network::None | Network::Proxy(_) => mounts.add("--unshare-net", &[]),
    }
    SYSTEM.iter().for_each(|folder| mounts.show_system(Path::new(folder)));
    mounts.add("--dev", &[Path::new("/dev")]);
    mounts.add("--proc", &[Path::new("/proc")]);
    // Bubblewrap leaves it writable for a process of the superuser, who owns it even without capabilities.
    mounts.add("--ro-bind", &[Path::new(KERNEL_SETTINGS); 2]);
    mounts.add("--tmpfs", &[Path::new(RUN)]);
    let seen = view.seen(&access.named);
    mounts.own_temporary(inner, &seen, &masks);
    let mut below: BTreeMap<Option<&PathBuf>, Vec<&PathBuf>> = BTreeMap::new();
    for path in seen.difference(&masks) {
        below.entry(masks.iter().rfind(|mask| path.starts_with(mask))).or_default().push(path);
    }
    below.remove(&None).into_iter().flatten().for_each(|path| mounts.show(path));
    for mask in &masks {
        mounts.add("--tmpfs", &[mask]);
        mounts.seen.retain(|seen| !seen.starts_with(mask));
        mounts.masked.push(mask.clone());
        below.remove(&Some(mask)).into_iter().flatten().for_each(|path| mounts.show(path));
    }
    access.readable.iter().for_each(|path| mounts.show(path));
    access.writable.iter().for_each(|path| mounts.add("--bind", &[path, path]));
    secret.iter().for_each(|path| mounts.cover(path));
    let covered = mounts.masked.iter().chain(&secret).filter(|path| path.is_dir());
    for covered in covered.cloned().collect::<BTreeSet<_>>() {
        mounts.add("--remount-ro", &[&covered]);
    }
    if let Some(Relay { program, door }) = relay {
        mounts.add("--ro-bind", &[&program.program, Path::new(relay::PROGRAM)]);
        mounts.add("--ro-bind", &[&door.socket, Path::new(relay::SOCKET)]);
    }
    mounts.add("--remount-ro", &[Path::new("/")]);
    mounts.add("--chdir", &[&inner.directory]);
    let mut words = mounts.words;
    words.push("--".into());
    words.extend(relay.iter().flat_map(|relay| relay.words()));
    words.push(inner.program.clone());
    words.extend(inner.arguments.iter().cloned());
    words
}

/// The relay that starts the command, and the proxy that it leads to.
pub(crate) struct Relay<'a> {
    pub(crate) program: &'a GuardProgram,
    pub(crate) door: &'a ProxyDoor,
}

impl Relay<'_> {
    fn words(&self) -> Vec<OsString> {
        let own = self.program.arguments.iter().cloned();
        let program = std::iter::once(relay::PROGRAM.into()).chain(own);
        program.chain(relay::words(&self.door.loopback_ports)).collect()
    }
}

struct Mounts<'a> {
    words: Vec<OsString>,
    /// Paths that are shown already, with everything in them that is not masked.
    seen: Vec<PathBuf>,
    /// Folders with something else in their place.
    masked: Vec<PathBuf>,
    frozen: Frozen<'a>,
}

/// Folders that are shown as they are now, entry by entry.
struct Frozen<'a> {
    folders: BTreeSet<PathBuf>,
    /// Entries that are left out.
    secret: &'a [PathBuf],
    /// Folders that are masked later.
    masks: &'a BTreeSet<PathBuf>,
}

impl Frozen<'_> {
    /// The frozen folders in a folder that is shown, outer ones first.
    fn within(&self, shown: &Path) -> Vec<PathBuf> {
        let is_masked = |folder: &&PathBuf| {
            self.masks.iter().any(|mask| folder.starts_with(mask) && mask.starts_with(shown))
        };
        let folders = self.folders.iter().filter(|folder| folder.starts_with(shown));
        folders.filter(|folder| !is_masked(folder)).cloned().collect()
    }

    /// The entries of a folder at this moment.
    fn entries(&self, folder: &Path) -> Vec<PathBuf> {
        let entries = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
        let seen = entries.filter(|path| !self.secret.contains(path));
        let sorted: BTreeSet<_> = seen.take(ENTRIES_MAX).collect();
        sorted.into_iter().collect()
    }
}

impl Mounts<'_> {
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

    /// Shows a folder of the system; a link such as `/bin` stays one.
    fn show_system(&mut self, folder: &Path) {
        match std::fs::read_link(folder) {
            Ok(target) => {
                self.add("--symlink", &[&target, folder]);
                self.seen.push(folder.to_owned());
            }
            Err(_) => self.show(folder),
        }
    }

    /// Shows a file or folder, read-only, at its path and at the path that links lead to. Ignores one that does not exist.
    fn show(&mut self, path: &Path) {
        let Ok(real) = path.canonicalize() else { return };
        for at in [&real, path] {
            if !self.is_seen(at) {
                self.add("--ro-bind", &[&real, at]);
                self.seen.push(at.to_owned());
                self.freeze(&real, at);
            }
        }
    }

    /// Shows the entries of folders with secrets one by one, so that entries that come later are not there.
    fn freeze(&mut self, real: &Path, at: &Path) {
        for folder in self.frozen.within(real) {
            let place = folder.strip_prefix(real).map_or_else(|_| at.to_owned(), |it| at.join(it));
            self.add("--tmpfs", &[&place]);
            self.masked.push(place.clone());
            for entry in self.frozen.entries(&folder) {
                let name = entry.file_name().unwrap_or_default();
                let shown = place.join(name);
                match std::fs::read_link(&entry) {
                    Ok(target) => self.add("--symlink", &[&target, &shown]),
                    // It may be gone by the time that it is shown.
                    Err(_) => self.add("--ro-bind-try", &[&entry, &shown]),
                }
                self.seen.push(shown);
            }
        }
    }

    /// Puts the `TMPDIR` of the process in the place of the shared temporary folders, or an empty folder where something
    /// that is shown lies in them.
    fn own_temporary(&mut self, inner: &Spec, seen: &BTreeSet<PathBuf>, masks: &BTreeSet<PathBuf>) {
        let own = inner.environment.get(OsStr::new("TMPDIR")).map(PathBuf::from);
        let Access { writable, readable, .. } = &inner.access;
        let real = seen.iter().filter_map(|path| path.canonicalize().ok());
        let mut needed: BTreeSet<PathBuf> = seen.union(masks).cloned().chain(real).collect();
        needed.extend(writable.iter().chain(readable).cloned());
        for shared in SHARED_TEMPORARY.map(Path::new) {
            // A link leads to another folder, which is not shown.
            if !shared.canonicalize().is_ok_and(|real| real == shared) {
                continue;
            }
            match &own {
                Some(own) if !needed.iter().any(|path| path.starts_with(shared)) => {
                    self.add("--bind", &[own, shared]);
                }
                Some(_) | None => self.add("--tmpfs", &[shared]),
            }
        }
    }

    /// Puts an empty file or folder in the place of a secret.
    fn cover(&mut self, path: &Path) {
        if path.is_dir() {
            self.add("--tmpfs", &[path]);
        } else {
            self.add("--ro-bind", &[Path::new("/dev/null"), path]);
        }
    }
}
