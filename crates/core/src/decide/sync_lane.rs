//! A sync pull request that conflicts with the bot branch. It has a number, comments and labels like an issue, so it is
//! worked on like one: queued by Ralph, resolved in the conflict lane, and returned to its repository.

use super::{Context, Decision, Next};
use crate::bound::Bound;
use crate::fact::{Move, Subject};
use crate::ids::IssueKey;
use crate::issue::{Issue, Phase};
use crate::policy::Policy;
use crate::repo::{Repo, SyncPull, sync_branch};
use crate::run::Run;
use crate::watch::{Pace, Resource, Watch};

/// The open sync pull request, if this is it.
fn open<'a>(repo: &'a Repo, key: &IssueKey) -> Option<&'a SyncPull> {
    repo.sync.open.as_ref().filter(|open| open.number.0 == key.number)
}

/// Takes up a sync pull request that is not managed yet.
pub(crate) fn begins(
    repo: &Repo,
    key: &IssueKey,
    issue: &Issue,
    policy: &Policy,
) -> Option<Decision> {
    let rules = policy.repo(&key.repo)?;
    let open = open(repo, key).filter(|_| issue.is_open())?;
    let is_for_lane = open.is_for_lane(&rules.bot_branch, rules.limits.of(Bound::CONFLICT_LOOKS));
    is_for_lane.then(|| Decision::moving(Subject::Issue(key.clone()), entered(open)))
}

fn entered(open: &SyncPull) -> Move {
    Move::SyncConflicted { branch: sync_branch(&open.of) }
}

/// Begins when it conflicts again, and ends with the pull request. If a person stopped it, it stays stopped.
pub(crate) fn next(cx: &Context<'_>) -> Option<Move> {
    cx.managed.sync.as_ref()?;
    let open = open(cx.repo, cx.key);
    match cx.managed.phase {
        Phase::Out => {
            let looks = cx.rules.limits.of(Bound::CONFLICT_LOOKS);
            open.filter(|open| open.is_for_lane(&cx.rules.bot_branch, looks)).map(entered)
        }
        Phase::Queued
        | Phase::Running { .. }
        | Phase::Parked { .. }
        | Phase::Escalated { .. }
        | Phase::Stopped { .. } => open.is_none().then_some(Move::SyncResolved { head: None }),
        Phase::InBot { .. } | Phase::Done { .. } => None,
    }
}

/// True if it can be queued: only while there is something to bring.
pub(crate) fn is_open(cx: &Context<'_>) -> bool {
    cx.managed.sync.is_some() && open(cx.repo, cx.key).is_some()
}

/// Ends the lane after its last step: the repository continues with the head that was pushed.
pub(crate) fn is_over(run: &Run) -> Next {
    Next::Move(Move::SyncResolved { head: run.pushed.clone().filter(|_| run.head.is_some()) })
}

/// True if the bot branch has everything that it would bring.
pub(crate) fn brings_nothing(run: &Run) -> bool {
    run.recipe.is_sync() && run.workspace.is_some() && !run.is_outdated && run.head.is_none()
}

/// Reads the page of the pull request for labels that people set: the list of changes has no pull requests.
pub(crate) fn watch(cx: &Context<'_>, decision: &mut Decision) {
    if is_open(cx) {
        let resource = Resource::Issue(cx.key.clone());
        decision.watch.push(Watch { resource, pace: Pace::Normal });
    }
}
