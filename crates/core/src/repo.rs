//! The state of one repository: its branches, labels, required checks, the changes on their way to the default branch,
//! and its share of the queue.

mod follow_up;
mod mark;
mod refusals;
mod sync;

pub use follow_up::{
    FOLLOW_UPS_MAX, FollowUp, FollowUpId, FollowUpKind, FollowUps, OCCURRENCES_MAX, Occurrence,
    Untold,
};
pub use mark::{Hold, Mark, MarkBook, OwnMark, RENEWED_EVERY, SeenMark, mark_good_for};
pub use refusals::{DesiredEffect, Refusal, Refusals};
pub use sync::{Compared, Resolved, Sync, SyncPull, SyncTrouble, is_sync_branch, sync_branch};

use crate::books::Books;
use crate::digest::Digest;
use crate::ids::{Branch, PullNumber, Sha};
use crate::merge_queue::MergeQueue;
use crate::outage::Turns;
use crate::policy::RepoPolicy;
use crate::pull::Required;
use crate::run::Run;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Merged rollups remembered as evidence for issues that are not done yet.
pub const ROLLUPS_REMEMBERED_MAX: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Repo {
    pub branches: Option<Branches>,
    pub required: Required,
    /// The reason why the required checks cannot be read at the moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_unread: Option<String>,
    /// Checks that a branch does not require yet and should.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unrequired: BTreeMap<Branch, Vec<String>>,
    /// Managed labels that are missing or differ; `None` until read.
    pub labels_wrong: Option<BTreeMap<String, LabelFault>>,
    pub batch: Batch,
    pub rolled_up: Vec<MergedRollup>,
    pub share: Share,
    #[serde(default)]
    pub refusals: Refusals,
    #[serde(default)]
    pub sync: Sync,
    #[serde(default)]
    pub bot: BotMoves,
    #[serde(default, alias = "train")]
    pub merge_queue: MergeQueue,
    #[serde(default, skip_serializing_if = "Turns::is_empty")]
    pub turns: Turns,
    /// Shared, because every fact compares it and only the end of a turn changes it.
    #[serde(default, skip_serializing_if = "is_blank")]
    pub books: Arc<Books>,
    #[serde(default)]
    pub mark: MarkBook,
    /// Shared, because every fact compares it and it hardly ever changes.
    #[serde(default, skip_serializing_if = "is_none_yet")]
    pub follow_ups: Arc<FollowUps>,
}

fn is_none_yet(follow_ups: &FollowUps) -> bool {
    follow_ups.is_empty()
}

fn is_blank(books: &Books) -> bool {
    books.is_empty()
}

/// The known moves of the bot branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BotMoves {
    /// The number of times that its head was seen to change.
    pub moves: u64,
    /// Its head is Ralph's last merge; until this time a read may not show it yet.
    pub ours_until: Option<Time>,
    /// The last time that another account was seen to have moved it. Results read before may be in it by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_at: Option<Time>,
}

impl BotMoves {
    /// True if no other account is known to have moved the bot branch since this time.
    #[must_use]
    pub fn holds_since(&self, at: Time) -> bool {
        self.others_at.is_none_or(|moved| moved <= at)
    }
}

impl Branches {
    /// Returns what decides whether work can begin; the heads move all the time.
    #[must_use]
    pub(crate) const fn shape(&self) -> (&Branch, bool) {
        (&self.default, self.bot_head.is_some())
    }
}

impl Repo {
    /// True if the bot branch has moved since this run last merged it. A run may have fetched a newer head than the
    /// last read shows, so comparing heads is not enough.
    #[must_use]
    pub fn has_moved_under(&self, run: &Run) -> bool {
        let (Some(branches), Some(workspace)) = (&self.branches, &run.workspace) else {
            return false;
        };
        self.bot.moves > workspace.bot_moves && branches.bot_head.as_ref() != run.tested_on()
    }

    /// True if there is a branch to work from. Until that is known nothing is claimed.
    #[must_use]
    pub fn has_bot_branch(&self, rules: &RepoPolicy) -> bool {
        let branches = self.branches.as_ref();
        branches.is_some_and(|seen| seen.bot_head.is_some() || seen.default == rules.bot_branch)
    }
}

/// The two branches that matter, as last read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branches {
    pub default: Branch,
    pub default_head: Sha,
    /// `None`: the bot branch does not exist yet.
    pub bot_head: Option<Sha>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelFault {
    Missing,
    Drifted,
}

/// Merged task pull requests that wait for the next rollup.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Batch {
    pub number: u32,
    pub last_joined: Time,
    pub rollup: Option<Rollup>,
    /// The last rollup was closed unmerged: the next one waits for another merge.
    pub awaits_new_member: bool,
}

/// The open rollup pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rollup {
    pub number: PullNumber,
    pub head: Sha,
    /// The text that Ralph last wrote into it.
    pub body: Digest,
    /// A person opened it: Ralph only edits its own section of the text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_adopted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedRollup {
    pub number: PullNumber,
    pub head: Sha,
    pub merged: Sha,
    pub batch: u32,
    pub at: Time,
}

/// The position in start-time fair queueing: a repository's claims begin at `start` and are paid for until `finish`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Share {
    pub start: u64,
    pub finish: u64,
}
