//! Merges the pull request into the bot branch: only the head that passed, only while everything still holds.

use super::{StepSpec, checks, publish};
use crate::bound::Bound;
use crate::decide::step::{escalate, last_failure, may_try};
use crate::decide::{Context, Next, behind, lanes, look, sync_lane, unread};
use crate::escalation::Cause;
use crate::fact::{Move, RunMove};
use crate::gate::{Gate, GateStatus};
use crate::ids::{PullNumber, Sha};
use crate::issue::{DoneEvidence, Phase};
use crate::merge_queue;
use crate::pull::{Mergeable, Pull, PullState};
use crate::run::Run;
use crate::standing::Standing;
use crate::time::Span;
use crate::unread::ReadOf;
use crate::watch::{Pace, Resource, Watch};
use crate::words;

/// The time that the forge may take to say whether it can merge a pull request.
const UNDECIDED_MAX: Span = Span::from_mins(10);

pub(crate) const fn is_merged(pull: &Pull) -> bool {
    matches!(pull.state, PullState::Merged { .. })
}

pub(super) static SPEC: StepSpec =
    StepSpec { name: "merge", is_usual: true, is_behind: |_, _| false, next, process: None };

fn next(cx: &Context<'_>, run: &Run) -> Next {
    if run.recipe.is_sync() {
        return sync_lane::is_over(run);
    }
    let by_hand = cx.repo.merge_queue.merged_by_hand(cx.key.number, run);
    if let Some((pull, commit)) = run.pull.zip(by_hand) {
        return Next::Move(merged(cx, pull, commit));
    }
    match ready(cx, run) {
        Ok(pull) => merge_queue::next(cx, run, pull),
        Err(next) => *next,
    }
}

/// Returns the pull request if nothing blocks its merge, otherwise the next step.
pub(crate) fn ready<'a>(cx: &'a Context<'_>, run: &Run) -> Result<&'a Pull, Box<Next>> {
    let pull = pull_as_we_left_it(cx, run)?;
    // The label that allowed it may have been removed since it was published.
    if publish::is_ci_alone(cx, run) {
        return Err(escalate(Cause::CiOnly).into());
    }
    let record = checks::judge(cx, run, pull)?;
    if !record.status.is_satisfied() {
        // A check turned red or was restarted: the gate is pending until the check reports.
        let record = run.judged(Gate::Ci, GateStatus::Pending, &record.reason, cx.now);
        let judged = RunMove::Judged { gate: Gate::Ci, record: record.into() };
        return Err(Next::Move(Move::Run(judged)).into());
    }
    if !may_try(cx, run, Bound::MERGE_REFUSALS) {
        return Err(escalate(Cause::MergeRefused(last_failure(run))).into());
    }
    // Whenever the base moves, the forge has to compute this again.
    let until = checks::deadline(cx, run).max(pull.read_at.plus(UNDECIDED_MAX));
    let standing = Standing::WaitsForMergeable { until };
    let wait = |pace| Next::Until(standing, vec![watch(cx, pull, pace)], until);
    let is_late = until <= cx.now;
    Err(match pull.mergeable {
        Mergeable::Clean | Mergeable::Unstable if run.is_ready_for_merge() => {
            match look::before_merge(cx, run) {
                Some(next) => next,
                None => return Ok(pull),
            }
        }
        Mergeable::Dirty => lanes::dirty(cx, run),
        Mergeable::Behind => behind::next(cx, run, pull),
        Mergeable::Blocked | Mergeable::Draft if is_late => {
            escalate(Cause::MergeRefused(words::MERGE_BLOCKED.to_owned()))
        }
        Mergeable::Unknown if is_late => {
            escalate(Cause::MergeRefused(words::MERGE_UNDECIDED.to_owned()))
        }
        Mergeable::Unknown => wait(Pace::Soon),
        Mergeable::Clean | Mergeable::Unstable | Mergeable::Blocked | Mergeable::Draft => {
            wait(Pace::Normal)
        }
    }
    .into())
}

/// Records Ralph's own merge, whatever people asked for before its answer came: the change is in the bot branch, and
/// any other report would be untrue.
pub(crate) fn by_ralph(cx: &Context<'_>) -> Option<Move> {
    match cx.managed.phase {
        Phase::Queued
        | Phase::Running { .. }
        | Phase::Parked { .. }
        | Phase::Escalated { .. }
        | Phase::Stopped { .. } => {
            let run = cx.run()?;
            Some(merged(cx, run.pull?, run.merged.as_ref()?))
        }
        Phase::Out | Phase::InBot { .. } | Phase::Done { .. } => None,
    }
}

