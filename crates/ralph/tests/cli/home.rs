//! A home of Ralph's for one test, and the one place that starts the program in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tempfile::TempDir;

/// The result of a command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Ran {
    /// Everything in one text, for snapshots.
    pub(crate) fn shown(&self) -> String {
        let Self { stdout, stderr, code } = self;
        format!("exit {code}\n--- stdout\n{stdout}--- stderr\n{stderr}")
    }

    /// Standard output as the one JSON document it has to be, with nothing on standard error.
    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""));
        assert_eq!(self.stdout.lines().count(), 1, "one line: {}", self.stdout);
        serde_json::from_str(&self.stdout).expect("one JSON document")
    }
}

pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn empty() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path().join("state.sqlite")
    }

    /// Runs `ralph` in this home and nowhere else. The folder's name is shown as `HOME`.
    pub(crate) fn ralph(&self, arguments: &[&str]) -> Ran {
        self.shown(program().args(arguments))
    }

    /// The same with the programs of this machine, of which the forge needs git.
    pub(crate) fn ralph_with_path(&self, arguments: &[&str]) -> Ran {
        self.shown(program_with_path().args(arguments))
    }

    fn shown(&self, command: &mut Command) -> Ran {
        let ran = run(command.env("RALPH_HOME", self.path()));
        let shown = |text: String| text.replace(&self.path().display().to_string(), "HOME");
        Ran { stdout: shown(ran.stdout), stderr: shown(ran.stderr), code: ran.code }
    }

    /// Every file with its content. SQLite's own two side files come and go with each reader.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(self.path()).expect("a readable home");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let named =
            paths.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path));
        named
            .filter(|(name, _)| !name.ends_with("-wal") && !name.ends_with("-shm"))
            .map(|(name, path)| (name, std::fs::read(path).expect("a readable file")))
            .collect()
    }
}

/// The program with nothing of this machine in its environment.
#[expect(clippy::disallowed_methods, reason = "this is the one place where tests start processes")]
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ralph"));
    command.env_clear().env("HOME", "/nowhere").env("USER", "mia").stdin(Stdio::null());
    command
}

/// The same with the programs of this machine.
#[expect(clippy::disallowed_methods, reason = "this is the one place where tests ask for them")]
pub(crate) fn program_with_path() -> Command {
    let mut command = program();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

/// A process that is being started holds copies of the tests' open files for a moment, and with them the
/// locks on their stores. A test that opens a store for writing waits until no process is about.
static PROCESSES: RwLock<()> = RwLock::new(());

pub(crate) fn no_process() -> RwLockWriteGuard<'static, ()> {
    PROCESSES.write().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn a_process() -> RwLockReadGuard<'static, ()> {
    PROCESSES.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn run(command: &mut Command) -> Ran {
    let guard = a_process();
    let output = command.output().expect("the program starts");
    drop(guard);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        code: output.status.code().expect("it ends by itself"),
    }
}
