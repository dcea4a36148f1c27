//! An agent reviews the change for maintainers.

use super::{GRACE, Process, Step, StepSpec, review, turn};
use crate::gate::Gate;
use crate::role::Role;

pub(super) static SPEC: StepSpec = StepSpec {
    name: "devex review",
    is_usual: true,
    is_behind: |run, _| run.passed(Gate::DevexReview),
    next: |cx, run| review::of_change(cx, run, Step::DevexReview, Gate::DevexReview),
    process: Some(Process {
        job: |cx, run| turn::job(cx, run, Step::DevexReview),
        time_limit: |rules, _| turn::limit(rules, Role::DevexReview),
        grace: GRACE,
        take: |run, finished| review::take(run, Step::DevexReview, Gate::DevexReview, finished),
        role: Some(|_| Role::DevexReview),
        gate: Some(Gate::DevexReview),
        attempts: 3,
        is_tried_once: false,
    }),
};
