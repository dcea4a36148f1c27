//! The pull request of an issue and its checks.

use super::Reading;
use crate::ports::{Forge, Read};
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{IssueKey, PullNumber};

pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    number: PullNumber,
    forge: &mut dyn Forge,
) -> Read<()> {
    let Some(pull) = forge.pull(&key.repo, number)? else { return Ok(()) };
    let checks = forge.checks(&key.repo, &pull.head)?;
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Pull(pull))));
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Checks(checks))));
    Ok(())
}
