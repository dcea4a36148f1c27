//! An agent reviews the plan before anything is implemented.

use super::{GRACE, Process, Step, StepSpec, gate, review, turn};
use crate::decide::step::escalate;
use crate::decide::{Context, Next};
use crate::escalation::Cause;
use crate::fact::{Move, RunMove};
use crate::gate::Gate;
use crate::product_gap::ProductGap;
use crate::role::Role;
use crate::run::Run;

pub(super) static SPEC: StepSpec = StepSpec {
    name: "plan review",
    is_usual: true,
    is_behind: |run, _| run.passed(Gate::PlanReview),
    next,
    process: Some(Process {
        job: |cx, run| turn::job(cx, run, Step::PlanReview),
        time_limit: |rules, _| turn::limit(rules, Role::PlanReview),
        grace: GRACE,
        take: |run, finished| review::take(run, Step::PlanReview, Gate::PlanReview, finished),
        role: Some(|_| Role::PlanReview),
        gate: Some(Gate::PlanReview),
        attempts: 3,
        is_tried_once: false,
    }),
};

/// Escalates first if the planner or the reviewer asks for a person, before anything is spent on the plan. This review
/// is never skipped.
fn next(cx: &Context<'_>, run: &Run) -> Next {
    let asked = run.plan.as_ref().and_then(|plan| Cause::of_plan(&plan.routing, &plan.gap));
    if let Some(cause) = asked {
        return escalate(cause);
    }
    let Some(failed) = gate::failed(run, Gate::PlanReview) else {
        return review::next(cx, run, Step::PlanReview, Gate::PlanReview);
    };
    match &failed.gap {
        ProductGap::Gap(text) => escalate(Cause::ProductGap(text.clone())),
        ProductGap::None | ProductGap::Denied => {
            let (reason, by) = (failed.reason.clone(), Gate::PlanReview);
            Next::Move(Move::Run(RunMove::Replan { reason, by }))
        }
    }
}
