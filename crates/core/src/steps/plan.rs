//! An agent plans how to resolve the issue.

use super::{Finished, GRACE, Process, Step, StepSpec, turn};
use crate::bound::Bound;
use crate::decide::step::{escalate, last_failure, may_try};
use crate::decide::{Context, Next};
use crate::escalation::Cause;
use crate::fact::{Answer, Outcome};
use crate::gate::Gate;
use crate::role::Role;
use crate::run::{Plan, Run};
use crate::standing::Standing;
use crate::words;

pub(super) static SPEC: StepSpec = StepSpec {
    name: "plan",
    is_usual: true,
    is_behind: |run, _| run.plan.is_some(),
    next,
    process: Some(Process {
        job: |cx, run| turn::job(cx, run, Step::Plan),
        time_limit: |rules, _| turn::limit(rules, Role::Plan),
        grace: GRACE,
        take,
        role: Some(|_| Role::Plan),
        gate: None,
        attempts: 3,
        is_tried_once: false,
    }),
};

fn next(cx: &Context<'_>, run: &Run) -> Next {
    let step = Step::Plan;
    if may_try(cx, run, Bound::Step(step)) {
        return Next::Wait(Standing::WaitsForSlot { step });
    }
    let sent_back_by = run.replanned.as_ref().map(|replanned| replanned.by);
    escalate(match (run.feedback.clone(), sent_back_by) {
        (Some(reason), Some(Gate::TestIntegrity)) => Cause::TestsChanged(reason),
        (Some(reason), Some(_)) => Cause::PlanRejected(reason),
        (reason, None) | (reason @ None, Some(_)) => {
            Cause::StepSpent { step, reason: reason.unwrap_or_else(|| last_failure(run)) }
        }
    })
}

fn take(run: &mut Run, finished: &Finished<'_>) {
    let outcome = finished.outcome;
    run.spent.add(Bound::Step(Step::Plan));
    run.session = outcome.session();
    if let Outcome::Turn { answer: Answer::Plan { text, routing, gap }, .. } = outcome {
        run.plan = Some(Plan { text: *text, routing: routing.clone(), gap: gap.clone() });
        run.feedback = None;
        return;
    }
    // The answer is not a plan; the next planner sees why.
    if let Outcome::Turn { answer: Answer::NoVerdict { why, .. }, .. } = outcome {
        run.add_feedback(why.clone());
    }
    run.last_failure = Some(words::failure(outcome));
}
