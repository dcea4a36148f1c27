//! Effects on a repository as a whole: its labels, its branches and the pull requests between them.

use super::OrderingKey;
use crate::ids::{Branch, PullNumber, RepoName, Sha};
use crate::merge_queue::Entry;
use crate::repo::{DesiredEffect, FollowUpId, Mark, SeenMark};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepoAct {
    DefineLabel {
        name: String,
        is_new: bool,
    },
    MakeBranch {
        branch: Branch,
        at: Sha,
    },
    /// Adds checks to those that a branch requires.
    RequireChecks {
        branch: Branch,
        checks: Vec<String>,
    },
    OpenRollup {
        batch: u32,
        head: Branch,
        base: Branch,
        title: String,
        body: String,
    },
    EditRollup {
        pull: PullNumber,
        body: String,
        /// The branch of a person's pull request: only Ralph's own section of its text is edited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section_of: Option<Branch>,
    },
    /// Opens the pull request that brings a head of the default branch into the bot branch.
    OpenSync {
        of: Sha,
        head: Branch,
        base: Branch,
        title: String,
        body: String,
    },
    /// Always by a merge commit: otherwise the bot branch would not contain the merged commits.
    MergeSync {
        pull: PullNumber,
        head: Sha,
        base: Branch,
    },
    TellOfSync {
        pull: PullNumber,
        body: String,
    },
    /// Deletes the branch of a merged sync pull request, or of a finished trial build.
    DeleteBranch {
        branch: Branch,
    },
    /// Builds a trial: merges heads onto a head of the bot branch, one after the other, on this machine only.
    BuildTrial {
        number: u32,
        base: Sha,
        #[serde(alias = "cars")]
        entries: Vec<Entry>,
    },
    /// Pushes the trial build to a separate branch.
    PushTrial {
        number: u32,
        commit: Sha,
    },
    /// Opens the draft pull request that makes the forge run its checks on the trial build.
    OpenTrial {
        number: u32,
        commit: Sha,
        head: Branch,
        base: Branch,
        title: String,
        body: String,
    },
    CloseTrial {
        pull: PullNumber,
    },
    /// Opens a follow-up issue.
    OpenFollowUp {
        id: FollowUpId,
        /// The number of occurrences in its text.
        seen: u32,
        title: String,
        body: String,
    },
    /// Writes the mark that this Ralph works here, in place of the one that was read, or of none.
    WriteMark {
        mark: Box<Mark>,
        over: Option<Box<SeenMark>>,
        /// A commit whose tree the mark reuses.
        like: Sha,
    },
    EditFollowUp {
        id: FollowUpId,
        issue: u64,
        seen: u32,
        body: String,
    },
}

impl RepoAct {
    /// The desired effect without its content: a refusal holds for it, whatever the content.
    #[must_use]
    pub fn desired(&self) -> DesiredEffect {
        match self {
            Self::DefineLabel { name, .. } => DesiredEffect::Label(name.clone()),
            Self::MakeBranch { branch, .. } => DesiredEffect::Branch(branch.clone()),
            Self::RequireChecks { branch, .. } => DesiredEffect::Protection(branch.clone()),
            Self::OpenRollup { batch, .. } => DesiredEffect::Rollup(*batch),
            Self::EditRollup { pull, .. } => DesiredEffect::RollupText(*pull),
            Self::OpenSync { of, .. } => DesiredEffect::Sync(of.clone()),
            Self::MergeSync { pull, .. } => DesiredEffect::SyncMerge(*pull),
            Self::TellOfSync { pull, .. } => DesiredEffect::SyncTold(*pull),
            Self::DeleteBranch { branch } => DesiredEffect::BranchGone(branch.clone()),
            Self::BuildTrial { .. } => DesiredEffect::Trials,
            Self::PushTrial { number, .. } | Self::OpenTrial { number, .. } => {
                DesiredEffect::Trial(*number)
            }
            Self::CloseTrial { pull } => DesiredEffect::TrialClosed(*pull),
            Self::OpenFollowUp { id, .. } => DesiredEffect::FollowUp(id.clone()),
            Self::EditFollowUp { id, .. } => DesiredEffect::FollowUpText(id.clone()),
            Self::WriteMark { .. } => DesiredEffect::Mark,
        }
    }

    pub(super) fn intent(&self) -> String {
        match self {
            Self::BuildTrial { number, .. } => format!("trial-build:{number}"),
            Self::PushTrial { number, .. } => format!("trial-push:{number}"),
            Self::OpenTrial { number, .. } => format!("trial:{number}"),
            Self::DefineLabel { .. }
            | Self::MakeBranch { .. }
            | Self::RequireChecks { .. }
            | Self::OpenRollup { .. }
            | Self::EditRollup { .. }
            | Self::OpenSync { .. }
            | Self::MergeSync { .. }
            | Self::TellOfSync { .. }
            | Self::DeleteBranch { .. }
            | Self::OpenFollowUp { .. }
            | Self::EditFollowUp { .. }
            | Self::WriteMark { .. }
            | Self::CloseTrial { .. } => self.desired().to_string(),
        }
    }

    pub(super) fn ordering_key(&self, repo: &RepoName) -> OrderingKey {
        match self {
            Self::DefineLabel { .. } => OrderingKey::Labels(repo.to_string()),
            Self::MakeBranch { .. }
            | Self::DeleteBranch { .. }
            | Self::BuildTrial { .. }
            | Self::PushTrial { .. } => OrderingKey::Git(repo.to_string()),
            Self::RequireChecks { .. }
            | Self::OpenRollup { .. }
            | Self::EditRollup { .. }
            | Self::OpenSync { .. }
            | Self::MergeSync { .. }
            | Self::TellOfSync { .. }
            | Self::OpenTrial { .. }
            | Self::CloseTrial { .. }
            | Self::OpenFollowUp { .. }
            | Self::WriteMark { .. }
            | Self::EditFollowUp { .. } => OrderingKey::Forge(repo.to_string()),
        }
    }
}
