//! The part of the machine that sandboxed processes see: folders of the system, toolchains, and paths that the operator
//! names. Nothing else is visible to them, and secrets are never visible.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// Folders of the system, shown read-only. `/run`, `/var` and people's homes do not belong to them.
pub(crate) const SYSTEM: [&str; 13] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
    "/snap", "/sys",
];
/// Links of the system that may lead out of these folders: names, certificates, programs.
const SYSTEM_LINKS: [&str; 6] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/localtime",
    "/etc/ssl/certs",
    "/etc/ssl/ca-bundle.pem",
    "/run/current-system",
];
/// Folders of programs inside of an installation, which has `lib` and `share` beside them.
const PARTS: [&str; 4] = ["bin", "sbin", "shims", "libexec"];
/// Folders with a `bin` that hold credentials as well, and the parts of them that belong to programs.
const MIXED: [(&str, &[&str]); 2] = [
    (".cargo", &["../.rustup"]),
    (".local", &["lib", "pipx", "share/claude", "share/pnpm", "share/uv"]),
];
/// Folders whose folders are people's homes.
const HOMES: [&str; 2] = ["/home", "/Users"];
const ROOTS_HOME: &str = "/root";

/// Paths in a home that hold keys and tokens, none of which a build needs.
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
const SOCKETS: [&str; 4] =
    ["/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/user"];

/// The part of this machine that a sandboxed process sees beside its [`Access`](crate::Access).
#[derive(Debug, Clone, Default)]
pub struct View {
    /// The folders of programs, as in `PATH`. They are seen with the installations that they belong to.
    pub path: OsString,
    /// The user's home. Only toolchains are seen in it.
    pub user_home: Option<PathBuf>,
    /// Files and folders that the operator names.
    pub shown: Vec<PathBuf>,
    /// Files and folders that are never seen, even inside of a folder that is shown or named.
    pub secret: Vec<PathBuf>,
}

impl View {
    /// All paths outside of the system's folders that are seen, those that the command names included.
    pub(crate) fn seen(&self, named: &[PathBuf]) -> BTreeSet<PathBuf> {
        let mut seen: BTreeSet<PathBuf> = SYSTEM_LINKS.iter().map(PathBuf::from).collect();
        // A home in `PATH` is a mistake, and is not shown for it.
        let programs = std::env::split_paths(&self.path).filter(|folder| !self.is_home(folder));
        programs.for_each(|folder| seen.extend(self.installation(&folder)));
        for path in named {
            seen.extend(self.around(path));
        }
        seen.extend(self.shown.iter().cloned());
        let is_plain = |path: &PathBuf| path.is_absolute() && path != Path::new("/");
        seen.into_iter().filter(is_plain).collect()
    }

    /// All paths that are hidden, even if a command names them.
    pub(crate) fn hidden(&self) -> Vec<PathBuf> {
        let own = self.user_home.iter().flat_map(|home| SECRETS.map(|name| home.join(name)));
        let secret = self.secret.iter().flat_map(|path| copies(path).chain([path.clone()]));
        let all = own.chain(SOCKETS.map(PathBuf::from)).chain(secret);
        let all: BTreeSet<_> = all.filter_map(|path| path.canonicalize().ok()).collect();
        all.into_iter().collect()
    }

    /// Folders that hold a secret, by its path and by the path that links lead to. A secret may be replaced while a
    /// process runs, which removes its cover, and copies may appear beside it. So a process sees the entries that these
    /// folders had at its start, and no later ones.
    pub(crate) fn frozen(&self) -> BTreeSet<PathBuf> {
        let files = self.secret.iter().filter(|path| !path.is_dir());
        let places = files.flat_map(|path| [Some(path.clone()), path.canonicalize().ok()]);
        let folders = places.flatten().filter_map(|path| path.parent()?.canonicalize().ok());
        folders.filter(|folder| folder != Path::new("/")).collect()
    }

    /// A folder of programs, and the folders that belong to them.
    fn installation(&self, folder: &Path) -> Vec<PathBuf> {
        let mut all = vec![folder.to_owned()];
        let is_part = |name: &OsStr| PARTS.iter().any(|part| name == *part);
        let prefix = folder.parent().filter(|_| folder.file_name().is_some_and(is_part));
        let Some(prefix) = prefix.filter(|prefix| !self.is_home(prefix)) else { return all };
        let mixed = MIXED.iter().find(|(name, _)| prefix.file_name() == Some(OsStr::new(name)));
        match mixed {
            None => all.push(prefix.to_owned()),
            Some((_, parts)) => all.extend(parts.iter().map(|part| joined(prefix, part))),
        }
        all
    }

    /// A file that a command names with its folder, because a script comes with its parts; or a folder. Never a whole
    /// home.
    fn around(&self, path: &Path) -> Vec<PathBuf> {
        let folder = path.parent().filter(|_| path.is_file());
        let all = std::iter::once(path).chain(folder);
        all.filter(|path| !self.is_home(path) && !is_special(path)).map(Path::to_owned).collect()
    }

