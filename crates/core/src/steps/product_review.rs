//! An agent reviews the change for product behaviour.

use super::{GRACE, Process, Step, StepSpec, review, turn};
use crate::gate::Gate;
use crate::role::Role;

pub(super) static SPEC: StepSpec = StepSpec {
    name: "product review",
    is_usual: true,
    is_behind: |run, _| run.passed(Gate::ProductReview),
    next: |cx, run| review::of_change(cx, run, Step::ProductReview, Gate::ProductReview),
    process: Some(Process {
        job: |cx, run| turn::job(cx, run, Step::ProductReview),
        time_limit: |rules, _| turn::limit(rules, Role::ProductReview),
        grace: GRACE,
        take: |run, finished| review::take(run, Step::ProductReview, Gate::ProductReview, finished),
        role: Some(|_| Role::ProductReview),
        gate: Some(Gate::ProductReview),
        attempts: 3,
        is_tried_once: false,
    }),
};
