//! The operator's settings while the daemon runs. The file is looked at; a good one comes into force, a bad one
//! is reported and changes nothing.

use super::{Daemon, Event, ports};
use crate::config::{Config, ConfigError};
use crate::daemon_status::{Degraded, DegradedKind};
use ralph_core::time::{Span, Time};
use ralph_engine::EngineError;
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

/// The time between two looks at the file: the longest that a person who has just saved it should wait.
const LOOK: Span = Span::from_secs(2);
/// Problems of a file that are repeated in one line; `ralph doctor` shows them all.
const PROBLEMS_REPORTED_MAX: usize = 3;

/// The marks by which a changed file is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: (i64, i64),
    bytes: u64,
    inode: u64,
}

/// The settings in force, and the file they come from.
#[derive(Debug)]
pub(super) struct Settings {
    file: PathBuf,
    /// The file as it was last read; `None` when it was not there.
    read: Option<Stamp>,
    /// The file as it was last looked at: one that is being written is not read yet.
    seen: Option<Stamp>,
    looked: Time,
    /// The settings at the start. Those that need a restart are in force until then.
    started: Config,
    pub(super) current: Config,
    /// Settings that are in the file and come into force after a restart.
    pub(super) restart_needed: Vec<String>,
    /// The reason why the file is not in force, and since when.
    pub(super) refused: Option<(String, Time)>,
}

impl Settings {
    pub(super) fn new(file: PathBuf, config: Config, now: Time) -> Self {
        // The file may have changed since it was read for the start, so it is read again.
        Self {
            file,
            read: None,
            seen: None,
            looked: now,
            started: config.clone(),
            current: config,
            restart_needed: Vec::new(),
            refused: None,
        }
    }

    pub(super) fn degraded(&self) -> Option<Degraded> {
        let (why, since) = self.refused.clone()?;
        let what = self.file.display().to_string();
        let found = Degraded::new(DegradedKind::Configuration, what, why, None);
        Some(Degraded { since: Some(since), ..found })
    }

    pub(super) const fn next_look(&self) -> Time {
        self.looked.plus(LOOK)
    }

    /// Looks at the file. Returns whether it was written to since it was read and the writing is over.
    fn check_due(&mut self, now: Time) -> bool {
        if now < self.next_look() {
            return false;
        }
        self.looked = now;
        let stamp = stamp(&self.file);
        let is_at_rest = stamp == self.seen;
        self.seen = stamp;
        is_at_rest && stamp != self.read
    }

    fn read(&mut self) -> Result<Config, Unusable> {
        self.read = stamp(&self.file);
        self.seen = self.read;
        let config = Config::load(&self.file).map_err(Unusable::Wrong)?;
        if config.has_agent_for_all() { Ok(config) } else { Err(Unusable::NoAgent) }
    }
}

/// The reason why a file does not come into force.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("{}", sentence(.0))]
    Wrong(ConfigError),
    #[error("there is no agent to work with; set `command` in [agent]")]
    NoAgent,
}

fn stamp(file: &PathBuf) -> Option<Stamp> {
    let found = std::fs::metadata(file).ok()?;
    let modified = (found.mtime(), found.mtime_nsec());
    Some(Stamp { modified, bytes: found.size(), inode: found.ino() })
}

/// The first problems in one line.
fn sentence(error: &ConfigError) -> String {
    let problems = error.problems();
    let reported: Vec<_> =
        problems.iter().take(PROBLEMS_REPORTED_MAX).map(ToString::to_string).collect();
    let more = match problems.len().saturating_sub(PROBLEMS_REPORTED_MAX) {
        0 => String::new(),
        more => format!("; and {more} more, which `ralph doctor` shows"),
    };
    if reported.is_empty() {
        error.to_string()
    } else {
        format!("{error}: {}{more}", reported.join("; "))
    }
}

impl Daemon {
    pub(super) fn look_at_settings(&mut self, now: Time) -> Result<(), EngineError> {
        if self.settings.check_due(now) { self.reload(now) } else { Ok(()) }
    }

