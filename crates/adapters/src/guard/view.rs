//! The part of the machine that contained processes see: system folders, toolchains, and what the operator
//! names. Everything else is not there for them, and secrets are not there wherever they lie.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// Folders of the system, read-only. `/run`, `/var` and other people's homes are none of them.
pub(super) const SYSTEM: [&str; 13] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
    "/snap", "/sys",
];
/// What the system's own files may lead to outside of these folders: names and certificates.
const SYSTEM_LINKS: [&str; 6] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/localtime",
    "/etc/ssl/certs",
    "/etc/ssl/ca-bundle.pem",
    "/run/current-system",
];
/// Parts of an installation that lie in the same folder: beside `bin` there are `lib` and `share`.
const PARTS: [&str; 4] = ["bin", "sbin", "shims", "libexec"];
/// Folders with a `bin` that hold much more than an installation, and what of it belongs to one.
const MIXED: [(&str, &[&str]); 2] = [
    (".cargo", &["../.rustup"]),
    (".local", &["lib", "pipx", "share/claude", "share/pnpm", "share/uv"]),
];
/// Folders whose folders are people's homes.
const HOMES: [&str; 2] = ["/home", "/Users"];
const ROOTS_HOME: &str = "/root";

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
const SOCKETS: [&str; 4] =
    ["/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/user"];

/// What a contained process sees beside the folders of its run.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// Where programs are looked for, as in `PATH`: these folders and the installations they belong to are seen.
    pub path: OsString,
    /// The user's own folder. Nothing of it is seen but toolchains.
    pub user_home: Option<PathBuf>,
    /// Files and folders that the operator names.
    pub shown: Vec<PathBuf>,
    /// Files and folders that are never seen, wherever they lie and whatever else names them.
    pub secret: Vec<PathBuf>,
}

impl View {
    /// Everything outside of the system's folders that is seen, `named` by the command included.
    pub(super) fn seen(&self, named: &[PathBuf]) -> BTreeSet<PathBuf> {
        let mut seen: BTreeSet<PathBuf> = SYSTEM_LINKS.iter().map(PathBuf::from).collect();
        for folder in std::env::split_paths(&self.path) {
            seen.extend(self.installation(&folder));
        }
        for path in named {
            seen.extend(self.around(path));
        }
        seen.extend(self.shown.iter().cloned());
        let is_plain = |path: &PathBuf| path.is_absolute() && path != Path::new("/");
        seen.into_iter().filter(is_plain).collect()
    }

    /// Everything that is hidden, whoever names it.
    pub(super) fn hidden(&self) -> Vec<PathBuf> {
        let own = self.user_home.iter().flat_map(|home| SECRETS.map(|name| home.join(name)));
        let secret = self.secret.iter().flat_map(|path| copies(path).chain([path.clone()]));
        let all = own.chain(SOCKETS.map(PathBuf::from)).chain(secret);
        let all: BTreeSet<_> = all.filter_map(|path| path.canonicalize().ok()).collect();
        all.into_iter().collect()
    }

    /// A folder of programs, and what belongs to them.
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

    /// A file that a command names, and the folder it lies in, because a script comes with its parts; or a folder.
    /// A whole home is never meant.
    fn around(&self, path: &Path) -> Vec<PathBuf> {
        let folder = path.parent().filter(|_| path.is_file());
        let all = std::iter::once(path).chain(folder);
        all.filter(|path| !self.is_home(path) && !is_special(path)).map(Path::to_owned).collect()
    }

    /// Folders of which nothing is seen but what is named inside of them.
    pub(super) fn masked(&self) -> Option<PathBuf> {
        let home = self.user_home.as_ref()?.canonicalize().ok()?;
        let is_shown = self.shown.iter().any(|shown| home.starts_with(shown));
        (home != Path::new("/") && !is_shown).then_some(home)
    }

    /// Is this somebody's home, or a folder with homes in it, or one that everybody uses?
    fn is_home(&self, folder: &Path) -> bool {
        let own = self.user_home.as_deref();
        let is_other =
            folder.parent().is_some_and(|it| HOMES.iter().any(|home| it == Path::new(home)));
        let shared = ["/", "/tmp", "/var/tmp", ROOTS_HOME].iter().chain(&HOMES);
        is_other || own == Some(folder) || shared.into_iter().any(|it| folder == Path::new(it))
    }
}

/// Files beside a secret one that an editor or a careful person has left: `config.toml~`, `.config.toml.swp`.
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

/// Is this of the kernel's making, or a whole folder of the root? Each run has its own of the former, and nobody means
/// the latter: it stands in many a command.
fn is_special(path: &Path) -> bool {
    let is_whole = path.parent().is_none_or(|parent| parent == Path::new("/"));
    is_whole || ["/proc", "/dev", "/sys"].iter().any(|kernel| path.starts_with(kernel))
}

/// `part` may begin by leading up.
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

/// The absolute paths that stand in a line for the shell, of which the existing ones are named by it.
pub(crate) fn paths_in(line: &str) -> Vec<PathBuf> {
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
