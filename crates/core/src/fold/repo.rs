//! Applies facts about a repository.

mod bot_head;
mod follow_up;
mod sync;

use crate::digest::Digest;
use crate::fact::{MarkMove, Move, RepoObservation, RepoSettled, Settled, What};
use crate::merge_queue::recorded;
use crate::pull::{Pull, PullState, Required};
use crate::repo::{
    Batch, DesiredEffect, LabelFault, MergedRollup, ROLLUPS_REMEMBERED_MAX, Repo, Rollup,
    is_sync_branch,
};
use crate::time::Time;

pub(super) use bot_head::settled_for_issue;
pub(super) use follow_up::{hear as hear_survey, see as see_red_check};
pub(super) use sync::resolved as sync_resolved;

pub(super) fn fold(now: Time, what: &What, repo: &mut Repo) {
    match what {
        What::RepoSeen(observation) => see(now, observation, repo),
        What::Settled(Settled::Repo(settled)) => settle(now, settled, repo),
        What::Moved(Move::Trial(step)) => recorded::moved(now, step, repo),
        What::Moved(Move::Mark(step)) => mark_moved(now, step, repo),
        What::Seen(_)
        | What::Finished { .. }
        | What::Used { .. }
        | What::Suspected { .. }
        | What::Interrupted { .. }
        | What::Settled(_)
        | What::Moved(_) => {}
    }
}

fn see(now: Time, observation: &RepoObservation, repo: &mut Repo) {
    match observation {
        RepoObservation::Branches(branches) => {
            let branches = bot_head::see(now, branches, repo);
            sync::see_branches(&branches, repo);
            repo.branches = Some(branches);
        }
        // An unreadable answer leaves the last names in force. That nothing is required holds only while it can be
        // read.
        RepoObservation::Required(Required::Unknown) => {
            if repo.required == Required::Nothing {
                repo.required = Required::Unknown;
            }
        }
        RepoObservation::Required(required) => {
            repo.required = required.clone();
            repo.required_unread = None;
        }
        RepoObservation::RequiredUnread { why } => repo.required_unread = Some(why.clone()),
        RepoObservation::Unrequired(unrequired) => repo.unrequired = unrequired.clone(),
        RepoObservation::Labels { wrong } => {
            repo.labels_wrong = Some(wrong.clone());
            repo.refusals.forget_labels_but(|name| wrong.contains_key(name));
        }
        RepoObservation::Rollup(pull) => see_rollup(now, pull, repo),
        RepoObservation::Compared(compared) => repo.sync.compared = Some(compared.clone()),
        RepoObservation::Sync(pull) => sync::see(pull, repo),
        RepoObservation::SyncUnread { number, why } => sync::unread(*number, why, repo),
        RepoObservation::Trial(pull) => recorded::see(pull, repo),
        RepoObservation::Mark(seen) => repo.mark.read(now, seen.as_ref()),
        RepoObservation::TakeOver { by } => repo.mark.ask_for(by),
        RepoObservation::Tree { commit, tree } => recorded::see_tree(commit, tree, repo),
    }
}

fn see_rollup(now: Time, pull: &Pull, repo: &mut Repo) {
    let Some(rollup) = repo.batch.rollup.as_mut().filter(|open| open.number == pull.number) else {
        return;
    };
    rollup.head = pull.head.clone();
    match &pull.state {
        PullState::Open => {}
        PullState::Closed => {
            repo.batch.rollup = None;
            repo.batch.awaits_new_member = true;
        }
        PullState::Merged { commit } => {
            let (number, head, merged) = (pull.number, pull.head.clone(), commit.clone());
            let batch = repo.batch.number;
            repo.rolled_up.push(MergedRollup { number, head, merged, batch, at: now });
            let excess = repo.rolled_up.len().saturating_sub(ROLLUPS_REMEMBERED_MAX);
            repo.rolled_up.drain(..excess);
            repo.batch = Batch { number: batch + 1, last_joined: now, ..Batch::default() };
            // Earlier looks at the default branch were made before this merge.
            if let Some(branches) = &mut repo.branches {
                branches.default_head.clone_from(commit);
            }
        }
    }
}

