//! Creates the worktree of a run, or updates an existing one to its base.

use super::{Finished, Process, StepSpec};
use crate::decide::step::or_spent;
use crate::decide::{Context, Next, lanes};
use crate::fact::{ConflictAt, Outcome};
use crate::job::Job;
use crate::policy::RepoPolicy;
use crate::run::{Conflict, Head, Run, Workspace};
use crate::steps::Step;
use crate::time::Span;
use crate::words;

pub(super) static SPEC: StepSpec = StepSpec {
    name: "workspace",
    is_usual: true,
    is_behind: |run, _| run.workspace.is_some() && !run.is_outdated,
    next,
    process: Some(Process {
        job,
        time_limit: |rules: &RepoPolicy, _| rules.limits.workspace_timeout,
        // No other clock limits it.
        grace: Span::ZERO,
        take,
        role: None,
        gate: None,
        attempts: 3,
        is_tried_once: false,
    }),
};

fn next(cx: &Context<'_>, run: &Run) -> Next {
    if let Some(conflict) = &run.conflict {
        return lanes::conflicting(cx, run, conflict);
    }
    or_spent(cx, run, Step::Workspace)
}

fn job(cx: &Context<'_>, run: &Run) -> Option<Job> {
    Some(Job::Workspace {
        run: run.id,
        path: cx.policy.worktrees.worktree(cx.key, run.slot, run.id),
        branch: run.branch.clone(),
        base: cx.rules.bot_branch.clone(),
        leaves: run.left.clone().filter(|_| run.workspace.is_none()),
    })
}

fn take(run: &mut Run, finished: &Finished<'_>) {
    let bot_moves = finished.bot_moves;
    match finished.outcome {
        Outcome::WorkspaceReady { path, base, head, guidance } => {
            // A run that came to resolve a conflict finds that there is none.
            if run.workspace.is_none() && run.recipe.resolves_conflict() {
                (run.feedback, run.conflict) = (None, None);
            }
            let (path, base, guidance) = (path.clone(), base.clone(), guidance.clone());
            run.workspace = Some(Workspace { path, base, bot_moves, guidance });
            run.is_outdated = false;
            let summary = run.head.as_ref().and_then(|head| head.summary);
            let head = head.clone().filter(|_| run.lost_in.is_none());
            run.head = head.map(|head| Head { summary: head.summary.or(summary), ..head });
        }
        Outcome::WorkspaceConflict { files, at: Some(at) } => {
            let ConflictAt { path, base, head, guidance } = &**at;
            let (of, files) = (head.commit.clone(), files.clone());
            run.conflict = Some(Conflict { base: base.clone(), head: of, files });
            if run.workspace.is_none() && run.recipe.resolves_conflict() {
                let (path, base, guidance) = (path.clone(), base.clone(), guidance.clone());
                run.workspace = Some(Workspace { path, base, bot_moves, guidance });
                run.head = Some(head.clone());
            }
        }
        outcome @ (Outcome::WorkspaceConflict { at: None, .. }
        | Outcome::CommandsPassed { .. }
        | Outcome::CommandsFailed { .. }
        | Outcome::Turn { .. }
        | Outcome::TimedOut { .. }
        | Outcome::Stalled { .. }
        | Outcome::WorkspaceLost { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::Failed { .. }) => run.fail(Step::Workspace, words::failure(outcome)),
    }
}
