//! Pull requests and their checks: those of issues, and those that Ralph opens for a repository.

use super::{Reading, tell};
use crate::ports::{Forge, Read, Unread};
use ralph_core::fact::{Fact, Observation, RepoObservation, What};
use ralph_core::ids::{IssueKey, PullNumber, RepoName};
use ralph_core::pull::Pull;
use ralph_core::words;

pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    number: PullNumber,
    forge: &mut dyn Forge,
) -> Read<()> {
    let pull = shown(&key.repo, number, forge)?;
    let head = pull.head.clone();
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Pull(pull))));
    let checks = forge.checks(&key.repo, &head)?;
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Checks(checks))));
    Ok(())
}

/// Reads a sync pull request or that of a trial build; `seen_as` says which. It counts even if its checks cannot be
/// read.
pub(super) fn of_repo(
    reading: &mut Reading,
    (repo, number): (&RepoName, PullNumber),
    seen_as: fn(Pull) -> RepoObservation,
    forge: &mut dyn Forge,
) -> Read<()> {
    let pull = shown(repo, number, forge)?;
    let (checks, unread) = match forge.checks(repo, &pull.head) {
        Ok(checks) => (Some(checks), Ok(())),
        Err(unread) => (None, Err(unread)),
    };
    tell(reading, repo, seen_as(Pull { checks, ..pull }));
    unread
}

/// Reads a pull request that Ralph knows of. If there is none with its number, the read fails.
pub(super) fn shown(repo: &RepoName, number: PullNumber, forge: &mut dyn Forge) -> Read<Pull> {
    let pull = forge.pull(repo, number)?;
    pull.ok_or_else(|| Unread::refused(words::no_such_pull(repo, number)))
}
