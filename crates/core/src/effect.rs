//! Effects: everything Ralph can do to the outside world. One effect makes at most one change, and its key names the
//! intent, so desiring it twice is desiring it once.

mod repository;

pub use repository::RepoAct;

use crate::fact::{Fact, RepoSettled, RunSettled, Settled, Subject, What};
use crate::ids::{Attempt, Branch, CommentId, IssueKey, Login, PullNumber, RepoName, Sha};
use crate::issue::Slot;
use crate::job::Job;
use crate::managed_path::ManagedPath;
use crate::messages::MessageId;
use crate::policy::MergeMethod;
use crate::removal::Removal;
use crate::rerun::RerunOf;
use crate::steps::Step;
use crate::{digest::Digest, fact::Outcome};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// An effect, with the only kind of subject it can have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Stored", try_from = "Stored")]
pub enum Effect {
    /// On the forge, about an issue.
    Issue(IssueKey, IssueAct),
    /// On the forge, about a repository.
    Repo(RepoName, RepoAct),
    /// On this machine, for an issue: its processes, its worktree, its branch.
    Machine(IssueKey, MachineAct),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueAct {
    /// Reruns a red check.
    RerunCheck(RerunOf),
    AddLabel {
        label: Arc<str>,
    },
    RemoveLabel {
        label: Arc<str>,
    },
    CreateComment {
        slot: Slot,
        body: String,
    },
    EditComment {
        slot: Slot,
        id: CommentId,
        body: String,
    },
    CloseIssue,
    OpenPull {
        head: Branch,
        base: Branch,
        title: String,
        body: String,
        /// The closed pull request that it replaces.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaces: Option<PullNumber>,
        plan: Option<Digest>,
        summary: Option<Digest>,
    },
    Merge {
        pull: PullNumber,
        head: Sha,
        /// The branch that it may be merged into; rows of the first version did not keep it.
        #[serde(default)]
        base: Option<Branch>,
        method: MergeMethod,
        /// The head of that branch with which it was tested; earlier versions did not keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        onto: Option<Sha>,
    },
    /// Asks the forge to merge the base into the pull request's branch, if this is still its head.
    UpdateBranch {
        pull: PullNumber,
        head: Sha,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MachineAct {
    Start {
        attempt: Attempt,
        job: Job,
    },
    End {
        attempt: Attempt,
        step: Step,
    },
    /// Gives a message to the program of an attempt, in the turn under way.
    Tell {
        attempt: Attempt,
        message: MessageId,
        from: Login,
        text: Digest,
    },
    Push {
        workspace: ManagedPath,
        branch: Branch,
        commit: Sha,
    },
    RemoveWorkspace {
        path: ManagedPath,
        #[serde(alias = "evidence")]
        proof: Removal,
    },
}

/// The ordering key of an effect: effects with the same key run one at a time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum OrderingKey {
    /// Comments, pull requests and merges, which must not wait for a label.
    Forge(String),
    /// Labels: they show people the status of an issue, and may be late.
    Labels(String),
    Git(String),
    Process(String),
}

impl OrderingKey {
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Forge(repo) => format!("forge:{repo}"),
            Self::Labels(repo) => format!("labels:{repo}"),
            Self::Git(repo) => format!("git:{repo}"),
            Self::Process(issue) => format!("process:{issue}"),
        }
    }
}

impl Effect {
    #[must_use]
    pub fn subject(&self) -> Subject {
        match self {
            Self::Issue(issue, _) | Self::Machine(issue, _) => Subject::Issue(issue.clone()),
            Self::Repo(repo, _) => Subject::Repo(repo.clone()),
        }
    }

    #[must_use]
    pub const fn repo(&self) -> &RepoName {
        match self {
            Self::Issue(issue, _) | Self::Machine(issue, _) => &issue.repo,
            Self::Repo(repo, _) => repo,
        }
    }

