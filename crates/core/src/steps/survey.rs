//! An agent looks for small fixes outside the task while its checks run. It gets one attempt, and nothing waits for it.

use super::{GRACE, Process, Step, StepSpec, turn};
use crate::decide::{Context, Next};
use crate::fact::{Move, RunMove};
use crate::gate::Gate;
use crate::role::Role;
use crate::run::Run;
use crate::standing::Standing;
use crate::time::Span;

pub(super) static SPEC: StepSpec = StepSpec {
    name: "survey",
    is_usual: false,
    is_behind: |run, policy| !policy.survey || run.survey.is_some() || run.passed(Gate::Ci),
    next,
    process: Some(Process {
        job: |cx, run| turn::job(cx, run, Step::Survey),
        time_limit: |rules, _| turn::limit(rules, Role::Survey).min(TURN_MAX),
        grace: GRACE,
        take: |run, finished| run.take_survey(finished.outcome),
        role: Some(|_| Role::Survey),
        gate: None,
        attempts: 1,
        is_tried_once: true,
    }),
};

/// The longest survey, whatever other turns may take: its run waits for it.
const TURN_MAX: Span = Span::from_mins(15);
/// The longest wait of a run for a free worker to survey. Checks take about as long, and nothing should wait for a
/// survey.
const SLOT_WAIT_MAX: Span = Span::from_mins(10);

fn next(cx: &Context<'_>, run: &Run) -> Next {
    let until = run.pushed_at.unwrap_or(run.started).plus(SLOT_WAIT_MAX);
    if until <= cx.now {
        return Next::Move(Move::Run(RunMove::SurveyPassedOver));
    }
    Next::Until(Standing::WaitsForSlot { step: Step::Survey }, Vec::new(), until)
}
