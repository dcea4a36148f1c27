//! Applies the end of a process: evidence gathered, tries spent. Only the attempt under way counts; older ones are
//! fenced off here.

use crate::bound::Bound;
use crate::fact::Outcome;
use crate::gate::GateProcess;
use crate::ids::Attempt;
use crate::issue::{Managed, Phase};
use crate::run::{EndReason, Run, StepRecord, Work, WorkState};
use crate::stall::{Stall, Stalled};
use crate::steps::{Finished, Step};
use crate::time::Time;
use crate::turn_end::EndClass;
use crate::words;

/// Applies the outcome of an attempt. `bot_moves`: the number of moves of the bot branch seen so far.
pub(super) fn fold(
    now: Time,
    attempt: Attempt,
    outcome: &Outcome,
    managed: &mut Managed,
    bot_moves: u64,
) {
    let Some(work) = managed.work.take_if(|work| work.attempt == attempt) else { return };
    let is_at_step = managed.phase == Phase::Running { step: work.step };
    let Some(run) = managed.run.as_mut().filter(|_| is_at_step) else { return };
    run.spent.clear(Bound::INTERRUPTIONS);
    run.remember(record(now, &work, outcome));
    let is_tried_again = !work.step.is_tried_once();
    // A step with one attempt only is not worth another workspace.
    if let (Outcome::WorkspaceLost { reason }, true) = (outcome, is_tried_again) {
        run.lose_workspace(work.step, reason);
        return;
    }
    match stall(work.step, outcome) {
        Some(stalled) => {
            run.spent.add(Bound::STALLS);
            run.last_failure = Some(words::stalled(&stalled));
            run.stalled = Some(stalled);
        }
        // A program that fails says nothing about the step, so it costs no try.
        None if let Some(class) = excused(run, outcome)
            && is_tried_again =>
        {
            run.stalled = None;
            run.session = None;
            if let Some(bound) = counted_as(class) {
                run.spent.add(bound);
            }
            run.last_failure = Some(words::failure(outcome));
            work.step.gate().into_iter().for_each(|gate| run.gates.forget_session(gate));
        }
        None => {
            run.stalled = None;
            if matches!(outcome, Outcome::Turn { .. }) {
                run.spent.clear(Bound::AGENT_FAILURES);
            }
            run.spent.clear(Bound::FULL_CONTEXTS);
            if let Some(process) = &work.step.spec().process {
                (process.take)(run, &Finished { outcome, now, bot_moves });
            }
            if let Some(gate) = work.step.gate() {
                let process =
                    GateProcess { run: Some(run.id), attempt: work.attempt, started: work.started };
                run.gates.came_of(gate, now, process);
            }
        }
    }
}

/// The class of a failed turn that spends no attempt. A context that is full in a fresh session too is an ordinary failure.
fn excused(run: &Run, outcome: &Outcome) -> Option<EndClass> {
    let Outcome::AgentFailed { class, .. } = outcome else { return None };
    let is_full_again = *class == EndClass::ContextFull && run.spent.of(Bound::FULL_CONTEXTS) > 0;
    (!is_full_again).then_some(*class)
}

/// The bound that a failed turn counts against; none if its account is at fault.
const fn counted_as(class: EndClass) -> Option<Bound> {
    match class {
        EndClass::ContextFull => Some(Bound::FULL_CONTEXTS),
        EndClass::Crashed | EndClass::PermissionRefused | EndClass::Cancelled => {
            Some(Bound::AGENT_FAILURES)
        }
        EndClass::NeedsLogin
        | EndClass::UnknownModel
        | EndClass::UsageLimit { .. }
        | EndClass::RateLimit { .. }
        | EndClass::Overloaded => None,
    }
}

/// The stall of a turn that ended without progress. A turn that ran past its deadline is no better than one that was
/// ended at its limit.
fn stall(step: Step, outcome: &Outcome) -> Option<Stalled> {
    let (seen, last, session) = match outcome {
        Outcome::Stalled { seen, last, session } => (seen.clone(), last.clone(), session.clone()),
        Outcome::TimedOut { limit } => (Stall::Overtime { limit: *limit }, String::new(), None),
        Outcome::WorkspaceReady { .. }
        | Outcome::WorkspaceConflict { .. }
        | Outcome::CommandsPassed { .. }
        | Outcome::CommandsFailed { .. }
        | Outcome::Turn { .. }
        | Outcome::WorkspaceLost { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::Failed { .. } => return None,
    };
    let is_tried_again = step.takes_turn() && !step.is_tried_once();
    is_tried_again.then_some(Stalled { step, seen, last, session })
}

/// Records that Ralph died during an attempt. The step is not to blame, but too many in a row mean that something kills
/// it. A process that was to be ended has ended that way.
pub(super) fn interrupted(now: Time, attempt: Attempt, managed: &mut Managed) {
    let Some(work) = managed.work.as_ref().filter(|work| work.attempt == attempt) else { return };
    match work.state {
        WorkState::Ending(_) => ended(now, attempt, managed),
        WorkState::Starting | WorkState::Underway if work.step.is_tried_once() => {
            let reason = words::INTERRUPTED.to_owned();
            fold(now, attempt, &Outcome::Failed { reason }, managed, 0);
        }
        WorkState::Starting | WorkState::Underway => {
            managed.work = None;
            if let Some(run) = managed.run.as_mut() {
                run.spent.add(Bound::INTERRUPTIONS);
            }
        }
    }
}

/// Records that the end that we asked for was confirmed.
pub(super) fn ended(now: Time, attempt: Attempt, managed: &mut Managed) {
    let Some(work) = managed.work.as_ref().filter(|work| work.attempt == attempt) else { return };
    let limit = work.deadline.minus(work.step.grace()).since(work.started);
    match work.state {
        WorkState::Ending(EndReason::Held) => managed.work = None,
        WorkState::Ending(EndReason::TimedOut) | WorkState::Starting | WorkState::Underway => {
            fold(now, attempt, &Outcome::TimedOut { limit }, managed, 0);
        }
    }
}

fn record(now: Time, work: &Work, outcome: &Outcome) -> StepRecord {
    let (session, usage) = (outcome.session(), outcome.usage().or(work.used));
    let account = work.account.clone();
    let (step, attempt, started) = (work.step, work.attempt, work.started);
    let how = words::step_ended(outcome);
    StepRecord { step, attempt, started, ended: now, how, session, usage, account }
}
