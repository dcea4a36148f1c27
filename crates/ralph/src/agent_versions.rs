//! The versions of agents' programs, and whether they were tried with this Ralph.

use crate::config::{AgentKind, Config};
use crate::process::ask;
use ralph_core::job::Role;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex, PoisonError};

/// The version of a program whose kind has a tested range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Version {
    Tested(String),
    /// Older than the oldest that was tried.
    Old(String),
    /// Newer than the newest that was tried.
    New(String),
    /// The program does not tell it.
    Untold,
}

impl Version {
    /// Asks the program. `None`: no versions of this kind are known, and the program is not started.
    pub(crate) fn ask(program: &str, kind: AgentKind, path: &OsStr) -> Option<Self> {
        let tested = kind.tested()?;
        let said = ask(program, &["--version"], Some(path)).ok().filter(|said| said.is_success);
        Some(Self::read(said.as_ref().map_or("", |said| &said.stdout), tested))
    }

    /// The first word of an answer that begins with a number.
    fn read(said: &str, (oldest, newest): (&str, &str)) -> Self {
        let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
        let Some(found) = said.split_whitespace().find(is_version) else { return Self::Untold };
        let (found, number) = (found.to_owned(), numbers(found));
        match (number < numbers(oldest), number > numbers(newest)) {
            (true, _) => Self::Old(found),
            (false, true) => Self::New(found),
            (false, false) => Self::Tested(found),
        }
    }

    pub(crate) fn number(&self) -> Option<&str> {
        match self {
            Self::Tested(found) | Self::Old(found) | Self::New(found) => Some(found),
            Self::Untold => None,
        }
    }

    /// The warning about a version outside of the tested range.
    pub(crate) fn warning(&self, kind: AgentKind) -> Option<String> {
        let (oldest, newest) = kind.tested()?;
        match self {
            Self::Old(_) | Self::New(_) => {
                Some(format!("versions {oldest} to {newest} were tried with this Ralph"))
            }
            Self::Tested(_) | Self::Untold => None,
        }
    }
}

fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

/// One warning for each program that has a version outside of the tested range.
fn untested(config: &Config, path: &OsStr) -> Vec<String> {
    let agents = Role::ALL.map(|role| config.agent(role.name()));
    let programs: BTreeSet<(String, AgentKind)> = agents
        .iter()
        .filter_map(|agent| Some((agent.command().first()?.clone(), agent.kind)))
        .collect();
    let warning = |(program, kind): (String, AgentKind)| {
        let version = Version::ask(&program, kind, path)?;
        let warning = version.warning(kind)?;
        Some(format!("`{program}` has version {}; {warning}", version.number()?))
    };
    programs.into_iter().filter_map(warning).collect()
}

/// The warnings while a daemon runs. Programs take a second to tell their version, so nobody waits for them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    /// Asks the programs of these settings.
    pub(crate) fn look(&self, config: &Config, path: OsString) {
        let (config, warnings) = (config.clone(), self.0.clone());
        let thread = std::thread::Builder::new().name("versions of agents".to_owned());
        // Without the thread nobody is warned, and nothing else is different.
        drop(thread.spawn(move || {
            let found = untested(&config, &path);
            *warnings.lock().unwrap_or_else(PoisonError::into_inner) = found;
        }));
    }

    pub(crate) fn get(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_the_words_of_each_program() {
        for (said, found) in [
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("codex-cli 0.166.0\n", Some("0.166.0")),
            ("1.18.33\n", Some("1.18.33")),
            ("unknown\n", None),
        ] {
            assert_eq!(Version::read(said, ("0.1", "9")).number(), found, "{said:?}");
        }
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let read = |found: &str| Version::read(found, ("2.1.9", "2.1.10"));
        assert_eq!(read("2.1.8"), Version::Old("2.1.8".to_owned()));
        assert_eq!(read("2.1.9"), Version::Tested("2.1.9".to_owned()));
        assert_eq!(read("2.1.10"), Version::Tested("2.1.10".to_owned()));
        assert_eq!(read("2.1.11"), Version::New("2.1.11".to_owned()));
        assert_eq!(read("10.0"), Version::New("10.0".to_owned()));
    }
}
