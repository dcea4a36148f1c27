//! The way to the default branch: one rollup at a time, when it is due, with whoever is in it.

use super::super::Decision;
use super::RepoContext;
use crate::digest::Digest;
use crate::effect::RepoAct;
use crate::ids::{IssueKey, PullNumber, RepoName};
use crate::issue::Phase;
use crate::repo::Branches;
use crate::standing::SyncStanding;
use crate::words;
use crate::world::World;

pub(super) fn want(
    cx: &RepoContext<'_>,
    branches: &Branches,
    sync: Option<&SyncStanding>,
    decision: &mut Decision,
) -> Option<RepoAct> {
    let batch = &cx.repo.batch;
    let members = members(cx.world, cx.name, batch.number);
    if members.is_empty() {
        return None;
    }
    let first = match sync {
        Some(SyncStanding::NeedsPerson { pull, .. }) => Some(*pull),
        Some(
            SyncStanding::Comparing
            | SyncStanding::Opening
            | SyncStanding::Open { .. }
            | SyncStanding::Declined,
        )
        | None => None,
    };
    let body = words::rollup_body(cx.name, batch.number, &members, first);
    if let Some(open) = &batch.rollup {
        let is_due = open.body != Digest::of(&body);
        return is_due.then_some(RepoAct::EditRollup { pull: open.number, body });
    }
    let idle_at = batch.last_joined.plus(cx.rules.rollup_idle);
    let is_full = members.len() >= usize::try_from(cx.rules.rollup_batch).unwrap_or(usize::MAX);
    if !is_full && idle_at > cx.now {
        decision.look_again(idle_at);
        return None;
    }
    (!batch.awaits_new_member).then(|| RepoAct::OpenRollup {
        batch: batch.number,
        head: cx.rules.bot_branch.clone(),
        base: branches.default.clone(),
        title: words::rollup_title(batch.number, members.len()),
        body,
    })
}

/// Issues and pull requests that are part of this batch.
fn members(world: &World, name: &RepoName, batch: u32) -> Vec<(IssueKey, PullNumber)> {
    let numbers = world.queues(name).into_iter().flat_map(|queues| &queues.in_bot);
    let keys = numbers.map(|number| IssueKey::new(name.clone(), *number));
    let in_batch = |key: IssueKey| match world.issue(&key)?.managed.as_deref()?.phase {
        Phase::InBot { pull, batch: of, .. } if of == batch => Some((key, pull)),
        Phase::InBot { .. }
        | Phase::Out
        | Phase::Queued
        | Phase::Running { .. }
        | Phase::Parked { .. }
        | Phase::Escalated { .. }
        | Phase::Stopped { .. }
        | Phase::Done { .. } => None,
    };
    keys.filter_map(in_batch).collect()
}