    /// Returns the intent in one line, without its content: a comment with another text is still the same comment.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Issue(issue, act) => format!("{issue}:{}", act.intent()),
            Self::Repo(repo, act) => format!("{repo}:{}", act.intent()),
            Self::Machine(issue, act) => format!("{issue}:{}", act.intent()),
        }
    }

    #[must_use]
    pub fn ordering_key(&self) -> OrderingKey {
        match self {
            Self::Issue(issue, act) => match act {
                IssueAct::AddLabel { .. } | IssueAct::RemoveLabel { .. } => {
                    OrderingKey::Labels(issue.repo.to_string())
                }
                IssueAct::CreateComment { .. }
                | IssueAct::EditComment { .. }
                | IssueAct::OpenPull { .. }
                | IssueAct::Merge { .. }
                | IssueAct::RerunCheck(_)
                | IssueAct::UpdateBranch { .. }
                | IssueAct::CloseIssue => OrderingKey::Forge(issue.repo.to_string()),
            },
            Self::Repo(repo, act) => act.ordering_key(repo),
            Self::Machine(issue, act) => match act {
                MachineAct::Push { .. } => OrderingKey::Git(issue.repo.to_string()),
                MachineAct::Start { .. }
                | MachineAct::End { .. }
                | MachineAct::RemoveWorkspace { .. } => OrderingKey::Process(issue.to_string()),
                // A program that is not ready for words must not keep its own end waiting.
                MachineAct::Tell { .. } => OrderingKey::Process(format!("{issue} messages")),
            },
        }
    }

    /// True for a new step of the run, as opposed to reporting its status. A stopped or paused issue gets none.
    #[must_use]
    pub const fn is_step(&self) -> bool {
        match self {
            Self::Issue(_, act) => match act {
                IssueAct::OpenPull { .. }
                | IssueAct::Merge { .. }
                | IssueAct::RerunCheck(_)
                | IssueAct::UpdateBranch { .. } => true,
                IssueAct::AddLabel { .. }
                | IssueAct::RemoveLabel { .. }
                | IssueAct::CreateComment { .. }
                | IssueAct::EditComment { .. }
                | IssueAct::CloseIssue => false,
            },
            Self::Machine(_, act) => match act {
                MachineAct::Start { .. } | MachineAct::Push { .. } => true,
                MachineAct::End { .. }
                | MachineAct::Tell { .. }
                | MachineAct::RemoveWorkspace { .. } => false,
            },
            Self::Repo(..) => false,
        }
    }

    /// True for a comment that a person has to see. Without an answer it is looked up and retried for as long as it is
    /// desired: if it were given up and desired again, it could be written twice.
    #[must_use]
    pub const fn is_for_a_person(&self) -> bool {
        matches!(self, Self::Issue(_, IssueAct::CreateComment { .. }))
    }

    /// Returns the fact that this effect was refused for good, or got no answer within its tries.
    #[must_use]
    pub fn refused(&self, reason: &str) -> Fact {
        let reason = reason.to_owned();
        let what = match self {
            Self::Issue(_, act) => act.refused(reason),
            Self::Machine(_, act) => act.refused(reason),
            Self::Repo(_, act) => {
                let refused = RepoSettled::Refused { what: act.desired(), reason };
                What::Settled(Settled::Repo(refused))
            }
        };
        Fact { subject: self.subject(), what }
    }
}

impl IssueAct {
    fn intent(&self) -> String {
        match self {
            Self::AddLabel { label } => format!("label+{label}"),
            Self::RemoveLabel { label } => format!("label-{label}"),
            Self::CreateComment { slot, .. } => format!("comment:{}", String::from(slot.clone())),
            Self::EditComment { id, .. } => format!("comment-edit:{id}"),
            Self::CloseIssue => "close".to_owned(),
            Self::OpenPull { head, base, replaces: None, .. } => format!("pull:{head}:{base}"),
            Self::OpenPull { head, base, replaces: Some(closed), .. } => {
                format!("pull:{head}:{base}:after-{closed}")
            }
            Self::Merge { pull, head, .. } => format!("merge:{pull}:{head}"),
            Self::RerunCheck(RerunOf { head, check, .. }) => format!("rerun:{head}:{check}"),
            Self::UpdateBranch { pull, head } => format!("update:{pull}:{head}"),
        }
    }

