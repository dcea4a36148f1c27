//! The one place where git is started, without the environment of the user.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

/// The longest answer of git. It is asked about one repository's history or files, of which the largest that is shown has
/// 100 MB; more is a mistake, and would not fit the forge's memory.
const ANSWER_BYTES_MAX: u64 = 128 * 1024 * 1024;

/// Enough of the words of a failed program to know the reason.
const COMPLAINT_BYTES_MAX: u64 = 16 * 1024;

/// Settings that no repository can change: no hooks, no housekeeping, no processes in the background, and objects on the
/// disk before anything relies on them.
const GIT_SETTINGS: [&str; 5] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.fsync=committed",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// A git command.
#[derive(Debug)]
pub(crate) struct Git {
    command: Command,
    input: Vec<u8>,
}

/// A program that ended, with any exit status.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) output: Vec<u8>,
    pub(crate) complaint: String,
}

impl Git {
    /// On a bare repository.
    pub(crate) fn on<A: AsRef<OsStr>>(
        repository: &Path,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let mut git = Self::in_folder(repository, arguments);
        git.command.env("GIT_DIR", repository);
        git
    }

    /// A git command in a folder, which may be a checkout.
    pub(crate) fn in_folder<A: AsRef<OsStr>>(
        folder: &Path,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let mut command = clean_command("git");
        command.current_dir(folder);
        command.envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("LC_ALL", "C"),
        ]);
        command.args(GIT_SETTINGS.into_iter().flat_map(|setting| ["-c", setting]));
        command.args(arguments);
        Self { command, input: Vec::new() }
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Runs it to its end.
    pub(crate) fn run(mut self) -> io::Result<Finished> {
        let stdin = if self.input.is_empty() { Stdio::null() } else { Stdio::piped() };
        self.command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        collect(self.command.spawn()?, &self.input)
    }

    /// Starts it with its pipes open, to be fed and read while it runs. It ends with its owner.
    pub(crate) fn start(self) -> io::Result<tokio::process::Child> {
        let mut command = tokio::process::Command::from(self.command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true).spawn()
    }

    /// As `start`, without its standard error.
    pub(crate) fn start_unheard(self) -> io::Result<tokio::process::Child> {
        let mut command = tokio::process::Command::from(self.command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.kill_on_drop(true).spawn()
    }
}

/// The oldest git with all features that are used here.
const GIT_VERSION_MIN: (u32, u32) = (2, 39);

/// The reason why the git on the `PATH` cannot be used, if there is one.
pub(crate) fn trouble_with_git() -> Option<String> {
    let said = match Git::on(Path::new("/"), ["version"]).run() {
        Ok(said) => said,
        Err(error) => return Some(format!("it cannot be started ({error}); install it")),
    };
    let said = String::from_utf8_lossy(&said.output).trim().to_owned();
    let mut numbers =
        said.split(|next: char| !next.is_ascii_digit()).filter_map(|n| n.parse().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) if (major, minor) >= GIT_VERSION_MIN => None,
        _older => Some(format!("the one found says {said:?}")),
    }
}

/// A command without the environment of this process, except for `PATH`.
fn clean_command(program: &str) -> Command {
    #[expect(clippy::disallowed_methods, reason = "this is the place where processes are started")]
    let mut command = Command::new(program);
    command.env_clear().env("PATH", program_path());
    command
}

/// The user's `PATH`.
#[expect(clippy::disallowed_methods, reason = "programs are found where the user finds them")]
pub(crate) fn program_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin"))
}

/// The home of the user who runs this forge.
#[expect(clippy::disallowed_methods, reason = "checks must not see it")]
pub(crate) fn user_home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from)
}

/// Feeds and reads a program at once, since either pipe may fill up first.
fn collect(mut child: Child, input: &[u8]) -> io::Result<Finished> {
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (mut stdin, Some(mut stdout), Some(mut stderr)) = pipes else {
        return Err(io::Error::other("the program has no pipes"));
    };
    let (mut output, mut complaint) = (Vec::new(), Vec::new());
    let read = thread::scope(|scope| {
        scope.spawn(|| {
            // A program that ends early says why on stderr; that it left input unread does not matter.
            let fed = stdin.take().map(|mut stdin| stdin.write_all(input));
            drop(fed);
        });
        let complaints = scope.spawn(|| {
            stderr.by_ref().take(COMPLAINT_BYTES_MAX).read_to_end(&mut complaint)?;
            io::copy(&mut stderr, &mut io::sink())
        });
        let read = stdout.by_ref().take(ANSWER_BYTES_MAX + 1).read_to_end(&mut output);
        if output.len() as u64 > ANSWER_BYTES_MAX {
            child.kill()?;
        }
        let complained = complaints.join().unwrap_or_else(|_| Err(io::Error::other("no reader")));
        read.and(complained)
    });
    let status = child.wait()?;
    read?;
    if output.len() as u64 > ANSWER_BYTES_MAX {
        let words = format!("its answer is longer than {ANSWER_BYTES_MAX} bytes");
        return Err(io::Error::other(words));
    }
    let complaint = String::from_utf8_lossy(&complaint).trim().to_owned();
    Ok(Finished { status, output, complaint })
}
