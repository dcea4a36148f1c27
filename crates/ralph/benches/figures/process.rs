//! The only place of the measurements that starts processes and looks at those that run.
#![expect(clippy::disallowed_methods, reason = "this is the one place that starts processes")]

use crate::Outcome;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// The program that is measured, built like this one.
pub(crate) const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

/// A process that is killed when this value goes.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
}

impl Running {
    /// Starts Ralph with the home, variables and words given; its log goes to a file.
    pub(crate) fn ralph(
        home: &Path,
        words: &[&str],
        variables: &[(&str, &str)],
        log: &Path,
    ) -> Outcome<Self> {
        let log = File::options().create(true).append(true).open(log)?;
        let mut command = Command::new(RALPH);
        command.arg("--home").arg(home).args(words).envs(variables.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        Ok(Self { child: command.spawn()? })
    }

    pub(crate) fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn has_ended(&mut self) -> Outcome<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// SIGKILL, and nothing of it is left.
    pub(crate) fn kill(&mut self) -> Outcome<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Runs a program to its end and gives what it wrote. `input` goes to its standard input.
pub(crate) fn output<A: AsRef<OsStr>>(program: &str, words: &[A], input: &str) -> Outcome<String> {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input.as_bytes()))
    });
    let output = child.wait_with_output()?;
    if let Ok(written) = writer.join() {
        written?;
    }
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{program} ended with {}: {}", output.status, said.trim()).into())
}

/// Has a program read a text from its standard input, and tells whether it ended well.
pub(crate) fn succeeds(program: &str, input: &str) -> Outcome<bool> {
    let mut command = Command::new(program);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    Ok(child.wait()?.success())
}

/// From now on orphans below this process become its children, so that none is overlooked.
pub(crate) fn adopt_orphans() -> Outcome<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Every process below this one except the trees of those given: id and command line.
pub(crate) fn descendants(except: &[u32]) -> Outcome<BTreeMap<u32, String>> {
    let mut parents: BTreeMap<u32, u32> = BTreeMap::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // It may be gone by now.
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name stands in brackets and may hold anything.
        let Some((_, after)) = stat.rsplit_once(") ") else { continue };
        let mut fields = after.split(' ');
        let (state, parent) = (fields.next(), fields.next().and_then(|word| word.parse().ok()));
        if let Some(parent) = parent.filter(|_| !matches!(state, Some("Z" | "X"))) {
            parents.insert(id, parent);
        }
    }
    let own = std::process::id();
    let is_below = |mut id: u32| loop {
        match parents.get(&id) {
            Some(_) if except.contains(&id) => break false,
            Some(parent) if *parent == own => break true,
            Some(parent) => id = *parent,
            None => break false,
        }
    };
    let below = parents.keys().copied().filter(|id| is_below(*id));
    Ok(below.map(|id| (id, command_line(id))).collect())
}

fn command_line(id: u32) -> String {
    let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ")
}

/// Memory that a process occupies, in megabytes.
pub(crate) fn resident_mb(id: u32) -> Outcome<f64> {
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")).map(str::trim);
    let kilobytes: f64 = kilobytes.ok_or("the kernel does not say how much memory")?.parse()?;
    Ok(kilobytes / 1_024.0)
}
