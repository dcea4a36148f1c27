//! What a check sees of this machine: the folders of the system and toolchains, read-only, and its own room.
//!
//! Whoever may write to a repository says which commands run there, so that nothing of anybody's home is seen, whatever a
//! command names. What is secret lies under an empty folder, wherever it is.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Own processes, messages and names of the machine, no rights of a superuser, and an end with the server.
const NAMESPACES: [&str; 7] = [
    "--die-with-parent",
    "--new-session",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--cap-drop",
    "ALL",
];
const NO_NETWORK: &str = "--unshare-net";

/// Folders of the system, where there are such. Homes, `/var` and `/run` are none of them.
const SYSTEM: [&str; 13] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
    "/snap", "/sys",
];
/// What the system's own files may lead to outside of these folders: names, certificates, programs.
const SYSTEM_LINKS: [&str; 6] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/localtime",
    "/etc/ssl/certs",
    "/etc/ssl/ca-bundle.pem",
    "/run/current-system",
];
/// Folders that everybody uses, and sockets are in; a check has empty ones.
const SHARED: [&str; 3] = ["/tmp", "/var/tmp", "/run"];

/// Parts of an installation that lie in the same folder: beside `bin` there are `lib` and `share`.
const PARTS: [&str; 4] = ["bin", "sbin", "shims", "libexec"];
/// Folders with a `bin` that hold credentials as well, and what of them belongs to the programs.
const MIXED: [(&str, &[&str]); 2] =
    [(".cargo", &["../.rustup"]), (".local", &["lib", "pipx", "share/pnpm", "share/uv"])];
/// Folders whose folders are people's homes.
const HOMES: [&str; 2] = ["/home", "/Users"];
const NO_INSTALLATIONS: [&str; 6] = ["/", "/root", "/home", "/Users", "/tmp", "/var/tmp"];

/// Where this process finds programs, and whose they are.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    pub(super) path: OsString,
    pub(super) home: Option<PathBuf>,
}

/// What stands between `bwrap` and the command. The room is writable; what is hidden is not seen.
pub(super) fn arguments(
    here: &Surroundings,
    room: Option<&Path>,
    hidden: &[PathBuf],
    network: bool,
) -> Vec<OsString> {
    let mut mounts = Mounts(NAMESPACES.map(OsString::from).to_vec());
    if !network {
        mounts.0.push(NO_NETWORK.into());
    }
    SYSTEM.iter().for_each(|folder| mounts.show_system(Path::new(folder)));
    mounts.add("--dev", &[Path::new("/dev")]);
    mounts.add("--proc", &[Path::new("/proc")]);
    SHARED.iter().for_each(|folder| mounts.add("--tmpfs", &[Path::new(folder)]));
    SYSTEM_LINKS.iter().for_each(|link| mounts.show(Path::new(link)));
    here.toolchains().iter().for_each(|folder| mounts.show(folder));
    let hidden: BTreeSet<PathBuf> =
        hidden.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    let hidden: Vec<&PathBuf> = hidden.iter().filter(|folder| folder.is_dir()).collect();
    hidden.iter().for_each(|folder| mounts.add("--tmpfs", &[folder]));
    if let Some(room) = room {
        mounts.add("--bind", &[room, room]);
    }
    hidden.iter().for_each(|folder| mounts.add("--remount-ro", &[folder]));
    mounts.add("--remount-ro", &[Path::new("/")]);
    if let Some(room) = room {
        mounts.add("--chdir", &[&room.join("work")]);
    }
    mounts.0
}

struct Mounts(Vec<OsString>);

impl Mounts {
    fn add(&mut self, option: &str, paths: &[&Path]) {
        self.0.push(option.into());
        self.0.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    }

    /// A link such as `/bin` stays one.
    fn show_system(&mut self, folder: &Path) {
        match std::fs::read_link(folder) {
            Ok(target) => self.add("--symlink", &[&target, folder]),
            Err(_no_link) if folder.is_dir() => self.add("--ro-bind", &[folder, folder]),
            Err(_absent) => {}
        }
    }

    /// What is there, at its place and at the place that links lead to, unless the system's folders have it.
    fn show(&mut self, path: &Path) {
        let Ok(real) = path.canonicalize() else { return };
        let mut places = BTreeSet::from([real.as_path(), path]);
        places.retain(|place| !SYSTEM.iter().any(|folder| place.starts_with(folder)));
        places.iter().for_each(|place| self.add("--ro-bind", &[&real, place]));
    }
}

impl Surroundings {
    /// Folders of programs, with the installations that they belong to. Folders come before what is in them.
    fn toolchains(&self) -> BTreeSet<PathBuf> {
        let folders = std::env::split_paths(&self.path).filter(|folder| folder.is_absolute());
        let folders = folders.filter(|folder| !self.is_home(folder));
        folders.flat_map(|folder| self.installation(folder)).collect()
    }

    fn installation(&self, folder: PathBuf) -> Vec<PathBuf> {
        let is_part = folder.file_name().is_some_and(|name| PARTS.iter().any(|part| name == *part));
        let prefix = folder.parent().filter(|prefix| is_part && !self.is_home(prefix));
        let Some(prefix) = prefix.map(Path::to_owned) else { return vec![folder] };
        let mixed = MIXED.iter().find(|(name, _)| prefix.file_name() == Some(OsStr::new(name)));
        let Some((_, parts)) = mixed else { return vec![prefix] };
        let part = |part: &&str| match part.strip_prefix("../") {
            Some(beside) => prefix.with_file_name(beside),
            None => prefix.join(part),
        };
        parts.iter().map(part).chain([folder.clone()]).collect()
    }

    /// Is this somebody's home, or a folder with homes in it, or one that everybody uses?
    fn is_home(&self, folder: &Path) -> bool {
        let is_among =
            |folders: &[&str], path: &Path| folders.iter().any(|one| path == Path::new(one));
        self.home.as_deref() == Some(folder)
            || is_among(&NO_INSTALLATIONS, folder)
            || folder.parent().is_some_and(|parent| is_among(&HOMES, parent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchains(home: &str, path: &str) -> Vec<String> {
        let here = Surroundings { path: path.into(), home: Some(home.into()) };
        here.toolchains().iter().map(|folder| folder.display().to_string()).collect()
    }

    #[test]
    fn an_installation_is_seen_and_a_home_is_not() {
        let node = "/home/mia/.nvm/versions/node/v20";
        assert_eq!(toolchains("/home/mia", &format!("{node}/bin")), [node]);
        assert_eq!(
            toolchains("/home/mia", "/home/mia/bin:/home/root/bin"),
            ["/home/mia/bin", "/home/root/bin"]
        );
        assert_eq!(
            toolchains("/srv/ci", "/srv/ci/bin:/srv/ci/.pyenv/shims"),
            ["/srv/ci/.pyenv", "/srv/ci/bin"]
        );
        assert_eq!(toolchains("/srv/ci", "/srv/ci:.:/home:/:/tmp:relative/bin"), [""; 0]);
    }

    #[test]
    fn folders_that_hold_credentials_too_are_seen_in_parts() {
        assert_eq!(
            toolchains("/home/mia", "/home/mia/.cargo/bin"),
            ["/home/mia/.cargo/bin", "/home/mia/.rustup"]
        );
        let local = toolchains("/home/mia", "/home/mia/.local/bin");
        assert!(!local.contains(&"/home/mia/.local".to_owned()), "{local:?}");
    }
}
