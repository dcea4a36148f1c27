//! What is known of one repository: its branches, labels, required checks, the batch on its way to the
//! default branch, and its share of the queue.

mod follow_up;
mod mark;
mod refusals;
mod sync;
mod train;

pub use follow_up::{
    FOLLOW_UPS_MAX, FollowUp, FollowUpId, FollowUpKind, FollowUps, OCCURRENCES_MAX, Occurrence,
    Untold,
};
pub use mark::{Hold, Mark, MarkBook, OwnMark, RENEWED_EVERY, SeenMark, mark_good_for};
pub use refusals::{Refusal, Refusals, RepoWish};
pub use sync::{Compared, Resolved, Sync, SyncPull, SyncTrouble, is_sync_branch, sync_branch};
pub use train::{
    Car, LastTrial, Member, MergedCar, Train, Trial, TrialEnd, TrialPull, is_trial_branch,
    trial_branch,
};

use crate::digest::Digest;
use crate::ids::{Branch, PullNumber, Sha};
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
    /// Why that cannot be read at the moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_unread: Option<String>,
    /// Checks that a branch is yet to require.
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
    #[serde(default)]
    pub train: Train,
    #[serde(default, skip_serializing_if = "Turns::is_empty")]
    pub turns: Turns,
    #[serde(default)]
    pub mark: MarkBook,
    /// Shared, because it is compared with every fact and hardly ever changes.
    #[serde(default, skip_serializing_if = "is_none_yet")]
    pub follow_ups: Arc<FollowUps>,
}

fn is_none_yet(follow_ups: &FollowUps) -> bool {
    follow_ups.is_empty()
}

/// How the bot branch moved, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BotMoves {
    /// How often its head was seen to be another than before.
    pub moves: u64,
    /// Its head is what Ralph merged last; until then a read may not show it yet.
    pub ours_until: Option<Time>,
    /// When somebody else was last seen to have moved it. What was read before may be in it by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_at: Option<Time>,
}

impl BotMoves {
    /// Has nobody else moved the bot branch since this time, as far as it is known?
    #[must_use]
    pub fn holds_since(&self, at: Time) -> bool {
        self.others_at.is_none_or(|moved| moved <= at)
    }
}

impl Branches {
    /// What decides whether work can begin; the heads move all the time.
    #[must_use]
    pub(crate) const fn shape(&self) -> (&Branch, bool) {
        (&self.default, self.bot_head.is_some())
    }
}

impl Repo {
    /// Has the bot branch moved on since this run last merged it in? What a run has fetched may well be newer
    /// than what was last read, so the head alone does not say.
    #[must_use]
    pub fn has_moved_under(&self, run: &Run) -> bool {
        let (Some(branches), Some(workspace)) = (&self.branches, &run.workspace) else {
            return false;
        };
        self.bot.moves > workspace.bot_moves && branches.bot_head.as_ref() != run.tested_on()
    }

    /// Is there a branch to work from? Before that is known nothing is claimed.
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
    /// The last rollup was closed unmerged: the next one waits for something new.
    pub awaits_new_member: bool,
}

/// The open rollup pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rollup {
    pub number: PullNumber,
    pub head: Sha,
    /// What Ralph last wrote into it.
    pub body: Digest,
    /// A person opened it: only Ralph's own section of its text is ever edited.
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

/// Start-time fair queueing: a repository's claims begin at `start` and are paid for until `finish`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Share {
    pub start: u64,
    pub finish: u64,
}
