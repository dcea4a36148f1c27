//! The only place of the command line that starts programs: short ones, asked one question and given little
//! time for it.

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// A program that is asked for its version answers in milliseconds; a hung one must not hang us.
const LIMIT: Duration = Duration::from_secs(5);
/// The largest output that is read: the names of all files of a large repository.
const OUTPUT_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// The answer of a program.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) is_success: bool,
    pub(crate) stdout: String,
}

/// Runs git in a folder, away from everybody's configuration.
#[expect(clippy::disallowed_methods, reason = "this is the one place that starts programs")]
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> io::Result<()> {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("GIT_TERMINAL_PROMPT", "0");
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let verb = arguments.iter().find(|word| !word.starts_with('-') && !word.contains('='));
    let verb = verb.copied().unwrap_or_default();
    Err(io::Error::other(format!("git {verb} failed: {}", said.trim())))
}

/// Runs a program without input and without our environment, but for where programs are found.
pub(crate) fn ask(program: &str, arguments: &[&str], path: Option<&OsStr>) -> io::Result<Said> {
    ask_at(program, arguments, path, None)
}

/// As `ask`, with a home folder.
#[expect(clippy::disallowed_methods, reason = "this is the one place that starts programs")]
pub(crate) fn ask_at(
    program: &str,
    arguments: &[&str],
    path: Option<&OsStr>,
    home: Option<&Path>,
) -> io::Result<Said> {
    let mut command = Command::new(program);
    command.args(arguments).env_clear().env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
    command.envs(path.map(|path| ("PATH", path)));
    command.envs(home.map(|home| ("HOME", home)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let stdout = child.stdout.take();
    let (send, answer) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.map_or(Ok(0), |out| out.take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes));
        // The caller may have stopped waiting.
        drop(send.send(read.map(|_| bytes)));
    });
    let answered = answer.recv_timeout(LIMIT);
    if answered.is_err() {
        child.kill()?;
    }
    let status = child.wait()?;
    let Ok(bytes) = answered else {
        let limit = LIMIT.as_secs();
        return Err(io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {limit} s")));
    };
    let stdout = String::from_utf8_lossy(&bytes?).into_owned();
    Ok(Said { is_success: status.success(), stdout })
}
