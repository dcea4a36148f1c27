//! Comments of ours: each has a slot of its own, exists once, and is edited when what it says has changed.

use super::{Context, Decision, lanes};
use crate::digest::Digest;
use crate::effect::IssueAct;
use crate::ids::CommentId;
use crate::issue::{Phase, Slot};
use crate::repo::Refusal;
use crate::steps;
use crate::time::Time;
use crate::words;

/// Deletions of one comment by people before it is left alone.
const DELETIONS_MAX: u32 = 3;
/// Refusals of one comment in a row before what depends on it goes on without it. The comment itself is asked for
/// again for as long as it is wanted.
const REFUSALS_MAX: u32 = 3;

/// What is to be done for a comment to say what it should.
enum Write {
    Nothing,
    Act(IssueAct),
    /// The forge refuses it: it is asked again then.
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

/// Was the latest command's result told, or can it not be told now?
pub(crate) fn is_answered(cx: &Context<'_>) -> bool {
    command_result(cx).is_none_or(|body| !matches!(write(cx, Slot::Command, body), Write::Act(_)))
}

/// The forge refuses the comment that asks a person for help.
pub(crate) fn untold(cx: &Context<'_>, episode: u32) -> Option<Refusal> {
    let posted = cx.managed.comments.get(&Slot::Escalation { episode })?;
    posted.refusal.clone().filter(|_| posted.id.is_none())
}

/// The comment that says exactly this, if it is known to be there.
pub(crate) fn written(cx: &Context<'_>, slot: &Slot, body: &str) -> Option<CommentId> {
    let posted = cx.managed.comments.get(slot)?;
    posted.id.filter(|_| posted.body == Digest::of(body))
}

/// Was it refused or deleted so often that what depends on it goes on without it?
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
        let tried = words::Tried { red_checks, lanes: &cx.managed.lanes, reviews: &reviews };
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

/// A stopped or paused issue gets nothing but its labels and its result. A sync pull request that the lane is through with
/// is told what became of its conflict.
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