    /// Reads the file. What was in force stays so if it is not good.
    pub(super) fn reload(&mut self, now: Time) -> Result<(), EngineError> {
        let read = self.settings.read();
        self.counts.reload(read.is_ok());
        match read {
            Ok(config) => self.take_settings(now, config),
            Err(why) => {
                let reported = format!("the configuration stays as it was: {why}");
                self.events.emit(Event::Note(&reported));
                let since = self.settings.refused.take().map_or(now, |(_, since)| since);
                self.settings.refused = Some((why.to_string(), since));
                Ok(())
            }
        }
    }

    fn take_settings(&mut self, now: Time, config: Config) -> Result<(), EngineError> {
        let is_same = self.settings.refused.take().is_none() && config == self.settings.current;
        self.outside.configured(&self.settings.current, &config, now);
        self.adapters.replace(
            ports::agents(&config, &self.variables),
            ports::gates(&config, &self.variables),
        );
        let path = self.variables.get(OsStr::new("PATH")).cloned();
        self.agent_versions.look(&config, path.unwrap_or_default());
        self.settings.restart_needed = config.changes_for_restart(&self.settings.started);
        self.settings.current = config;
        self.apply_policy(now)?;
        if is_same {
            return Ok(());
        }
        self.events.emit(Event::Note("the configuration was read again and is in force"));
        if !self.settings.restart_needed.is_empty() {
            let names = self.settings.restart_needed.join(", ");
            let reported = format!("in force after a restart only: {names}");
            self.events.emit(Event::Note(&reported));
        }
        Ok(())
    }

    /// Brings the engine to the settings in force, without the repositories nothing can be done in.
    pub(super) fn apply_policy(&mut self, now: Time) -> Result<(), EngineError> {
        let known = self.engine.policy();
        let (bot, worktrees) = (known.bot.clone(), known.worktrees.clone());
        let mut policy = self.settings.current.policy(bot, worktrees, known.draining);
        self.outside.exclude(&mut policy);
        policy.has_no_sandbox = known.has_no_sandbox;
        policy.is_short_of_disk = known.is_short_of_disk;
        policy.instance.clone_from(&known.instance);
        if policy == *known {
            return Ok(());
        }
        self.engine.set_policy(now, policy)?;
        // Commands may have waited for a repository that is there now.
        self.engine.take_inbox(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const GOOD: &str = "[agent]\ncommand = [\"true\"]\n";

    fn settings() -> (tempfile::TempDir, Settings) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        fs::write(&file, GOOD).unwrap();
        let config = Config::load(&file).unwrap();
        let mut settings = Settings::new(file, config.clone(), Time(0));
        assert_eq!(settings.read().unwrap(), config);
        (folder, settings)
    }

    /// Returns whether the n-th look finds that the file has to be read.
    fn check_due(settings: &mut Settings, look: i64) -> bool {
        settings.check_due(Time(LOOK.0 * look))
    }

    #[test]
    fn a_file_is_read_once_it_was_written_to_and_lies_still() {
        let (_folder, mut settings) = settings();
        assert!(!check_due(&mut settings, 1));
        fs::write(&settings.file, "max_wor").unwrap();
        assert!(!check_due(&mut settings, 2), "the writing may go on");
        fs::write(&settings.file, format!("max_workers = 3\n{GOOD}")).unwrap();
        assert!(!check_due(&mut settings, 3));
        assert!(check_due(&mut settings, 4));
        assert_eq!(settings.read().unwrap().max_workers, 3);
        assert!(!check_due(&mut settings, 5));
        fs::remove_file(&settings.file).unwrap();
        assert!(!check_due(&mut settings, 6));
        assert!(check_due(&mut settings, 7));
        assert!(
            settings.read().unwrap_err().to_string().starts_with("there is no configuration at")
        );
    }

    #[test]
    fn a_bad_file_is_told_in_one_line_with_its_first_problems() {
        let (_folder, mut settings) = settings();
        for (text, reported) in [
            ("max_workers = 0\n", "has a problem: line 1: "),
            ("a = 1\nb = 2\nc = 3\nd = 4\n", "and 1 more, which `ralph doctor` shows"),
            ("max_workers = 2\n", "there is no agent to work with"),
        ] {
            fs::write(&settings.file, text).unwrap();
            let why = settings.read().unwrap_err().to_string();
            assert!(why.contains(reported), "{why}");
            assert_eq!(why.lines().count(), 1);
        }
    }
}
