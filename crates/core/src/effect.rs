//! Everything Ralph can do to the world outside. One effect makes at most one change, and its key names the
//! intent, so wanting it twice is wanting it once.

use crate::fact::{Fact, RepoSettled, RunSettled, Settled, Subject, What};
use crate::ids::{Attempt, Branch, CommentId, PullNumber, Sha};
use crate::issue::{DoneEvidence, Slot};
use crate::job::Job;
use crate::managed_path::ManagedPath;
use crate::policy::MergeMethod;
use crate::recipe::Step;
use crate::{digest::Digest, fact::Outcome};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    pub subject: Subject,
    pub act: Act,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    AddLabel { label: Arc<str> },
    RemoveLabel { label: Arc<str> },
    CreateComment { slot: Slot, body: String },
    EditComment { slot: Slot, id: CommentId, body: String },
    CloseIssue,
    Start { attempt: Attempt, job: Job },
    End { attempt: Attempt, step: Step },
    Push { workspace: ManagedPath, branch: Branch, commit: Sha },
    OpenPull { head: Branch, base: Branch, title: String, body: String },
    Merge { pull: PullNumber, head: Sha, method: MergeMethod },
    RemoveWorkspace { path: ManagedPath, evidence: DoneEvidence },
    DefineLabel { name: String, is_new: bool },
    MakeBranch { branch: Branch, at: Sha },
    OpenRollup { batch: u32, head: Branch, base: Branch, title: String, body: String },
    EditRollup { pull: PullNumber, body: String },
}

/// What may not run side by side: one effect at a time in each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    Forge(String),
    Git(String),
    Process(String),
}

impl Lane {
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Forge(repo) => format!("forge:{repo}"),
            Self::Git(repo) => format!("git:{repo}"),
            Self::Process(issue) => format!("process:{issue}"),
        }
    }
}

impl Effect {
    /// The intent in one line. Content is left out on purpose: a comment whose text changed before it was
    /// written is still the same comment.
    #[must_use]
    pub fn key(&self) -> String {
        let mut key = format!("{}:", self.subject);
        let written = match &self.act {
            Act::AddLabel { label } => write!(key, "label+{label}"),
            Act::RemoveLabel { label } => write!(key, "label-{label}"),
            Act::CreateComment { slot, .. } => {
                write!(key, "comment:{}", String::from(slot.clone()))
            }
            Act::EditComment { id, .. } => write!(key, "comment-edit:{id}"),
            Act::CloseIssue => write!(key, "close"),
            Act::Start { attempt, .. } => write!(key, "start:{attempt}"),
            Act::End { attempt, .. } => write!(key, "end:{attempt}"),
            Act::Push { commit, .. } => write!(key, "push:{commit}"),
            Act::OpenPull { head, base, .. } => write!(key, "pull:{head}:{base}"),
            Act::Merge { pull, head, .. } => write!(key, "merge:{pull}:{head}"),
            Act::RemoveWorkspace { path, .. } => write!(key, "rmworktree:{}", path.as_str()),
            Act::DefineLabel { name, .. } => write!(key, "define:{name}"),
            Act::MakeBranch { branch, .. } => write!(key, "branch:{branch}"),
            Act::OpenRollup { batch, .. } => write!(key, "rollup:{batch}"),
            Act::EditRollup { pull, .. } => write!(key, "rollup-edit:{pull}"),
        };
        debug_assert!(written.is_ok(), "writing to a String cannot fail");
        key
    }

    #[must_use]
    pub fn lane(&self) -> Lane {
        match &self.act {
            Act::AddLabel { .. }
            | Act::RemoveLabel { .. }
            | Act::CreateComment { .. }
            | Act::EditComment { .. }
            | Act::CloseIssue
            | Act::OpenPull { .. }
            | Act::Merge { .. }
            | Act::DefineLabel { .. }
            | Act::MakeBranch { .. }
            | Act::OpenRollup { .. }
            | Act::EditRollup { .. } => Lane::Forge(self.subject.repo().to_string()),
            Act::Push { .. } => Lane::Git(self.subject.repo().to_string()),
            Act::Start { .. } | Act::End { .. } | Act::RemoveWorkspace { .. } => {
                Lane::Process(self.subject.to_string())
            }
        }
    }

    /// A new step of the run, as opposed to telling people where it stands. A stopped or paused issue gets none.
    #[must_use]
    pub const fn is_step(&self) -> bool {
        match &self.act {
            Act::Start { .. } | Act::Push { .. } | Act::OpenPull { .. } | Act::Merge { .. } => true,
            Act::AddLabel { .. }
            | Act::RemoveLabel { .. }
            | Act::CreateComment { .. }
            | Act::EditComment { .. }
            | Act::CloseIssue
            | Act::End { .. }
            | Act::RemoveWorkspace { .. }
            | Act::DefineLabel { .. }
            | Act::MakeBranch { .. }
            | Act::OpenRollup { .. }
            | Act::EditRollup { .. } => false,
        }
    }

    /// The fact that this effect was refused for good, or never answered within its tries.
    #[must_use]
    pub fn refused(&self, reason: &str) -> Fact {
        let reason = reason.to_owned();
        let settled = What::Settled;
        let run = |run| What::Settled(Settled::Run(run));
        let what = match &self.act {
            Act::AddLabel { label } | Act::RemoveLabel { label } => {
                settled(Settled::LabelRefused { label: label.clone(), reason })
            }
            Act::CreateComment { slot, body } | Act::EditComment { slot, body, .. } => {
                let body = Digest::of(body);
                settled(Settled::CommentRefused { slot: slot.clone(), body, reason })
            }
            Act::CloseIssue => settled(Settled::CloseRefused { reason }),
            Act::Start { attempt, .. } => {
                What::Finished { attempt: *attempt, outcome: Outcome::Failed { reason } }
            }
            Act::End { attempt, .. } => settled(Settled::Ended { attempt: *attempt }),
            Act::Push { .. } => run(RunSettled::PushRefused { reason }),
            Act::OpenPull { .. } => run(RunSettled::PullRefused { reason }),
            Act::Merge { .. } => run(RunSettled::MergeRefused { reason }),
            Act::RemoveWorkspace { .. } => run(RunSettled::WorkspaceKept { reason }),
            Act::DefineLabel { .. }
            | Act::MakeBranch { .. }
            | Act::OpenRollup { .. }
            | Act::EditRollup { .. } => {
                settled(Settled::Repo(RepoSettled::Refused { what: self.key(), reason }))
            }
        };
        Fact { subject: self.subject.clone(), what }
    }
}
