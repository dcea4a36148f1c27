//! The only place of this package that starts processes and reads the environment.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place of this package that starts processes and reads the environment"
)]

use crate::failure::Failure;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// A command to start, and how a person would type it.
#[derive(Debug, Clone)]
pub(crate) struct Invocation {
    program: Program,
    arguments: Vec<String>,
    environment: Vec<(&'static str, &'static str)>,
    directory: PathBuf,
}

#[derive(Debug, Clone, Copy)]
enum Program {
    Cargo,
    Rustup,
    Git,
    Npm,
    Python,
    Tar,
    Bubblewrap,
    Gh,
    AptGet,
}

/// The status and output of a finished command.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Invocation {
    /// The cargo that runs this program, so that every stage uses the same toolchain.
    pub(crate) fn cargo(directory: &Path, arguments: &[&str]) -> Self {
        Self::new(Program::Cargo, directory, arguments)
    }

    pub(crate) fn rustup(directory: &Path, arguments: &[&str]) -> Self {
        Self::new(Program::Rustup, directory, arguments)
    }

    pub(crate) fn git(directory: &Path, arguments: &[&str]) -> Self {
        Self::new(Program::Git, directory, arguments)
    }

    pub(crate) fn npm(directory: &Path, arguments: &[&str]) -> Self {
        Self::new(Program::Npm, directory, arguments)
    }

    pub(crate) fn python(directory: &Path, arguments: &[&str]) -> Self {
        Self::new(Program::Python, directory, arguments)
    }

    pub(crate) fn tar(directory: &Path, arguments: &[&str]) -> Self {
        Self::new(Program::Tar, directory, arguments)
    }

    pub(crate) fn bubblewrap(directory: &Path, arguments: &[&str]) -> Self {
        Self::new(Program::Bubblewrap, directory, arguments)
    }

    pub(crate) fn gh(directory: &Path, arguments: &[&str]) -> Self {
        Self::new(Program::Gh, directory, arguments)
    }

    pub(crate) fn apt_get(directory: &Path, arguments: &[&str]) -> Self {
        Self::new(Program::AptGet, directory, arguments)
    }

    fn new(program: Program, directory: &Path, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self { program, arguments, environment: Vec::new(), directory: directory.to_owned() }
    }

    pub(crate) fn argument(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub(crate) fn environment(mut self, name: &'static str, value: &'static str) -> Self {
        self.environment.push((name, value));
        self
    }

    /// The line a person types to do the same.
    pub(crate) fn shown(&self) -> String {
        let mut words: Vec<String> =
            self.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        words.push(self.program.name().to_owned());
        words.extend(self.arguments.iter().cloned());
        words.join(" ")
    }

    /// Runs it with its output on the screen; anything but success is a failure.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let status = self.prepared().status().map_err(|source| self.not_started(source))?;
        if status.success() { Ok(()) } else { Err(self.failed(status, String::new())) }
    }

    /// Runs it and keeps what it wrote, whether or not it succeeded.
    pub(crate) fn output(&self) -> Result<Output, Failure> {
        self.captured(Stdio::piped())
    }

    /// Like `output`, but standard error, where progress goes, stays on the screen.
    pub(crate) fn output_with_progress(&self) -> Result<Output, Failure> {
        self.captured(Stdio::inherit())
    }

    /// Runs it and returns what it wrote to standard output; anything but success is a failure.
    pub(crate) fn stdout(&self) -> Result<String, Failure> {
        let output = self.output()?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(self.failed(output.status, output.stderr))
        }
    }

    /// Returns whether the command starts and succeeds: the test for an optional program.
    pub(crate) fn succeeds(&self) -> bool {
        self.output().is_ok_and(|output| output.status.success())
    }

    /// The failure that says this command ended badly.
    pub(crate) fn failed(&self, status: ExitStatus, said: String) -> Failure {
        Failure::Failed { command: self.shown(), status: status.to_string(), said }
    }

    fn captured(&self, stderr: Stdio) -> Result<Output, Failure> {
        let mut command = self.prepared();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr);
        let output = command
            .spawn()
            .and_then(std::process::Child::wait_with_output)
            .map_err(|source| self.not_started(source))?;
        Ok(Output {
            status: output.status,
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    fn prepared(&self) -> Command {
        let mut command = Command::new(self.program.path());
        command.args(&self.arguments).envs(self.environment.iter().copied());
        command.current_dir(&self.directory);
        command
    }

    fn not_started(&self, source: std::io::Error) -> Failure {
        Failure::NotStarted { command: self.shown(), source }
    }
}

impl Program {
    const fn name(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Rustup => "rustup",
            Self::Git => "git",
            Self::Npm => "npm",
            Self::Python => "python3",
            Self::Tar => "tar",
            Self::Bubblewrap => "bwrap",
            Self::Gh => "gh",
            Self::AptGet => "apt-get",
        }
    }

    fn path(self) -> OsString {
        match self {
            Self::Cargo => std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()),
            Self::Rustup
            | Self::Git
            | Self::Npm
            | Self::Python
            | Self::Tar
            | Self::Bubblewrap
            | Self::Gh
            | Self::AptGet => self.name().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_a_person_types_it() {
        let command = Invocation::cargo(Path::new("."), &["doc", "--no-deps"])
            .environment("RUSTDOCFLAGS", "-Dwarnings")
            .argument("--workspace");
        assert_eq!(command.shown(), "RUSTDOCFLAGS=-Dwarnings cargo doc --no-deps --workspace");
    }

    #[test]
    fn a_command_that_says_no_is_a_failure_with_its_words() {
        let command = Invocation::cargo(Path::new("."), &["no-such-subcommand"]);
        assert!(!command.succeeds());
        let failure = command.stdout().unwrap_err().to_string();
        assert!(failure.contains("`cargo no-such-subcommand` ended with"), "{failure}");
    }
}
