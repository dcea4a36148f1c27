//! The survey after a task: taken while the checks run, passed over when nobody has the time for it.

use super::{Context, Next};
use crate::fact::{Move, RunMove};
use crate::recipe::Step;
use crate::run::Run;
use crate::standing::Standing;
use crate::time::Span;

/// How long a run waits for a free worker to survey. Checks take about as long; nothing is to wait for a survey.
const SLOT_WAIT_MAX: Span = Span::from_mins(10);

pub(super) fn next(cx: &Context<'_>, run: &Run) -> Next {
    let until = run.pushed_at.unwrap_or(run.started).plus(SLOT_WAIT_MAX);
    if until <= cx.now {
        return Next::Move(Move::Run(RunMove::SurveyPassedOver));
    }
    Next::Until(Standing::WaitsForSlot { step: Step::Survey }, Vec::new(), until)
}
