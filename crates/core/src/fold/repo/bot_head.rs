//! The known position of the bot branch, and how often it was seen to move. Ralph's own merges are known before any
//! read shows them.

use super::super::READ_LAG;
use crate::fact::{RunSettled, Settled};
use crate::ids::{IssueKey, Sha};
use crate::issue::Issue;
use crate::merge_queue::Member;
use crate::repo::{BotMoves, Branches, Repo};
use crate::time::Time;

/// Takes in a read of the branches. Until reads have caught up, one that misses our own merge proves nothing.
pub(super) fn see(now: Time, read: &Branches, repo: &mut Repo) -> Branches {
    let Some(known) = repo.branches.as_ref() else { return read.clone() };
    if read.bot_head == known.bot_head {
        return read.clone();
    }
    if repo.bot.ours_until.is_some_and(|until| now < until) {
        return Branches { bot_head: known.bot_head.clone(), ..read.clone() };
    }
    repo.bot = moved_by_others(now, repo.bot);
    repo.merge_queue.base_moved();
    read.clone()
}

/// Takes in what the result of an effect on an issue says about the bot branch.
pub(in crate::fold) fn settled_for_issue(
    now: Time,
    settled: &Settled,
    (key, issue): (&IssueKey, &Issue),
    repo: &mut Repo,
) {
    match settled {
        Settled::Run(RunSettled::Merged { commit, .. }) => {
            moved_by_us(now, commit, repo);
            if let Some(member) = Member::of(key, issue) {
                repo.merge_queue.merged(&member, commit);
            }
        }
        Settled::Run(RunSettled::BaseMoved { head }) => {
            // Counted even if the head was known: the merge that was tried took it for tested.
            repo.bot = moved_by_others(now, repo.bot);
            repo.merge_queue.base_moved();
            if let Some(branches) = repo.branches.as_mut() {
                branches.bot_head = Some(head.clone());
            }
        }
        Settled::Run(_)
        | Settled::Repo(_)
        | Settled::MessageGiven { .. }
        | Settled::MessageRefused { .. }
        | Settled::LabelSent { .. }
        | Settled::LabelUnsent { .. }
        | Settled::LabelAdded(_)
        | Settled::LabelRemoved(_)
        | Settled::LabelRefused { .. }
        | Settled::CommentPosted { .. }
        | Settled::CommentGone { .. }
        | Settled::CommentRefused { .. }
        | Settled::IssueClosed
        | Settled::CloseRefused { .. }
        | Settled::Started { .. }
        | Settled::Ended { .. }
        | Settled::NeverHappened { .. } => {}
    }
}

const fn moved_by_others(now: Time, known: BotMoves) -> BotMoves {
    BotMoves { moves: known.moves + 1, ours_until: None, others_at: Some(now) }
}

pub(super) fn moved_by_us(now: Time, to: &Sha, repo: &mut Repo) {
    repo.bot.ours_until = Some(now.plus(READ_LAG));
    let Some(branches) = repo.branches.as_mut() else { return };
    if branches.bot_head.as_ref() != Some(to) {
        branches.bot_head = Some(to.clone());
        repo.bot.moves += 1;
    }
}
