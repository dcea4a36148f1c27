//! Runs the operator's setup commands in a new worktree.

use super::{Finished, GRACE, Process, Step, StepSpec};
use crate::decide::Context;
use crate::decide::step::or_spent;
use crate::fact::Outcome;
use crate::job::Job;
use crate::policy::RepoPolicy;
use crate::run::Run;
use crate::time::Span;
use crate::words;

pub(super) static SPEC: StepSpec = StepSpec {
    name: "setup",
    is_usual: true,
    is_behind: |run, policy| policy.setup.is_empty() || run.is_set_up,
    next: |cx, run| or_spent(cx, run, Step::Setup),
    process: Some(Process {
        job,
        time_limit: |rules, _| limit(rules),
        grace: GRACE,
        take,
        role: None,
        gate: None,
        attempts: 2,
        is_tried_once: false,
    }),
};

/// The time limit of all setup commands together.
pub(super) fn limit(rules: &RepoPolicy) -> Span {
    rules.limits.setup_timeout.times(rules.setup.len())
}

fn job(cx: &Context<'_>, run: &Run) -> Option<Job> {
    Some(Job::Setup {
        run: run.id,
        path: run.workspace.as_ref()?.path.clone(),
        commands: cx.rules.setup.clone(),
        timeout: cx.rules.limits.setup_timeout,
    })
}

fn take(run: &mut Run, finished: &Finished<'_>) {
    match finished.outcome {
        Outcome::CommandsPassed { .. } => run.is_set_up = true,
        outcome @ (Outcome::WorkspaceReady { .. }
        | Outcome::WorkspaceConflict { .. }
        | Outcome::CommandsFailed { .. }
        | Outcome::Turn { .. }
        | Outcome::TimedOut { .. }
        | Outcome::Stalled { .. }
        | Outcome::WorkspaceLost { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::Failed { .. }) => run.fail(Step::Setup, words::failure(outcome)),
    }
}
