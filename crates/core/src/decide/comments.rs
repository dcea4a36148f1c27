//! Comments of ours: each has a slot of its own, exists once, and is edited when what it says has changed.

use super::{Context, Decision, lanes, parent};
use crate::digest::Digest;
use crate::effect::IssueAct;
use crate::ids::CommentId;
use crate::issue::{Phase, Slot};
use crate::words;

/// Refusals of one comment, or deletions of it by people, before it is left alone.
const COMMENT_REFUSALS_MAX: u32 = 3;

pub(super) fn want(cx: &Context<'_>, decision: &mut Decision) {
    let acts = wanted(cx).into_iter().filter_map(|(slot, body)| write(cx, slot, body));
    decision.effects.extend(acts.map(|act| cx.on_issue(act)));
}

/// Was the latest command's result told, or can it not be told?
pub(super) fn is_answered(cx: &Context<'_>) -> bool {
    command_result(cx).is_none_or(|body| write(cx, Slot::Command, body).is_none())
}

/// The comment that says exactly this, if it is known to be there.
pub(super) fn written(cx: &Context<'_>, slot: &Slot, body: &str) -> Option<CommentId> {
    let posted = cx.managed.comments.get(slot)?;
    posted.id.filter(|_| posted.body == Digest::of(body))
}

/// Was it refused or deleted as often as it may be?
pub(super) fn is_given_up(cx: &Context<'_>, slot: &Slot) -> bool {
    let posted = cx.managed.comments.get(slot);
    posted.is_some_and(|posted| posted.refused >= COMMENT_REFUSALS_MAX)
}

fn wanted(cx: &Context<'_>) -> Vec<(Slot, String)> {
    let mut wanted = Vec::new();
    wanted.extend(command_result(cx).map(|body| (Slot::Command, body)));
    if let Phase::Escalated { cause, episode } = &cx.managed.phase {
        let operator = cx.policy.operator_of(&cx.key.repo);
        let red_checks = cx.run().map_or(&[][..], |run| &run.red_checks);
        let tried = words::Tried { red_checks, lanes: &cx.managed.lanes };
        let body = words::escalation(cx.key, *episode, cause, &operator, &tried);
        wanted.push((Slot::Escalation { episode: *episode }, body));
    }
    wanted.extend(parent::comment(cx));
    if tells_of_lanes(cx) {
        wanted.extend(cx.managed.lanes.iter().filter_map(|(lane, book)| {
            let run = cx.run()?;
            let limit = cx.rules.limits.attempts_of(lane);
            let (branch, base) = (&run.branch, &cx.rules.bot_branch);
            let place = words::LanePlace { pull: run.pull, branch, base, limit };
            let body = words::lane_comment(cx.key, lane, book, &place, lanes::state(cx, lane));
            Some((Slot::Lane { lane }, body))
        }));
    }
    if cx.managed.was_adopted {
        wanted.push((Slot::Adopted, words::adopted(cx.key)));
    }
    wanted
}

fn command_result(cx: &Context<'_>) -> Option<String> {
    let result = cx.managed.commands.last.as_ref()?;
    Some(words::command_result(cx.key, result))
}

/// A stopped or paused issue gets nothing but its labels and its result.
const fn tells_of_lanes(cx: &Context<'_>) -> bool {
    match cx.managed.phase {
        Phase::Running { .. } => !cx.managed.is_paused,
        Phase::Escalated { .. } | Phase::InBot { .. } | Phase::Done { .. } => true,
        Phase::Out | Phase::Queued | Phase::Parked { .. } | Phase::Stopped { .. } => false,
    }
}

fn write(cx: &Context<'_>, slot: Slot, body: String) -> Option<IssueAct> {
    let Some(posted) = cx.managed.comments.get(&slot) else {
        return Some(IssueAct::CreateComment { slot, body });
    };
    if posted.refused >= COMMENT_REFUSALS_MAX {
        return None;
    }
    match posted.id {
        None => Some(IssueAct::CreateComment { slot, body }),
        Some(_) if posted.body == Digest::of(&body) => None,
        Some(id) => Some(IssueAct::EditComment { slot, id, body }),
    }
}
