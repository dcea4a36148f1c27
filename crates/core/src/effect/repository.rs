//! What Ralph does to a repository as a whole: its labels, its branches, the pull requests between them.

use super::Lane;
use crate::ids::{Branch, PullNumber, RepoName, Sha};
use crate::repo::{Car, FollowUpId, Mark, RepoWish, SeenMark};
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
    /// Has a branch require checks too; what it requires already stays.
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
        /// A person's pull request from this branch: only Ralph's own section of its text is edited.
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
    /// Always by a merge commit: otherwise the bot branch would not contain what it was given.
    MergeSync {
        pull: PullNumber,
        head: Sha,
        base: Branch,
    },
    TellOfSync {
        pull: PullNumber,
        body: String,
    },
    /// Deletes the branch of a merged sync pull request, or of a trial that is over.
    DeleteBranch {
        branch: Branch,
    },
    /// Merges heads onto a head of the bot branch, one onto the other, here alone.
    BuildTrial {
        number: u32,
        base: Sha,
        cars: Vec<Car>,
    },
    /// Puts what was built on a branch of its own.
    PushTrial {
        number: u32,
        commit: Sha,
    },
    /// Opens the draft by which the forge runs its checks on it.
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
    /// Opens an issue of Ralph's own.
    OpenFollowUp {
        id: FollowUpId,
        /// How many occurrences it tells of.
        seen: u32,
        title: String,
        body: String,
    },
    /// Writes the mark that this Ralph works here in place of what was read, or of nothing.
    WriteMark {
        mark: Box<Mark>,
        over: Option<Box<SeenMark>>,
        /// A commit whose tree it borrows.
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
    /// What is wanted by it: a refusal holds for this, whatever the content.
    #[must_use]
    pub fn wish(&self) -> RepoWish {
        match self {
            Self::DefineLabel { name, .. } => RepoWish::Label(name.clone()),
            Self::MakeBranch { branch, .. } => RepoWish::Branch(branch.clone()),
            Self::RequireChecks { branch, .. } => RepoWish::Protection(branch.clone()),
            Self::OpenRollup { batch, .. } => RepoWish::Rollup(*batch),
            Self::EditRollup { pull, .. } => RepoWish::RollupText(*pull),
            Self::OpenSync { of, .. } => RepoWish::Sync(of.clone()),
            Self::MergeSync { pull, .. } => RepoWish::SyncMerge(*pull),
            Self::TellOfSync { pull, .. } => RepoWish::SyncTold(*pull),
            Self::DeleteBranch { branch } => RepoWish::BranchGone(branch.clone()),
            Self::BuildTrial { .. } => RepoWish::Trials,
            Self::PushTrial { number, .. } | Self::OpenTrial { number, .. } => {
                RepoWish::Trial(*number)
            }
            Self::CloseTrial { pull } => RepoWish::TrialClosed(*pull),
            Self::OpenFollowUp { id, .. } => RepoWish::FollowUp(id.clone()),
            Self::EditFollowUp { id, .. } => RepoWish::FollowUpText(id.clone()),
            Self::WriteMark { .. } => RepoWish::Mark,
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
            | Self::CloseTrial { .. } => self.wish().to_string(),
        }
    }

    pub(super) fn lane(&self, repo: &RepoName) -> Lane {
        match self {
            Self::DefineLabel { .. } => Lane::Labels(repo.to_string()),
            Self::MakeBranch { .. }
            | Self::DeleteBranch { .. }
            | Self::BuildTrial { .. }
            | Self::PushTrial { .. } => Lane::Git(repo.to_string()),
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
            | Self::EditFollowUp { .. } => Lane::Forge(repo.to_string()),
        }
    }
}
