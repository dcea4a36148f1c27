//! A pull request that is behind a branch which requires up-to-date heads. The forge is asked to merge that branch into
//! it, a bounded number of times and one pull request after the other, and the run continues from the result.

use super::step::{escalate, last_failure, may_try};
use super::{Context, Next};
use crate::bound::Bound;
use crate::effect::IssueAct;
use crate::escalation::Cause;
use crate::fact::{Move, RunMove};
use crate::merge_queue;
use crate::pull::Pull;
use crate::run::Run;
use crate::standing::Standing;
use crate::steps;
use crate::time::Span;
use crate::watch::Pace;

/// The time within which the forge merges. It accepts at once and merges later; an update that has not arrived by then
/// will not.
const MERGED_WITHIN: Span = Span::from_mins(10);

pub(crate) fn next(cx: &Context<'_>, run: &Run, pull: &Pull) -> Next {
    let number = pull.number;
    let standing = Standing::BringingUpToDate { pull: number };
    if let Some(asked) = run.update.as_ref().filter(|asked| asked.from == pull.head) {
        let until = asked.at.plus(MERGED_WITHIN);
        if !asked.is_accepted {
            let act = IssueAct::UpdateBranch { pull: number, head: pull.head.clone() };
            return Next::Act(cx.on_issue(act), standing);
        }
        if until > cx.now {
            return Next::Until(standing, vec![steps::watch_pull(cx, pull, Pace::Soon)], until);
        }
    }
    if let Some(waits) = merge_queue::waits(cx, pull) {
        return waits;
    }
    if !may_try(cx, run, Bound::UPDATE_REFUSALS) {
        return escalate(Cause::UpdateRefused(last_failure(run)));
    }
    if !may_try(cx, run, Bound::BRANCH_UPDATES) {
        return escalate(Cause::Behind);
    }
    let (from, until) = (pull.head.clone(), merge_queue::until(cx));
    Next::Move(Move::Run(RunMove::BringUpToDate { from, until }))
}

/// True if the pull request shows another head than the one for which an update was asked, whether or not the forge has
/// answered.
pub(crate) fn is_updated(run: &Run, pull: &Pull) -> bool {
    let asked = run.update.as_ref().zip(run.head.as_ref());
    asked.is_some_and(|(asked, head)| asked.from == head.commit && asked.from != pull.head)
}
