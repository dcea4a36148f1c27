//! Applies facts about the sync pull request.

use super::super::READ_LAG;
use crate::ids::{Branch, PullNumber, Sha};
use crate::pull::{Mergeable, Pull, PullState};
use crate::repo::{Branches, Compared, DesiredEffect, Repo, Resolved, SyncPull, sync_branch};
use crate::time::Time;

pub(super) fn opened(now: Time, number: PullNumber, of: &Sha, base: &Branch, repo: &mut Repo) {
    repo.refusals.forget(&DesiredEffect::Sync(of.clone()));
    let sync = &mut repo.sync;
    sync.branch_at = None;
    sync.opened_last = Some(now);
    sync.open = Some(SyncPull {
        number,
        of: of.clone(),
        resolved: None,
        looks: 0,
        base: base.clone(),
        opened: now,
        seen: None,
        unread: None,
        looked_at: None,
        refusals: 0,
        last_refusal: None,
        is_told: false,
    });
}

/// Records that neither branch lacks anything if both are at one commit, so that no comparison is needed.
pub(super) fn see_branches(branches: &Branches, repo: &mut Repo) {
    let Branches { default_head, bot_head, .. } = branches;
    if let Some(bot_head) = bot_head.clone().filter(|head| head == default_head) {
        let default_head = default_head.clone();
        repo.sync.compared = Some(Compared { default_head, bot_head, is_behind: false });
    }
}

pub(super) fn see(pull: &Pull, repo: &mut Repo) {
    let Some(open) = repo.sync.open.as_mut().filter(|open| open.number == pull.number) else {
        return;
    };
    match &pull.state {
        PullState::Open => see_open(pull, open),
        PullState::Merged { commit } if pull.base == open.base => {
            merged(pull.number, commit, repo);
        }
        PullState::Merged { .. } | PullState::Closed => {
            repo.sync.declined = Some(open.of.clone());
            repo.sync.open = None;
        }
    }
}

/// Records that the forge refuses to show it, or its checks.
pub(super) fn unread(number: PullNumber, why: &str, repo: &mut Repo) {
    if let Some(open) = repo.sync.open.as_mut().filter(|open| open.number == number) {
        open.unread = Some(why.to_owned());
    }
}

fn see_open(pull: &Pull, open: &mut SyncPull) {
    let mut pull = pull.clone();
    let known = open.seen.as_ref();
    if pull.checks.is_some() {
        open.unread = None;
    } else {
        let checks = known.and_then(|known| known.checks.clone());
        pull.checks = checks.filter(|checks| checks.head == pull.head);
    }
    // Right after a push of the lane the forge may still show the old head.
    let has_settled = |at: Time| pull.read_at > at.plus(READ_LAG) || pull.head == *open.own_head();
    let has_settled = open.resolved.as_ref().is_none_or(|resolved| has_settled(resolved.at));
    let is_stale = known.is_some_and(|known| known.read_at > pull.read_at) || !has_settled;
    // An unchanged later read is no news.
    let is_same =
        known.is_some_and(|known| Pull { read_at: known.read_at, ..pull.clone() } == *known);
    if !is_stale && !is_same {
        open.seen = Some(pull);
    }
}

/// Records a merge: from here on the bot branch has what the pull request brought, whatever a lagging read of it shows.
pub(super) fn merged(number: PullNumber, commit: &Sha, repo: &mut Repo) {
    let Some(open) = repo.sync.open.take_if(|open| open.number == number) else { return };
    repo.refusals.forget(&DesiredEffect::SyncMerge(number));
    repo.sync.merged_branches.insert(sync_branch(&open.of));
    let (default_head, bot_head) = (open.of, commit.clone());
    if let Some(branches) = repo.branches.as_mut() {
        branches.bot_head = Some(bot_head.clone());
    }
    repo.sync.compared = Some(Compared { default_head, bot_head, is_behind: false });
}

pub(super) fn branch_gone(branch: &Branch, repo: &mut Repo) {
    repo.refusals.forget(&DesiredEffect::BranchGone(branch.clone()));
    repo.sync.merged_branches.remove(branch);
}

pub(super) fn told(number: PullNumber, repo: &mut Repo) {
    repo.refusals.forget(&DesiredEffect::SyncTold(number));
    if let Some(open) = repo.sync.open.as_mut().filter(|open| open.number == number) {
        open.is_told = true;
    }
}

pub(super) fn refused(desired: &DesiredEffect, reason: &str, repo: &mut Repo) {
    match desired {
        // The head may have moved by the next try.
        DesiredEffect::Sync(_) => repo.sync.branch_at = None,
        DesiredEffect::SyncMerge(number) => {
            let open = repo.sync.open.as_mut().filter(|open| open.number == *number);
            if let Some(open) = open {
                open.refusals = open.refusals.saturating_add(1);
                open.last_refusal = Some(reason.to_owned());
                if let Some(seen) = open.seen.as_mut() {
                    seen.mergeable = Mergeable::Unknown;
                }
            }
        }
        DesiredEffect::BranchGone(_)
        | DesiredEffect::Label(_)
        | DesiredEffect::Branch(_)
        | DesiredEffect::Protection(_)
        | DesiredEffect::Rollup(_)
        | DesiredEffect::RollupText(_)
        | DesiredEffect::SyncTold(_)
        | DesiredEffect::Trials
        | DesiredEffect::Trial(_)
        | DesiredEffect::TrialClosed(_)
        | DesiredEffect::FollowUp(_)
        | DesiredEffect::FollowUpText(_)
        | DesiredEffect::Mark => {}
    }
}

/// Records that the conflict lane is done with it and has pushed this head, or found nothing to do. Earlier reads of
/// the pull request no longer count.
pub(in crate::fold) fn resolved(
    now: Time,
    number: PullNumber,
    head: Option<&Sha>,
    repo: &mut Repo,
) {
    let open = repo.sync.open.as_mut().filter(|open| open.number == number);
    let Some(open) = open else { return };
    open.seen = None;
    match head.filter(|head| *head != open.own_head()) {
        Some(head) => {
            open.resolved = Some(Resolved { head: head.clone(), at: now });
            (open.looks, open.refusals, open.last_refusal) = (0, 0, None);
        }
        None => {
            open.looks = open.looks.saturating_add(1);
            open.looked_at = Some(now);
        }
    }
}
