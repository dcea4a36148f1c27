//! Do the base's own tests and check definitions hold on the change? Asked only if the change touches any.

use super::step::{escalate, last_failure};
use super::{Context, Next};
use crate::escalation::Cause;
use crate::fact::{Move, RunMove};
use crate::gate::{Gate, GateRecord, GateStatus};
use crate::job::Job;
use crate::recipe::Step;
use crate::run::Run;
use crate::standing::Standing;
use crate::test_files::may_touch_tests;
use crate::words;

/// Nothing is known yet of what stands now.
pub(super) fn next(cx: &Context<'_>, run: &Run) -> Next {
    let step = Step::Integrity;
    let changes = run.head.as_ref().and_then(|head| head.changes.as_ref());
    let commands = cx.rules.preflight.as_deref().unwrap_or_default();
    if changes.is_some_and(|it| !may_touch_tests(it, &cx.rules.test_globs, commands)) {
        let status = GateStatus::Pass;
        let record = run.judged(Gate::TestIntegrity, status, words::INTEGRITY_UNTOUCHED, cx.now);
        return judged(record);
    }
    if run.spent.preflight_tries >= cx.rules.limits.preflight_tries {
        return escalate(Cause::CouldNotRun { step, reason: last_failure(run) });
    }
    Next::Wait(Standing::WaitsForSlot { step })
}

/// A failure that the operator wants to know of, and not to be stopped by.
pub(super) fn advised(cx: &Context<'_>, gate: Gate, failed: &GateRecord) -> Option<Next> {
    let is_advisory = cx.rules.advisory_gates.contains(&gate);
    is_advisory.then(|| judged(GateRecord { is_advisory, ..failed.clone() }))
}

/// Only a plan can let a test of the base change, so a failure goes there, once for each commit. The next plan
/// judges the same commit; where it fails by that too, the commit has to change.
pub(super) fn replan(run: &Run, gate: Gate, reason: &str) -> Option<RunMove> {
    let head = run.head.as_ref().map(|head| &head.commit);
    let of_it = run.replanned.as_ref().filter(|replanned| replanned.by == Gate::TestIntegrity);
    let was_planned = of_it.is_some_and(|replanned| replanned.head.as_ref() == head);
    let has_plan = run.recipe.steps().contains(&Step::Plan);
    let is_for_plan = gate == Gate::TestIntegrity && has_plan && !was_planned;
    is_for_plan.then(|| RunMove::Replan { reason: words::tests_changed(reason), by: gate })
}

fn judged(record: GateRecord) -> Next {
    Next::Move(Move::Run(RunMove::Judged { gate: Gate::TestIntegrity, record: record.into() }))
}

pub(super) fn job(cx: &Context<'_>, run: &Run) -> Option<Job> {
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
