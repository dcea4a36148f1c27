//! Runs the operator's commands with the base's own tests and check definitions, if the change touches any.

use super::{GRACE, Process, Step, StepSpec, commands, gate, setup};
use crate::decide::{Context, Next};
use crate::fact::{Move, RunMove};
use crate::gate::{Gate, GateStatus};
use crate::job::Job;
use crate::run::Run;
use crate::test_files::may_touch_tests;
use crate::words;

pub(super) static SPEC: StepSpec = StepSpec {
    name: "test integrity",
    is_usual: true,
    is_behind: |run, _| run.passed(Gate::TestIntegrity),
    next,
    process: Some(Process {
        job,
        // Preflight with the base's tests, and the base's own checks.
        time_limit: |rules, _| {
            let limits = &rules.limits;
            setup::limit(rules).plus(limits.preflight_timeout).plus(limits.ci_timeout)
        },
        grace: GRACE,
        take: |run, finished| commands::take(run, Step::Integrity, Gate::TestIntegrity, finished),
        role: None,
        gate: Some(Gate::TestIntegrity),
        attempts: 2,
        is_tried_once: false,
    }),
};

fn next(cx: &Context<'_>, run: &Run) -> Next {
    gate::needless(cx, run, Gate::TestIntegrity)
        .or_else(|| commands::unset(cx, Step::Integrity))
        .or_else(|| replanned(cx, run))
        .or_else(|| gate::refused(cx, run, Gate::TestIntegrity))
        .or_else(|| untouched(cx, run))
        .unwrap_or_else(|| commands::next(cx, run, Step::Integrity))
}

/// Passes a change that touches no test and no check definition: there is nothing to compare with the base.
fn untouched(cx: &Context<'_>, run: &Run) -> Option<Next> {
    let changes = run.head.as_ref().and_then(|head| head.changes.as_ref())?;
    let commands = cx.rules.preflight.as_deref().unwrap_or_default();
    if may_touch_tests(changes, &cx.rules.test_globs, commands) {
        return None;
    }
    let (gate, reason) = (Gate::TestIntegrity, words::INTEGRITY_UNTOUCHED);
    Some(gate::judged(gate, run.judged(gate, GateStatus::Pass, reason, cx.now)))
}

/// Sends a failure back to planning, once for each commit: only a plan can allow a test of the base to change. The next
/// plan judges the same commit; if it fails under that plan too, the commit has to change.
fn replanned(cx: &Context<'_>, run: &Run) -> Option<Next> {
    let failed = gate::failed(run, Gate::TestIntegrity)?;
    let head = run.head.as_ref().map(|head| &head.commit);
    let of_it = run.replanned.as_ref().filter(|replanned| replanned.by == Gate::TestIntegrity);
    let was_planned = of_it.is_some_and(|replanned| replanned.head.as_ref() == head);
    let has_plan = run.recipe.steps().contains(&Step::Plan);
    let is_advisory = cx.rules.advisory_gates.contains(&Gate::TestIntegrity);
    let reason = words::tests_changed(&failed.reason);
    let replan = RunMove::Replan { reason, by: Gate::TestIntegrity };
    (has_plan && !was_planned && !is_advisory).then_some(Next::Move(Move::Run(replan)))
}

fn job(cx: &Context<'_>, run: &Run) -> Option<Job> {
    let head = run.head.as_ref()?;
    let base = match &head.changes {
        Some(changes) => changes.base.clone(),
        None => run.workspace.as_ref()?.base.clone(),
    };
    Some(Job::Integrity {
        run: run.id,
        base,
        commit: head.commit.clone(),
        setup: cx.rules.setup.clone(),
        setup_timeout: cx.rules.limits.setup_timeout,
        commands: cx.rules.preflight.clone()?,
        timeout: cx.rules.limits.preflight_timeout,
        checks_timeout: cx.rules.limits.ci_timeout,
        test_globs: cx.rules.test_globs.clone(),
        plan: run.plan.as_ref().map(|plan| plan.text),
    })
}
