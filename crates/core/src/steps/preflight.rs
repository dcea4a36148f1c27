//! Runs the operator's commands in a clean checkout of the commit, after setup in the same checkout.

use super::{GRACE, Process, Step, StepSpec, commands, gate, setup};
use crate::decide::{Context, Next};
use crate::gate::Gate;
use crate::job::Job;
use crate::run::Run;

pub(super) static SPEC: StepSpec = StepSpec {
    name: "preflight",
    is_usual: true,
    is_behind: |run, _| run.passed(Gate::Preflight),
    next,
    process: Some(Process {
        job,
        time_limit: |rules, _| setup::limit(rules).plus(rules.limits.preflight_timeout),
        grace: GRACE,
        take: |run, finished| commands::take(run, Step::Preflight, Gate::Preflight, finished),
        role: None,
        gate: Some(Gate::Preflight),
        attempts: 2,
        is_tried_once: false,
    }),
};

fn next(cx: &Context<'_>, run: &Run) -> Next {
    gate::needless(cx, run, Gate::Preflight)
        .or_else(|| commands::unset(cx, Step::Preflight))
        .or_else(|| gate::refused(cx, run, Gate::Preflight))
        .unwrap_or_else(|| commands::next(cx, run, Step::Preflight))
}

fn job(cx: &Context<'_>, run: &Run) -> Option<Job> {
    Some(Job::Preflight {
        run: run.id,
        commit: run.head.as_ref()?.commit.clone(),
        setup: cx.rules.setup.clone(),
        setup_timeout: cx.rules.limits.setup_timeout,
        commands: cx.rules.preflight.clone()?,
        timeout: cx.rules.limits.preflight_timeout,
    })
}
