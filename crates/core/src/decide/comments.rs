//! Ralph's comments: each has its own slot, exists once, and is edited when its text changes.

use super::{Context, Decision, lanes};
use crate::digest::Digest;
use crate::effect::IssueAct;
use crate::ids::CommentId;
use crate::issue::{Phase, Slot};
use crate::repo::Refusal;
use crate::steps;
use crate::time::Time;
use crate::words;

/// The number of deletions by people after which a comment is left alone.
const DELETIONS_MAX: u32 = 3;
/// The number of refusals in a row after which whatever depends on a comment continues without it. The comment itself
/// is tried again for as long as it is desired.
const REFUSALS_MAX: u32 = 3;

/// The write that makes a comment say what it should.
enum Write {
    Nothing,
    Act(IssueAct),
    /// The forge refused it: it is tried again then.
    Later(Time),
}

pub(crate) fn want(cx: &Context<'_>, decision: &mut Decision) {
    // Nothing can be written on an issue that is gone.
    if cx.issue.gone.is_some_and(|gone| gone.is_certain) {
        return;
    }
    for (slot, body) in wanted(cx) {
        match write(cx, slot, body) {
            Write::Nothing => {}
            Write::Act(act) => decision.effects.push(cx.on_issue(act)),
            Write::Later(at) => decision.look_again(at),
        }
    }
}

/// True if the result of the latest command was posted, or cannot be posted now.
pub(crate) fn is_answered(cx: &Context<'_>) -> bool {
    command_result(cx).is_none_or(|body| !matches!(write(cx, Slot::Command, body), Write::Act(_)))
}

/// The forge's refusal of the comment that asks a person for help.
pub(crate) fn untold(cx: &Context<'_>, episode: u32) -> Option<Refusal> {
    let posted = cx.managed.comments.get(&Slot::Escalation { episode })?;
    posted.refusal.clone().filter(|_| posted.id.is_none())
}

/// The comment that says exactly this, if it is known to exist.
pub(crate) fn written(cx: &Context<'_>, slot: &Slot, body: &str) -> Option<CommentId> {
    let posted = cx.managed.comments.get(slot)?;
    posted.id.filter(|_| posted.body == Digest::of(body))
}

/// True if it was refused or deleted so often that whatever depends on it continues without it.
pub(crate) fn is_given_up(cx: &Context<'_>, slot: &Slot) -> bool {
    let Some(posted) = cx.managed.comments.get(slot) else { return false };
    let refused = posted.refusal.as_ref().map_or(0, |refusal| refusal.times);
    refused >= REFUSALS_MAX || posted.deleted >= DELETIONS_MAX
}

fn wanted(cx: &Context<'_>) -> Vec<(Slot, String)> {
    let mut wanted = Vec::new();
    wanted.extend(command_result(cx).map(|body| (Slot::Command, body)));
    if let Phase::Escalated { cause, episode } = &cx.managed.phase {
        let operator = cx.policy.operator_of(&cx.key.repo);
        let red_checks = cx.run().map_or(&[][..], |run| &run.red_checks);
        let reviews: Vec<_> = cx.run().into_iter().flat_map(|run| run.gates.excerpts()).collect();
        let (lanes, can_replan) = (&cx.managed.lanes, cx.managed.sync.is_none());
        let tried = words::Tried { red_checks, lanes, reviews: &reviews, can_replan };
        let body = words::escalation(cx.key, *episode, cause, &operator, &tried);
        wanted.push((Slot::Escalation { episode: *episode }, body));
    }
    wanted.extend(steps::parent_comment(cx));
    if tells_of_lanes(cx) {
        wanted.extend(cx.managed.lanes.iter().filter_map(|(lane, book)| {
            let run = cx.run()?;
            let limit = cx.rules.limits.of(lane.bound());
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

/// True if lanes are reported. A stopped or paused issue gets only its labels and its result. A sync pull request that
/// has left the lane still gets the outcome of its conflict.
const fn tells_of_lanes(cx: &Context<'_>) -> bool {
    match cx.managed.phase {
        Phase::Running { .. } => !cx.managed.is_paused,
        Phase::Escalated { .. } | Phase::InBot { .. } | Phase::Done { .. } => true,
        Phase::Out => cx.managed.sync.is_some(),
        Phase::Queued | Phase::Parked { .. } | Phase::Stopped { .. } => false,
    }
}

fn write(cx: &Context<'_>, slot: Slot, body: String) -> Write {
    let Some(posted) = cx.managed.comments.get(&slot) else {
        return Write::Act(IssueAct::CreateComment { slot, body });
    };
    let refused_until = posted.refusal.as_ref().map(|refusal| refusal.until);
    match posted.id {
        _ if posted.deleted >= DELETIONS_MAX => Write::Nothing,
        Some(_) if posted.is_recalled && matches!(slot, Slot::Escalation { .. }) => Write::Nothing,
        Some(_) if posted.body == Digest::of(&body) => Write::Nothing,
        None | Some(_) if refused_until.is_some_and(|until| until > cx.now) => {
            Write::Later(refused_until.unwrap_or(cx.now))
        }
        None => Write::Act(IssueAct::CreateComment { slot, body }),
        Some(id) => Write::Act(IssueAct::EditComment { slot, id, body }),
    }
}
