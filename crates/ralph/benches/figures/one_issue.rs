//! One issue from its label to the default branch, with an agent that commits at once. The owner merges the
//! rollup as soon as the forge allows it.

use crate::place::{Agent, Place};
use crate::process::Running;
use crate::{Outcome, clock, wait};
use std::time::{Duration, Instant};

/// Commits when it is to implement, and says yes otherwise.
pub(crate) const SCRIPT: &str = include_str!("agent.sh");
pub(crate) const AGENT: Agent<'_> = Agent::Script(SCRIPT);
const PATIENCE: Duration = Duration::from_secs(120);

/// The times of the events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IssueRun {
    pub(crate) number: u64,
    pub(crate) labelled: Instant,
    pub(crate) done: Instant,
}

/// Opens an issue, asks for it, and waits until it is done and nothing is left to do about it.
pub(crate) fn run(place: &mut Place, daemon: &mut Running) -> Outcome<IssueRun> {
    let repo = place.owner.repo().to_owned();
    let issue = place.owner.client.open_issue(&repo, "Write a page", "One page.", &[])?;
    let number = issue.number;
    let labelled = clock::now();
    place.owner.client.add_label(&repo, number, "ralph:status:queued")?;
    let mut has_merged = false;
    let done = wait::until("an issue is done", PATIENCE, || {
        if daemon.has_ended()? {
            return Err(format!("the daemon ended by itself:\n{}", place.log()).into());
        }
        let status = place.status()?;
        let of_issue = status.issues.iter().find(|issue| issue.number == number);
        match of_issue.and_then(|issue| issue.status.as_deref()) {
            Some("in-bot") if !has_merged => {
                has_merged = place.owner.merge_rollup()?.is_some();
                Ok(None)
            }
            Some("done") if status.outbox.is_empty() => Ok(Some(clock::now())),
            Some("escalated") => {
                let says = of_issue.map(|issue| issue.says.clone()).unwrap_or_default();
                Err(format!("the issue was escalated: {says}").into())
            }
            Some(_) | None => Ok(None),
        }
    })?;
    Ok(IssueRun { number, labelled, done })
}
