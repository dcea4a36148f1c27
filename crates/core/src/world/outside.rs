//! The outside of an issue: the part that others depend on, such as its place in the queue and what it waits for.

use super::{Place, blocks, edges};
use crate::escalation::Cause;
use crate::ids::{IssueKey, PullNumber};
use crate::issue::{BlockedSource, Issue, Managed, Phase};
use crate::time::Time;
use std::sync::Arc;

/// The part of an issue that others and the indexes depend on; a change of it touches them.
#[derive(PartialEq, Eq)]
pub(super) struct Outside {
    pub(super) is_managed: bool,
    /// Its place in each queue that it is in.
    pub(super) claimable: Option<Place>,
    pub(super) wanting: Option<Place>,
    pub(super) ready: Option<Place>,
    /// The time until which it holds the merge slot.
    pub(super) slot_until: Option<Time>,
    pub(super) claim: Option<Claim>,
    pub(super) is_in_bot: bool,
    /// The slot number that its process uses, if it has one.
    pub(super) slot: Option<u32>,
    pub(super) resolves: Resolves,
    /// True for a pull request, which issues that wait for it have to read.
    pub(super) is_pull: Option<bool>,
    pub(super) as_child: AsChild,
    pub(super) edges: Vec<(IssueKey, bool)>,
    pub(super) blocks: Vec<IssueKey>,
    pub(super) in_line: InLine,
}

/// An issue that Ralph holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// It is read before its first step.
    LookedAt,
    Held,
}

impl Claim {
    fn of(managed: &Managed) -> Option<Self> {
        let claim = if managed.is_looked_at() { Self::LookedAt } else { Self::Held };
        managed.is_claimed().then_some(claim)
    }
}

/// The part of an issue that appears in the prompts of its parent.
#[derive(PartialEq, Eq)]
pub(super) struct AsChild {
    title: Option<Arc<str>>,
    is_satisfied: bool,
    is_in_bot: bool,
    is_done: bool,
    pull: Option<PullNumber>,
}

/// The state of an issue for those who wait for it.
#[derive(PartialEq, Eq)]
pub(super) enum Resolves {
    /// Never read.
    Unknown,
    /// Never read, and the forge has said once that it does not exist.
    Absent,
    /// It does not exist.
    Missing,
    Open,
    InBot,
    Done,
    /// Closed or satisfied: it blocks no issue.
    Clear,
}

/// The part of an issue in a circle of issues that wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InLine {
    No,
    Waits,
    /// It has reported the circle.
    Told,
}

impl InLine {
    pub(crate) fn of(issue: &Issue) -> Self {
        let Some(managed) = issue.managed.as_deref() else { return Self::No };
        let is_blocked = managed.blocked.as_ref().is_some_and(|b| b.source == BlockedSource::Deps);
        match &managed.phase {
            Phase::Queued | Phase::Parked { .. } if is_blocked => Self::Waits,
            Phase::Escalated { cause: Cause::Cycle(_), .. } => Self::Told,
            Phase::Queued
            | Phase::Parked { .. }
            | Phase::Escalated { .. }
            | Phase::Out
            | Phase::Running { .. }
            | Phase::Stopped { .. }
            | Phase::InBot { .. }
            | Phase::Done { .. } => Self::No,
        }
    }
}

impl Outside {
    pub(super) fn of(key: &IssueKey, issue: &Issue) -> Self {
        let managed = issue.managed.as_deref();
        let phase = managed.map(|managed| &managed.phase);
        let is_in_bot = matches!(phase, Some(Phase::InBot { .. }));
        let is_done = matches!(phase, Some(Phase::Done { .. }));
        let ticks = issue.seen.iter().flat_map(|seen| &seen.blocked_by);
        let ticks = ticks.map(|edge| (edge.on.clone(), edge.ticked));
        // A run keeps the children it began with, whatever people change meanwhile.
        let run = managed.and_then(|managed| managed.run.as_ref());
        let told = run.and_then(|run| run.parent.as_ref()).into_iter().flat_map(|it| &it.children);
        let told = told.map(|child| (child.clone(), false));
        let place = managed.map(|managed| (issue.priority(), managed.queued_at, key.number));
        let place_if =
            |belongs: fn(&Managed) -> bool| place.filter(|_| managed.is_some_and(belongs));
        let slot = |managed: &Managed| managed.run.as_ref().map_or(0, |run| run.slot);
        Self {
            is_managed: managed.is_some(),
            claimable: place_if(Managed::is_claimable),
            wanting: place_if(Managed::wants_slot),
            ready: place_if(Managed::is_at_merge),
            slot_until: managed.and_then(Managed::slot_until),
            claim: managed.and_then(Claim::of),
            is_in_bot,
            slot: managed.filter(|managed| managed.work.is_some()).map(slot),
            resolves: match issue.seen.as_ref().map(|seen| seen.open) {
                _ if issue.satisfied => Resolves::Clear,
                _ if issue.is_missing() && !is_done && !is_in_bot => Resolves::Missing,
                Some(false) => Resolves::Clear,
                None if issue.gone.is_some() => Resolves::Absent,
                None => Resolves::Unknown,
                Some(true) if is_done => Resolves::Done,
                Some(true) if is_in_bot => Resolves::InBot,
                Some(true) => Resolves::Open,
            },
            is_pull: issue.seen.as_ref().and_then(|seen| seen.is_pull),
            as_child: AsChild {
                title: issue.seen.as_ref().map(|seen| Arc::clone(&seen.title)),
                is_satisfied: issue.satisfied,
                is_in_bot,
                is_done,
                pull: run.and_then(|run| run.pull),
            },
            in_line: InLine::of(issue),
            blocks: blocks(issue).cloned().collect(),
            edges: edges(issue).map(|on| (on.clone(), false)).chain(ticks).chain(told).collect(),
        }
    }

    /// Returns the values that admission depends on.
    pub(super) const fn in_queue(&self) -> (Option<Place>, Option<Place>, bool, Option<Claim>) {
        (self.claimable, self.wanting, self.slot.is_some(), self.claim)
    }

    /// Returns the values that the order of merges depends on.
    pub(super) const fn merging(&self) -> (Option<Place>, Option<Time>) {
        (self.ready, self.slot_until)
    }
}
