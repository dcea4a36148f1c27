//! Issues that the store does not know. A status label of Ralph's on them counts as true; a queued label is a command,
//! whose author is looked up first.

use super::{Context, Decision};
use crate::fact::{Move, Subject};
use crate::fold::READ_LAG;
use crate::ids::IssueKey;
use crate::issue::{Issue, Phase};
use crate::label::{self, ManagedLabel, Status};
use crate::policy::Policy;
use crate::watch::{Pace, Resource, Watch};

/// Decides for an issue that is not managed.
pub(super) fn decide(key: &IssueKey, issue: &Issue, policy: &Policy) -> Decision {
    let mut decision = Decision::nothing(Subject::Issue(key.clone()));
    if policy.repo(&key.repo).is_none() {
        return decision;
    }
    let is_commanded =
        issue.labels().any(|name| matches!(label::parse(name), Some(ManagedLabel::Command(_))));
    if !issue.is_open() {
        // The command is refused, and its author has to learn that.
        if is_commanded || label::adopted_status(issue.labels()) == Some(Status::Queued) {
            watch_commands(key, &mut decision);
        }
        return decision;
    }
    match label::adopted_status(issue.labels()) {
        Some(Status::Queued) => watch_commands(key, &mut decision),
        // A merge that a label claims has to be found first.
        Some(Status::InBot | Status::Done) if issue.found.is_none() => {
            let resource = Resource::Evidence(key.clone());
            decision.watch.push(Watch { resource, pace: Pace::Soon });
        }
        Some(status) => decision.moves.push(Move::Adopted { status }),
        None if is_commanded => watch_commands(key, &mut decision),
        None => {}
    }
    decision
}

fn watch_commands(key: &IssueKey, decision: &mut Decision) {
    decision.watch.push(Watch { resource: Resource::Commands(key.clone()), pace: Pace::Soon });
}

/// Adopts an issue whose queued label no person's event explains: Ralph set it, and this store has no record of that.
pub(super) fn unexplained(cx: &Context<'_>) -> Option<Move> {
    let is_new = cx.managed.run.is_none() && cx.managed.commands.last.is_none();
    // A sync pull request is taken up because it conflicts, never because of a label that was left on it.
    let is_out = cx.managed.phase == Phase::Out && cx.issue.is_open() && cx.managed.sync.is_none();
    let is_known = queued_label_is_explained(cx);
    (is_new && is_out && is_known).then_some(Move::Adopted { status: Status::Queued })
}

/// True if the label events were read late enough to show who added the present queued label.
pub(super) fn queued_label_is_explained(cx: &Context<'_>) -> bool {
    let seen_at = cx.managed.labels.queued_seen_at;
    let read_at = cx.managed.commands.read_at;
    seen_at.zip(read_at).is_some_and(|(seen, read)| read >= seen.plus(READ_LAG))
}
