//! The rules that the gates that run the operator's commands share.

use super::{Finished, Step};
use crate::bound::Bound;
use crate::decide::step::{escalate, last_failure, may_try};
use crate::decide::{Context, Next};
use crate::escalation::Cause;
use crate::fact::Outcome;
use crate::gate::{Gate, GateRecord, GateStatus};
use crate::run::Run;
use crate::standing::Standing;
use crate::words;

/// Decides while the commands are still to be run.
pub(super) fn next(cx: &Context<'_>, run: &Run, step: Step) -> Next {
    if may_try(cx, run, Bound::Step(step)) {
        return Next::Wait(Standing::WaitsForSlot { step });
    }
    escalate(Cause::CouldNotRun { step, reason: last_failure(run) })
}

/// Escalates if the setting was removed during the run.
pub(super) fn unset(cx: &Context<'_>, step: Step) -> Option<Next> {
    let reason = words::PREFLIGHT_UNSET.to_owned();
    (!cx.rules.knows_preflight()).then(|| escalate(Cause::StepSpent { step, reason }))
}

/// Records the result. Commands that could not be run say nothing about the change: the step is tried again, and costs
/// no turn.
pub(super) fn take(run: &mut Run, step: Step, gate: Gate, finished: &Finished<'_>) {
    let outcome = finished.outcome;
    let (status, reason, command, ran) = match outcome {
        Outcome::CommandsPassed { command, .. } if command.is_empty() => {
            (GateStatus::Pass, words::INTEGRITY_NOTHING_HELD.to_owned(), None, [].as_slice())
        }
        Outcome::CommandsPassed { command, ran } => {
            (GateStatus::Pass, String::new(), Some(command), ran.as_slice())
        }
        Outcome::CommandsFailed { command, excerpt, ran } => {
            (GateStatus::Fail, excerpt.clone(), Some(command), ran.as_slice())
        }
        Outcome::TimedOut { .. } => {
            (GateStatus::Fail, words::failure(outcome), None, [].as_slice())
        }
        Outcome::WorkspaceReady { .. }
        | Outcome::WorkspaceConflict { .. }
        | Outcome::Turn { .. }
        | Outcome::Stalled { .. }
        | Outcome::WorkspaceLost { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::Failed { .. } => return run.fail(step, words::failure(outcome)),
    };
    let record = run.judged(gate, status, &reason, finished.now);
    let record = GateRecord { command: command.cloned(), commands: ran.to_vec(), ..record };
    run.gates.set(gate, record);
}