fn settle(now: Time, settled: &RepoSettled, repo: &mut Repo) {
    match settled {
        RepoSettled::LabelDefined { name } => {
            repo.refusals.forget(&DesiredEffect::Label(name.clone()));
            if let Some(wrong) = repo.labels_wrong.as_mut() {
                wrong.remove(name);
            }
        }
        RepoSettled::ChecksRequired { branch } => {
            repo.refusals.forget(&DesiredEffect::Protection(branch.clone()));
            repo.unrequired.remove(branch);
        }
        RepoSettled::BranchMade { head, branch } => {
            if let Some(branch) = branch {
                repo.refusals.forget(&DesiredEffect::Branch(branch.clone()));
            }
            if branch.as_ref().is_some_and(is_sync_branch) {
                repo.sync.branch_at = Some(head.clone());
            } else if let Some(branches) = repo.branches.as_mut() {
                branches.bot_head = Some(head.clone());
            }
        }
        RepoSettled::RollupOpened { number, head, body } => {
            repo.refusals.forget(&DesiredEffect::Rollup(repo.batch.number));
            let (number, head, body) = (*number, head.clone(), *body);
            repo.batch.rollup = Some(Rollup { number, head, body, is_adopted: false });
        }
        RepoSettled::RollupAdopted { number, head } => {
            repo.refusals.forget(&DesiredEffect::Rollup(repo.batch.number));
            let (number, head, body) = (*number, head.clone(), Digest::of(""));
            repo.batch.rollup = Some(Rollup { number, head, body, is_adopted: true });
        }
        RepoSettled::RollupEdited { body } => {
            if let Some(rollup) = repo.batch.rollup.as_mut() {
                repo.refusals.forget(&DesiredEffect::RollupText(rollup.number));
                rollup.body = *body;
            }
        }
        RepoSettled::SyncOpened { number, of, base } => {
            sync::opened(now, *number, of, base, repo);
        }
        RepoSettled::SyncMerged { number, commit } => {
            bot_head::moved_by_us(now, commit, repo);
            repo.merge_queue.base_moved();
            sync::merged(*number, commit, repo);
        }
        RepoSettled::SyncTold { number } => sync::told(*number, repo),
        RepoSettled::BranchDeleted { branch } => {
            sync::branch_gone(branch, repo);
            recorded::branch_gone(branch, repo);
        }
        RepoSettled::TrialBuilt(built) => recorded::built(built, repo),
        RepoSettled::TrialPushed { number } => recorded::pushed(*number, repo),
        RepoSettled::TrialOpened { number, pull } => recorded::opened(now, *number, *pull, repo),
        RepoSettled::TrialClosed { pull } => recorded::closed(*pull, repo),
        RepoSettled::FollowUpTold { id, issue, seen } => follow_up::told(id, *issue, *seen, repo),
        RepoSettled::FollowUpGone { id } => follow_up::gone(id, repo),
        RepoSettled::MarkWritten(own) => {
            repo.refusals.forget(&DesiredEffect::Mark);
            repo.mark.written(now, own);
        }
        RepoSettled::MarkSent { number } => repo.mark.number = repo.mark.number.max(*number),
        RepoSettled::MarkMoved => repo.mark.seen = None,
        RepoSettled::Refused { what: DesiredEffect::Trial(number), reason } => {
            recorded::refused_one(now, *number, reason, repo);
        }
        RepoSettled::Refused { what, reason } => refused(now, what, reason, repo),
    }
}

fn mark_moved(now: Time, step: &MarkMove, repo: &mut Repo) {
    let book = &mut repo.mark;
    match step {
        MarkMove::Began { start, was_away, is_behind } => {
            book.begin(start, *was_away);
            if *was_away || *is_behind {
                book.doubt(now, *is_behind);
            }
        }
        MarkMove::Outdated { number } => {
            (book.number, book.was_held) = (*number, false);
            book.doubt(now, true);
        }
        MarkMove::Begun => book.begins = None,
    }
}

fn refused(now: Time, desired: &DesiredEffect, reason: &str, repo: &mut Repo) {
    // A label that exists after all was wrongly read as missing.
    if let (DesiredEffect::Label(name), Some(wrong)) = (desired, &mut repo.labels_wrong)
        && let Some(fault) = wrong.get_mut(name)
        && *fault == LabelFault::Missing
    {
        *fault = LabelFault::Drifted;
    }
    sync::refused(desired, reason, repo);
    recorded::refused(now, desired, reason, repo);
    repo.refusals.note(now, desired, reason);
}
