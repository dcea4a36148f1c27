//! A daemon's report of itself while it runs: how busy it is, what it may still ask of the forge, and what
//! does not work at the moment. It is a separate file because none of it is state.

use crate::home::Home;
use ralph_core::time::{Span, Time};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};

/// Largest file that is read: a hundred degraded things with their reasons come nowhere near.
const FILE_BYTES_MAX: u64 = 256 * 1024;
/// A daemon says something every ten seconds; one that has not for this long hangs, or cannot write.
const SILENCE_MAX: Span = Span::from_secs(60);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonStatus {
    pub pid: u32,
    pub started: Time,
    /// The time at which this was last true.
    pub heartbeat: Time,
    pub workers: Workers,
    /// The requests that the forge still answers, as far as it said.
    pub budget: Option<Budget>,
    pub degraded: Vec<Degraded>,
    /// The reason why the present file is not in force; the last good one is.
    pub config_error: Option<String>,
    #[serde(default)]
    pub config_error_since: Option<Time>,
    /// Settings that are in the file and come into force after a restart.
    #[serde(default)]
    pub restart_needed: Vec<String>,
    /// `None`: a daemon of an earlier version does not say.
    #[serde(default)]
    pub sandbox: Option<SandboxState>,
    /// Programs of agents that have a version outside of the tested range, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untested_agents: Vec<String>,
}

/// Processes of agents, setup and gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workers {
    pub busy: u32,
    pub max: u32,
}

/// Requests the forge still answers in this window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    pub remaining: u64,
    pub limit: u64,
    pub resets: Time,
}

/// Something that waits because the world does not play along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Degraded {
    #[serde(default)]
    pub kind: DegradedKind,
    pub what: String,
    pub why: String,
    /// Since when it is known.
    #[serde(default)]
    pub since: Option<Time>,
    /// The time of the next try, if it is known.
    pub until: Option<Time>,
}

/// The kind of a trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DegradedKind {
    /// The forge does not answer, or has set a limit.
    #[default]
    Forge,
    /// The file is not in force.
    Configuration,
    /// A repository is left out.
    Repository,
    /// Something was to be done and did not get through yet.
    Effects,
    /// The forge refuses to write labels.
    Labels,
    /// Something cannot be read from the forge.
    Reading,
    /// The log loses lines.
    Log,
    /// Our identity on the forge is only remembered.
    Identity,
    /// No sandbox works, so nothing is started.
    Sandbox,
    /// The agents' program fails on every issue.
    Agents,
    /// The limits of an account or the day's budget let less or nothing start.
    Throttle,
    /// The disk has too little room, so nothing is started.
    Disk,
}

/// Does a sandbox keep agents, setup and preflight in?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxState {
    On,
    Off,
    /// Nothing is started.
    Missing,
}

impl DegradedKind {
    pub const ALL: [Self; 12] = [
        Self::Forge,
        Self::Configuration,
        Self::Repository,
        Self::Effects,
        Self::Labels,
        Self::Reading,
        Self::Log,
        Self::Identity,
        Self::Sandbox,
        Self::Agents,
        Self::Throttle,
        Self::Disk,
    ];

    /// As it is called in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forge => "forge",
            Self::Configuration => "configuration",
            Self::Repository => "repository",
            Self::Effects => "effects",
            Self::Labels => "labels",
            Self::Reading => "reading",
            Self::Log => "log",
            Self::Identity => "identity",
            Self::Sandbox => "sandbox",
            Self::Agents => "agents",
            Self::Throttle => "throttle",
            Self::Disk => "disk",
        }
    }
}

impl Degraded {
    #[must_use]
    pub const fn new(kind: DegradedKind, what: String, why: String, until: Option<Time>) -> Self {
        Self { kind, what, why, since: None, until }
    }

    /// The same trouble, whatever is said of it by now?
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        (self.kind, &self.what) == (other.kind, &other.what)
    }
}

impl DaemonStatus {
    /// Has it been silent for too long? Of a daemon that runs that is a bad sign.
    #[must_use]
    pub fn is_stale(&self, now: Time) -> bool {
        now.since(self.heartbeat) > SILENCE_MAX
    }

    /// Puts this in place of what was said before. A reader sees the one or the other, never half.
    pub fn write(&self, home: &Home) -> io::Result<()> {
        let new = home.path().join(format!("daemon.json.{}", self.pid));
        let written = write_private(&new, &serde_json::to_vec(self)?)
            .and_then(|()| fs::rename(&new, home.daemon_status()));
        if written.is_err() {
            // A half-written file is of no use; the error that counts is the one before.
            drop(fs::remove_file(&new));
        }
        written
    }

    /// The report of the present or the last daemon; `None` when there never was one.
    pub fn read(home: &Home) -> io::Result<Option<Self>> {
        let file = match File::open(home.daemon_status()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut text = String::new();
        file.take(FILE_BYTES_MAX).read_to_string(&mut text)?;
        Ok(Some(serde_json::from_str(&text)?))
    }
}

fn write_private(path: &std::path::Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)?.write_all(bytes)
}
