//! The mark on a repository: looked for before anything is started, written, renewed, and respected if it is another
//! instance's.

use super::RepoContext;
use crate::decide::Decision;
use crate::effect::RepoAct;
use crate::fact::{MarkMove, Move};
use crate::policy::Instance;
use crate::repo::{DesiredEffect, Hold, mark_good_for};
use crate::standing::MarkStanding;
use crate::watch::{Pace, Resource, Watch};

/// The move that has to come before anything else.
pub(super) fn next(cx: &RepoContext<'_>) -> Option<Move> {
    let (me, book) = (cx.policy.instance.as_ref()?, &cx.repo.mark);
    if book.start != me.start {
        let Instance { start, was_away, is_behind, .. } = me.clone();
        return Some(Move::Mark(MarkMove::Began { start, was_away, is_behind }));
    }
    if let Some(number) = book.forgotten(me) {
        return Some(Move::Mark(MarkMove::Outdated { number }));
    }
    let has_begun = book.begins.is_some_and(|at| at <= cx.now);
    has_begun.then_some(Move::Mark(MarkMove::Begun))
}

/// Adds the reads and writes of the mark. Returns its standing, if there is something to report.
pub(super) fn want(
    cx: &RepoContext<'_>,
    acts: &mut Vec<RepoAct>,
    decision: &mut Decision,
) -> Option<MarkStanding> {
    let (me, book) = (cx.policy.instance.as_ref()?, &cx.repo.mark);
    let is_refused = cx.repo.refusals.of(&DesiredEffect::Mark).is_some();
    let pace = match &book.seen {
        None => Pace::Soon,
        // Each look at a missing mark costs a request.
        Some(None) if is_refused => Pace::Rarely,
        Some(_) => Pace::Normal,
    };
    decision.watch.push(Watch { resource: Resource::Mark(cx.name.clone()), pace });
    if let Some(at) = book.looks_again() {
        decision.look_at(cx.now, at);
    }
    let sees_within = mark_good_for(cx.policy.poll_interval).plus(cx.policy.read_lag);
    let wanted = book.wanted((me, sees_within), cx.now);
    // A commit needs a tree, and the default branch's certainly exists.
    if let (Some((mark, over)), Some(branches)) = (wanted, &cx.repo.branches) {
        let (mark, over) = (Box::new(mark), over.map(Box::new));
        acts.push(RepoAct::WriteMark { mark, over, like: branches.default_head.clone() });
    }
    match book.hold(Some(me), &cx.repo.refusals) {
        Hold::Ours => None,
        Hold::Open | Hold::Remembered => Some(MarkStanding::Looking),
        Hold::Begins { at, from } => {
            Some(MarkStanding::Begins { at, from: from.map(|mark| mark.name.clone()) })
        }
        Hold::Theirs(theirs) => {
            let mark = theirs.mark.as_ref();
            Some(MarkStanding::Theirs {
                name: mark.map(|mark| mark.name.clone()),
                since: mark.map(|mark| mark.since).unwrap_or_default(),
                renewed: mark.map(|mark| mark.renewed).unwrap_or_default(),
                is_copy: mark.is_some_and(|mark| mark.store == me.store),
            })
        }
    }
}

/// The reads for a repository that is not ours, beside its mark.
pub(super) fn waits(cx: &RepoContext<'_>) -> Vec<Watch> {
    let resource = Resource::Branches(cx.name.clone());
    vec![Watch { resource, pace: Pace::Normal }]
}
