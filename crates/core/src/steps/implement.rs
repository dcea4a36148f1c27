//! An agent carries out the plan in the worktree.

use super::{GRACE, Process, Step, StepSpec, change, turn};
use crate::role::Role;

pub(super) static SPEC: StepSpec = StepSpec {
    name: "implement",
    is_usual: true,
    is_behind: |run, _| change::is_made(run),
    next: |cx, run| change::next(cx, run, Step::Implement),
    process: Some(Process {
        job: |cx, run| turn::job(cx, run, Step::Implement),
        time_limit: |rules, _| turn::limit(rules, Role::Implement),
        grace: GRACE,
        take: change::take,
        role: Some(|_| Role::Implement),
        gate: None,
        attempts: 3,
        is_tried_once: false,
    }),
};
