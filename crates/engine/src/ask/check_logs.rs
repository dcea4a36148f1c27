//! The log of a red check. Only the triage of a log is kept, never the log itself.

use super::Reading;
use crate::ports::{Forge, Read};
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{IssueKey, Sha};
use ralph_core::triage::{RedCheck, triage};

pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    head: &Sha,
    name: &str,
    forge: &mut dyn Forge,
) -> Read<()> {
    let Some(log) = forge.check_log(&key.repo, head, name)? else { return Ok(()) };
    let check = RedCheck { name, conclusion: &log.conclusion, log: &log.text };
    let (head, triage) = (head.clone(), Box::new(triage(&check)));
    let seen = Observation::RedCheck { head, triage, of: log.of };
    reading.facts.push(Fact::of(key.clone(), What::Seen(seen)));
    Ok(())
}
