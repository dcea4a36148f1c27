//! An agent makes the repair of a recovery lane, in place of planning and implementing.

use super::{GRACE, Process, Step, StepSpec, change, turn};
use crate::recipe::Recipe;
use crate::run::Run;

pub(super) static SPEC: StepSpec = StepSpec {
    name: "repair",
    is_usual: true,
    is_behind: |run, _| change::is_made(run) && is_resolved(run),
    next: |cx, run| change::next(cx, run, Step::Repair),
    process: Some(Process {
        job: |cx, run| turn::job(cx, run, Step::Repair),
        time_limit: |rules, recipe| turn::limit(rules, recipe.repairer()),
        grace: GRACE,
        take: change::take,
        role: Some(Recipe::repairer),
        gate: None,
        attempts: 3,
        is_tried_once: false,
    }),
};

/// True if no conflict is left. A recreated worktree may show a conflict whose resolution was lost with the old one.
fn is_resolved(run: &Run) -> bool {
    run.recipe != Recipe::MergeConflict || run.conflict.is_none()
}
