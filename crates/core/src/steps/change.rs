//! The rules that implementing and repairing share: an agent edits files in the worktree, and git says what changed.

use super::{Finished, Step};
use crate::bound::Bound;
use crate::decide::step::{escalate, last_failure};
use crate::decide::{Context, Next, lanes};
use crate::escalation::Cause;
use crate::fact::{Answer, Outcome};
use crate::run::Run;
use crate::standing::Standing;
use crate::words;

/// The bound that all turns that change files share, whatever their cause.
const TURNS: Bound = Bound::Step(Step::Implement);

/// True if there is a change and nothing asks for another turn.
pub(super) const fn is_made(run: &Run) -> bool {
    run.head.is_some() && run.feedback.is_none() && run.steered.is_none()
}

/// Decides on the next turn. Each time a run is resumed to repair something, or a message asks for it, it may take one
/// more turn.
pub(super) fn next(cx: &Context<'_>, run: &Run, step: Step) -> Next {
    let more = run.spent.of(Bound::RESUMES).saturating_add(run.spent.of(Bound::MESSAGES));
    let limit = cx.rules.limits.of(TURNS).saturating_add(more);
    if run.spent.of(TURNS) < limit {
        return Next::Wait(Standing::WaitsForSlot { step });
    }
    lanes::unrepaired(cx, run).unwrap_or_else(|| {
        let reason = run.feedback.clone().unwrap_or_else(|| last_failure(run));
        escalate(Cause::StepSpent { step, reason })
    })
}

pub(super) fn take(run: &mut Run, finished: &Finished<'_>) {
    let outcome = finished.outcome;
    run.spent.add(TURNS);
    run.session = outcome.session();
    let is_asked_only = run.steered.is_some() && run.head.is_some() && run.feedback.is_none();
    if let Outcome::Turn { answer: Answer::Changed(head), .. } = outcome {
        run.head = Some(head.clone());
        run.lost_in = None;
        run.feedback = None;
        run.steered = None;
        run.conflict = None;
    } else if is_asked_only && is_unchanged(outcome) {
        // A message may need an answer in the agent's mind alone: the change stays as it is.
        run.steered = None;
    } else {
        run.add_feedback(words::failure(outcome));
        run.last_failure = Some(words::failure(outcome));
    }
}

const fn is_unchanged(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Turn { answer: Answer::Unchanged, .. })
}
