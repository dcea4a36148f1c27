//! The end of an issue: merged to the bot branch, reached the default branch, closed.

use super::{Context, Next, unread};
use crate::effect::IssueAct;
use crate::fact::Move;
use crate::ids::Sha;
use crate::standing::Standing;
use crate::unread::ReadOf;
use crate::watch::{Pace, Resource, Watch};

/// Waits for evidence that a change in the bot branch has reached the default branch.
pub(super) fn in_bot(cx: &Context<'_>, merged: &Sha, batch: u32) -> Next {
    let reach = cx.managed.reach.as_ref();
    if let Some(evidence) = reach.and_then(|reach| reach.evidence.clone())
        && evidence.merged() == Some(merged)
    {
        return Next::Move(Move::Done { evidence });
    }
    let rollup = cx.repo.batch.rollup.as_ref().map(|rollup| rollup.number);
    let head = cx.repo.branches.as_ref().map(|branches| &branches.default_head);
    let is_checked = head.is_some() && reach.map(|reach| &reach.default_head) == head;
    let own_rollup = cx.repo.rolled_up.iter().find(|rollup| rollup.batch == batch);
    let (merged, why) = (own_rollup.map(|own| own.number), unread::why(cx, ReadOf::Reach));
    let standing = Standing::InBot { rollup, merged, why };
    // A look that found nothing may have been stale, so it is repeated, only less often. Once its rollup is merged, the
    // change is expected on the default branch at any moment.
    let pace = match (own_rollup.is_some(), is_checked) {
        (true, _) => Pace::Soon,
        (false, false) => Pace::Normal,
        (false, true) => Pace::Rarely,
    };
    let watch = vec![Watch { resource: Resource::Reach(cx.key.clone()), pace }];
    if !is_checked {
        return Next::Read(standing, watch);
    }
    // Its rollup was merged without it: the change came too late for that one.
    match own_rollup.map(|rollup| rollup.at.plus(cx.policy.read_lag)) {
        Some(settled) if settled <= cx.now => {
            Next::Move(Move::Rebatched { batch: cx.repo.batch.number })
        }
        Some(settled) => Next::Until(standing, watch, settled),
        None => Next::Read(standing, watch),
    }
}

pub(super) fn done(cx: &Context<'_>, is_closed: bool) -> Next {
    let is_open = cx.issue.is_open();
    if is_open && !is_closed {
        return Next::Act(cx.on_issue(IssueAct::CloseIssue), Standing::Done);
    }
    Next::Wait(Standing::Done)
}
