//! The way to the default branch: one rollup at a time, opened when it is due, for the changes in the bot branch.

use super::super::Decision;
use super::RepoContext;
use crate::digest::Digest;
use crate::effect::RepoAct;
use crate::ids::{IssueKey, RepoName};
use crate::issue::Phase;
use crate::repo::Branches;
use crate::standing::SyncStanding;
use crate::words::{self, RollupMember};
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
            | SyncStanding::Resolving { .. }
            | SyncStanding::Declined,
        )
        | None => None,
    };
    let body = words::rollup_body(cx.name, batch.number, &members, first);
    if let Some(open) = &batch.rollup {
        let is_due = open.body != Digest::of(&body);
        let section_of = open.is_adopted.then(|| cx.rules.bot_branch.clone());
        return is_due.then_some(RepoAct::EditRollup { pull: open.number, body, section_of });
    }
    let idle_at = batch.last_joined.plus(cx.rules.rollup_idle);
    let is_full = members.len() >= usize::try_from(cx.rules.rollup_size).unwrap_or(usize::MAX);
    if !is_full && idle_at > cx.now {
        decision.look_again(idle_at);
        return None;
    }
    (!batch.awaits_new_member).then(|| RepoAct::OpenRollup {
        batch: batch.number,
        head: cx.rules.bot_branch.clone(),
        base: branches.default.clone(),
        title: words::rollup_title(batch.number, &cx.rules.bot_branch, &branches.default),
        body,
    })
}

/// The issues that are part of this rollup, with their pull requests.
fn members<'a>(world: &'a World, name: &RepoName, batch: u32) -> Vec<RollupMember<'a>> {
    let numbers = world.queues(name).into_iter().flat_map(|queues| &queues.in_bot);
    let in_batch = |issue: u64| match phase_of(world, name, issue)? {
        Phase::InBot { pull, batch: of, manual_checks, .. } if *of == batch => {
            Some(RollupMember { issue, pull: *pull, manual_checks })
        }
        Phase::InBot { .. }
        | Phase::Out
        | Phase::Queued
        | Phase::Running { .. }
        | Phase::Parked { .. }
        | Phase::Escalated { .. }
        | Phase::Stopped { .. }
        | Phase::Done { .. } => None,
    };
    numbers.copied().filter_map(in_batch).collect()
}

fn phase_of<'a>(world: &'a World, name: &RepoName, issue: u64) -> Option<&'a Phase> {
    let issue = world.issue(&IssueKey::new(name.clone(), issue))?;
    issue.managed.as_deref().map(|managed| &managed.phase)
}