/// Records that a person merged the pull request while Ralph waited for them, into the bot branch or past it.
pub(crate) fn by_hand(cx: &Context<'_>) -> Option<Move> {
    let number = cx.run().filter(|run| !run.recipe.is_sync())?.pull?;
    let pull = cx.managed.pull.as_ref().filter(|pull| pull.number == number)?;
    match &pull.state {
        PullState::Merged { commit } if leads_to_default(cx, pull) => {
            Some(merged(cx, number, commit))
        }
        PullState::Merged { .. } | PullState::Open | PullState::Closed => None,
    }
}

/// True if a merge of it is in the default branch or on its way there. Ralph waits for no merge elsewhere.
pub(crate) fn leads_to_default(cx: &Context<'_>, pull: &Pull) -> bool {
    let default = cx.repo.branches.as_ref().map(|branches| &branches.default);
    pull.base == cx.rules.bot_branch || Some(&pull.base) == default
}

/// The move after a merge. If the bot branch is the default branch, the change has arrived.
fn merged(cx: &Context<'_>, pull: PullNumber, commit: &Sha) -> Move {
    let default = cx.repo.branches.as_ref().map(|branches| &branches.default);
    if default == Some(&cx.rules.bot_branch) {
        let (merged, default_head) = (commit.clone(), commit.clone());
        return Move::Done { evidence: DoneEvidence::Reachable { merged, default_head } };
    }
    merged_elsewhere(cx, pull, commit)
}

/// The move after a merge whose arrival in the default branch is still to be seen.
fn merged_elsewhere(cx: &Context<'_>, pull: PullNumber, commit: &Sha) -> Move {
    Move::MergedToBot { pull, commit: commit.clone(), batch: cx.repo.batch.number }
}

/// The pull request as Ralph left it: open, on the right base, at the head that was judged. Otherwise the next step.
pub(super) fn pull_as_we_left_it<'a>(
    cx: &'a Context<'_>,
    run: &Run,
) -> Result<&'a Pull, Box<Next>> {
    let Some(number) = run.pull else { return Err(escalate(Cause::NoEvidence).into()) };
    let read = |pace| {
        let resource = Resource::Pull(cx.key.clone(), number);
        let watch = vec![Watch { resource, pace }];
        let standing = |until, why| Standing::WaitsForPull { until, why };
        unread::wait(cx, ReadOf::Pull, checks::deadline(cx, run), watch, standing)
    };
    // An earlier run may have seen a problem that was fixed since.
    let is_fresh = |pull: &&Pull| pull.number == number && pull.read_at >= run.started;
    let Some(pull) = cx.managed.pull.as_ref().filter(is_fresh) else {
        return Err(read(Pace::Soon).into());
    };
    match &pull.state {
        PullState::Merged { commit } if pull.base == cx.rules.bot_branch => {
            return Err(Next::Move(merged(cx, number, commit)).into());
        }
        PullState::Merged { commit } => {
            return Err(Next::Move(merged_elsewhere(cx, number, commit)).into());
        }
        // It was closed already when the issue was queued again.
        PullState::Closed if run.is_pull_inherited => {
            return Err(Next::Move(Move::Run(RunMove::ReplacePull { number })).into());
        }
        PullState::Closed => return Err(escalate(Cause::PullClosed).into()),
        PullState::Open => {}
    }
    if pull.base != cx.rules.bot_branch {
        return Err(escalate(Cause::WrongBase(pull.base.to_string())).into());
    }
    if run.head.as_ref().is_some_and(|head| head.commit == pull.head) {
        // The forge may start no checks on a head that it cannot merge.
        let is_dirty = pull.mergeable == Mergeable::Dirty;
        return if is_dirty { Err(lanes::dirty(cx, run).into()) } else { Ok(pull) };
    }
    // Right after a push the forge may still show the old head.
    let has_settled = pull.read_at > run.settles_at();
    Err(match has_settled {
        true if behind::is_updated(run, pull) => Next::Move(Move::Run(RunMove::TakeBranch)),
        true => escalate(Cause::HeadMoved),
        false => read(Pace::Soon),
    }
    .into())
}

pub(crate) fn watch(cx: &Context<'_>, pull: &Pull, pace: Pace) -> Watch {
    Watch { resource: Resource::Pull(cx.key.clone(), pull.number), pace }
}
