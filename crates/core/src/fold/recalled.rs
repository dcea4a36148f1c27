//! Adds the results of a look-up to an issue whose record may be older than what was done. Only gaps are filled: what
//! is known stays.

use crate::escalation::Cause;
use crate::issue::{Issue, Managed, Phase, Posted, Slot, StopReason};
use crate::label::Status;
use crate::recall::{Recalled, RecalledComment};
use crate::repo::Repo;
use crate::run::Run;
use crate::time::Time;

pub(super) fn fold(now: Time, found: &Recalled, issue: &mut Issue, repo: &Repo) {
    let recalled = issue.recalled.replace(now);
    let Some(managed) = issue.managed.as_mut() else { return };
    let is_certain = repo.mark.outdated.is_some_and(|outdated| outdated.is_certain_of(recalled))
        || is_proof(found, managed);
    for comment in &found.comments {
        remember(managed, comment);
    }
    if let Some(run) = managed.run.as_mut().filter(|run| run.pull.is_none()) {
        run.pull = found.pull;
    }
    if !is_certain {
        return;
    }
    managed.commands.taken_in.up_to(found.heeded_up_to);
    let is_other = found.status.is_some() && found.status != managed.status();
    match found.status.filter(|_| is_other) {
        // A merge or an end that a label claims is adopted on evidence, like that of an unknown issue.
        Some(Status::InBot | Status::Done) => issue.managed = None,
        Some(Status::Escalated) => {
            let episode = managed.episodes.max(1);
            managed.episodes = episode;
            enter(now, managed, Phase::Escalated { cause: Cause::Inherited, episode });
        }
        Some(Status::Stopped) => {
            enter(now, managed, Phase::Stopped { why: StopReason::Adopted });
        }
        Some(Status::Paused) => managed.is_paused = true,
        Some(Status::Queued | Status::InProgress) | None => {}
    }
}

/// True if the forge has something of Ralph's that this store has never tried to make.
fn is_proof(found: &Recalled, managed: &Managed) -> bool {
    let is_unknown = |comment: &RecalledComment| match comment.slot {
        Slot::Escalation { episode } => episode > managed.episodes,
        Slot::Command => managed.commands.last.is_none(),
        Slot::Adopted | Slot::Verify | Slot::Lane { .. } => false,
    };
    let never_pushed = |run: &Run| run.pull.is_none() && run.pushed.is_none();
    let has_pull = found.pull.is_some() && managed.run.as_ref().is_some_and(never_pushed);
    has_pull || found.comments.iter().any(is_unknown)
}

fn remember(managed: &mut Managed, comment: &RecalledComment) {
    if let Slot::Escalation { episode } = comment.slot {
        managed.episodes = managed.episodes.max(episode);
    }
    let new = Posted::unwritten(comment.body, comment.at);
    let posted = managed.comments.entry(comment.slot.clone()).or_insert(new);
    if posted.id.is_none() {
        posted.id = Some(comment.id);
        (posted.body, posted.at, posted.is_recalled) = (comment.body, comment.at, true);
    }
}

fn enter(now: Time, managed: &mut Managed, phase: Phase) {
    managed.phase = phase;
    managed.since = now;
}