    fn refused(&self, reason: String) -> What {
        What::Settled(match self {
            Self::AddLabel { label } | Self::RemoveLabel { label } => {
                Settled::LabelRefused { label: label.clone(), reason }
            }
            Self::CreateComment { slot, body } | Self::EditComment { slot, body, .. } => {
                let body = Digest::of(body);
                Settled::CommentRefused { slot: slot.clone(), body, reason }
            }
            Self::CloseIssue => Settled::CloseRefused { reason },
            Self::OpenPull { .. } => Settled::Run(RunSettled::PullRefused { reason }),
            Self::Merge { .. } => Settled::Run(RunSettled::MergeRefused { reason }),
            Self::RerunCheck(what) => {
                Settled::Run(RunSettled::RerunRefused { what: what.clone(), reason })
            }
            Self::UpdateBranch { .. } => Settled::Run(RunSettled::UpdateRefused { reason }),
        })
    }
}

impl MachineAct {
    fn intent(&self) -> String {
        match self {
            Self::Start { attempt, .. } => format!("start:{attempt}"),
            Self::End { attempt, .. } => format!("end:{attempt}"),
            Self::Tell { attempt, message, .. } => format!("tell:{attempt}:{message}"),
            Self::Push { commit, .. } => format!("push:{commit}"),
            Self::RemoveWorkspace { path, .. } => format!("rmworktree:{}", path.as_str()),
        }
    }

    fn refused(&self, reason: String) -> What {
        let run = |run| What::Settled(Settled::Run(run));
        match self {
            Self::Start { attempt, .. } => {
                What::Finished { attempt: *attempt, outcome: Outcome::Failed { reason } }
            }
            Self::End { attempt, .. } => What::Settled(Settled::Ended { attempt: *attempt }),
            Self::Tell { attempt, message, .. } => {
                let (attempt, message) = (*attempt, *message);
                What::Settled(Settled::MessageRefused { attempt, message, reason })
            }
            Self::Push { .. } => run(RunSettled::PushRefused { reason }),
            Self::RemoveWorkspace { path, .. } => {
                run(RunSettled::WorkspaceKept { reason, path: Some(path.clone()) })
            }
        }
    }
}

/// The form in which an effect is stored. The name of an act determines its kind.
#[derive(Clone, Serialize, Deserialize)]
struct Stored {
    subject: Subject,
    act: StoredAct,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum StoredAct {
    Issue(IssueAct),
    Repo(RepoAct),
    Machine(MachineAct),
}

impl From<Effect> for Stored {
    fn from(effect: Effect) -> Self {
        let subject = effect.subject();
        let act = match effect {
            Effect::Issue(_, act) => StoredAct::Issue(act),
            Effect::Repo(_, act) => StoredAct::Repo(act),
            Effect::Machine(_, act) => StoredAct::Machine(act),
        };
        Self { subject, act }
    }
}

impl TryFrom<Stored> for Effect {
    type Error = WrongSubject;

    fn try_from(stored: Stored) -> Result<Self, WrongSubject> {
        match (stored.subject, stored.act) {
            (Subject::Issue(issue), StoredAct::Issue(act)) => Ok(Self::Issue(issue, act)),
            (Subject::Issue(issue), StoredAct::Machine(act)) => Ok(Self::Machine(issue, act)),
            (Subject::Repo(repo), StoredAct::Repo(act)) => Ok(Self::Repo(repo, act)),
            (subject @ Subject::Issue(_), StoredAct::Repo(_))
            | (subject @ Subject::Repo(_), StoredAct::Issue(_) | StoredAct::Machine(_)) => {
                Err(WrongSubject(subject))
            }
        }
    }
}

/// A stored act that cannot be done to its subject.
#[derive(Debug)]
pub struct WrongSubject(Subject);

impl fmt::Display for WrongSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a stored effect names {}, which its act cannot be done to", self.0)
    }
}

#[cfg(test)]
mod tests;