    /// The folder in which only named paths are seen: the home.
    pub(crate) fn masked(&self) -> Option<PathBuf> {
        let home = self.user_home.as_ref()?.canonicalize().ok()?;
        let is_shown = self.shown.iter().any(|shown| home.starts_with(shown));
        (home != Path::new("/") && !is_shown).then_some(home)
    }

    /// Tells whether this is a home, a folder of homes, or a folder that all users share.
    fn is_home(&self, folder: &Path) -> bool {
        let own = self.user_home.as_deref();
        let is_other =
            folder.parent().is_some_and(|it| HOMES.iter().any(|home| it == Path::new(home)));
        let shared = ["/", "/tmp", "/var/tmp", ROOTS_HOME].iter().chain(&HOMES);
        is_other || own == Some(folder) || shared.into_iter().any(|it| folder == Path::new(it))
    }
}

/// Copies that an editor or a person left beside a secret file: `config.toml~`, `.config.toml.swp`.
fn copies(secret: &Path) -> impl Iterator<Item = PathBuf> {
    let name = secret.file_name().map(|name| name.to_string_lossy().into_owned());
    let beside = secret.parent().and_then(|folder| folder.read_dir().ok()).into_iter().flatten();
    let paths = beside.flatten().map(|entry| entry.path());
    paths.filter(move |path| {
        let found = path.file_name().map(|found| found.to_string_lossy().into_owned());
        let is_copy = |found: String| name.as_ref().is_some_and(|name| found.contains(name));
        path.is_file() && found.is_some_and(is_copy)
    })
}

/// Tells whether this is a folder of the kernel, of which each sandbox has its own, or a whole folder of the root, which
/// many commands mention without needing it.
fn is_special(path: &Path) -> bool {
    let is_whole = path.parent().is_none_or(|parent| parent == Path::new("/"));
    is_whole || ["/proc", "/dev", "/sys"].iter().any(|kernel| path.starts_with(kernel))
}

/// Joins a part that may begin with `..`.
fn joined(folder: &Path, part: &str) -> PathBuf {
    let mut path = folder.to_owned();
    for part in Path::new(part).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    path
}

/// The absolute paths in a line for the shell that exist.
#[must_use]
pub fn paths_in(line: &str) -> Vec<PathBuf> {
    let is_between = |letter: char| letter.is_whitespace() || "'\"`;|&<>(){}=,:$".contains(letter);
    let words = line.split(is_between).filter(|word| word.starts_with('/')).map(PathBuf::from);
    words.filter(|path| path.exists()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(home: &str, path: &str) -> Vec<String> {
        let view = View { path: path.into(), user_home: Some(home.into()), ..View::default() };
        let links: Vec<_> = SYSTEM_LINKS.iter().map(PathBuf::from).collect();
        let own = view.seen(&[]).into_iter().filter(|path| !links.contains(path));
        own.map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn an_installation_is_seen_as_a_whole_and_a_home_is_not() {
        assert_eq!(seen("/home/mia", "/home/mia/bin"), ["/home/mia/bin"]);
        assert_eq!(
            seen("/srv/ci", "/home/mia/bin:/home/root/bin"),
            ["/home/mia/bin", "/home/root/bin"]
        );
        assert_eq!(seen("/srv/ci", "/srv/ci:.:/home:/:/tmp:relative/bin"), [""; 0]);
        let node = "/home/mia/.nvm/versions/node/v20";
        assert_eq!(seen("/home/mia", &format!("{node}/bin")), [node, &format!("{node}/bin")]);
        assert_eq!(
            seen("/home/root", "/home/root/.pyenv/shims"),
            ["/home/root/.pyenv", "/home/root/.pyenv/shims"]
        );
    }

    #[test]
    fn folders_that_hold_credentials_too_are_seen_in_parts() {
        assert_eq!(
            seen("/home/root", "/home/root/.cargo/bin"),
            ["/home/root/.cargo/bin", "/home/root/.rustup"]
        );
        let local = seen("/home/mia", "/home/mia/.local/bin");
        assert!(local.contains(&"/home/mia/.local/bin".to_owned()));
        assert!(!local.contains(&"/home/mia/.local".to_owned()), "{local:?}");
        assert_eq!(
            seen("/srv/ci", "/srv/ci/bin:/srv/ci/.pyenv/shims"),
            ["/srv/ci/.pyenv", "/srv/ci/.pyenv/shims", "/srv/ci/bin"]
        );
    }

    #[test]
    fn what_a_command_mentions_opens_neither_the_kernels_folders_nor_a_whole_one() {
        let view = View::default();
        for mentioned in ["/dev/null", "/proc/self/environ", "/proc", "/var", "/tmp", "/home"] {
            assert_eq!(
                view.around(Path::new(mentioned)),
                [""; 0].map(PathBuf::from),
                "{mentioned}"
            );
        }
        let passwd = view.around(Path::new("/etc/passwd"));
        assert_eq!(passwd, [PathBuf::from("/etc/passwd")], "its folder is not meant");
    }

    #[test]
    fn paths_are_found_in_a_line_for_the_shell() {
        let found = paths_in("FOO=/usr sh -c '/bin/sh x'; cat </etc/passwd /no/such/thing ./usr");
        let found: Vec<_> = found.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(found, ["/usr", "/bin/sh", "/etc/passwd"]);
    }
}
