//! A branch that conflicts with its base: the worktree shows the conflict, and a dedicated run merges the base in and
//! resolves it.

use super::super::step::escalate;
use super::super::{Context, Next};
use crate::bound::Bound;
use crate::digest::Digest;
use crate::escalation::Cause;
use crate::fact::{Move, RunMove};
use crate::gate::Gate;
use crate::lane::{FINDINGS_MAX, Finding, How, Lane, Trigger};
use crate::run::{Conflict, Run};
use crate::words;

/// Looks for a conflict. The forge says that there is one, but not where; merging the base in the worktree shows it, or
/// that it is gone.
pub(crate) fn dirty(cx: &Context<'_>, run: &Run) -> Next {
    let looks = run.looks_at_base();
    if looks >= cx.rules.limits.of(Bound::CONFLICT_LOOKS) {
        return escalate(Cause::ConflictUnseen { looks });
    }
    Next::Move(Move::Run(RunMove::MeetBase))
}

/// Decides after the base could not be merged into the worktree.
pub(crate) fn conflicting(cx: &Context<'_>, run: &Run, conflict: &Conflict) -> Next {
    // A lane has no plan review, and nothing is merged without one.
    if !run.recipe.is_sync() && !run.passed(Gate::PlanReview) {
        return escalate(Cause::Conflict);
    }
    let trigger = trigger(conflict);
    let told = words::conflict_told(&run.branch, &cx.rules.bot_branch, conflict);
    super::enter(cx, Lane::MergeConflict, How::Spawn, trigger, told)
}

/// The trigger of a conflict. By its files and its base the same conflict is recognised.
pub(crate) fn trigger(conflict: &Conflict) -> Trigger {
    let Conflict { base, head, files } = conflict;
    let finding = |name: &String| Finding { name: name.clone(), url: None };
    let mut sorted: Vec<&str> = files.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    Trigger {
        head: head.clone(),
        base: Some(base.clone()),
        signature: Digest::of(&format!("{base}\n{}", sorted.join("\n"))).to_string(),
        found: files.iter().take(FINDINGS_MAX).map(finding).collect(),
        count: u32::try_from(files.len()).unwrap_or(u32::MAX),
    }
}
