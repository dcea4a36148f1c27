//! Results of effects on a repository.

use crate::story::Story;
use ralph_core::digest::Digest;
use ralph_core::effect::{MachineAct, RepoAct};
use ralph_core::fact::{BuiltTrial, RepoSettled, RunSettled, Settled};
use ralph_core::ids::{PullNumber, Sha};
use ralph_core::merge_queue::Entry;
use ralph_core::removal::Removal;
use ralph_core::repo::{Mark, OwnMark};

impl Story {
    pub(super) fn happens_on_repo(&self, act: &RepoAct) -> RepoSettled {
        match act {
            RepoAct::RequireChecks { branch, .. } => {
                RepoSettled::ChecksRequired { branch: branch.clone() }
            }
            RepoAct::DefineLabel { name, .. } => RepoSettled::LabelDefined { name: name.clone() },
            RepoAct::MakeBranch { at, branch } => {
                RepoSettled::BranchMade { head: at.clone(), branch: Some(branch.clone()) }
            }
            RepoAct::OpenRollup { body, .. } => RepoSettled::RollupOpened {
                number: PullNumber(900 + self.ids),
                head: Sha::new("bot-head"),
                body: Digest::of(body),
            },
            RepoAct::EditRollup { body, .. } => {
                RepoSettled::RollupEdited { body: Digest::of(body) }
            }
            RepoAct::OpenSync { of, base, .. } => {
                let number = PullNumber(900 + self.ids);
                RepoSettled::SyncOpened { number, of: of.clone(), base: base.clone() }
            }
            RepoAct::MergeSync { pull, .. } => {
                RepoSettled::SyncMerged { number: *pull, commit: Sha::new("bot-synced") }
            }
            RepoAct::OpenFollowUp { id, seen, .. } => {
                let (issue, seen) = (900 + self.ids, *seen);
                RepoSettled::FollowUpTold { id: id.clone(), issue, seen }
            }
            RepoAct::EditFollowUp { id, issue, seen, .. } => {
                RepoSettled::FollowUpTold { id: id.clone(), issue: *issue, seen: *seen }
            }
            RepoAct::WriteMark { mark, over, .. } => {
                let commit = Sha::new(&format!("mark-{}-{}", mark.store, mark.number));
                let mark = Mark { since: self.now, renewed: self.now, ..(**mark).clone() };
                let over = over.as_deref().cloned();
                RepoSettled::MarkWritten(Box::new(OwnMark { commit, mark, over }))
            }
            RepoAct::TellOfSync { pull, .. } => RepoSettled::SyncTold { number: *pull },
            RepoAct::BuildTrial { number, base, entries } => {
                let tree = |entry: &Entry| (entry.clone(), format!("tree-{}", entry.head));
                RepoSettled::TrialBuilt(BuiltTrial {
                    number: *number,
                    base: base.clone(),
                    commit: Sha::new(&format!("trial-{number}")),
                    entries: entries.iter().map(tree).collect(),
                    apart: Vec::new(),
                })
            }
            RepoAct::PushTrial { number, .. } => RepoSettled::TrialPushed { number: *number },
            RepoAct::OpenTrial { number, .. } => {
                RepoSettled::TrialOpened { number: *number, pull: PullNumber(900 + self.ids) }
            }
            RepoAct::CloseTrial { pull } => RepoSettled::TrialClosed { pull: *pull },
            RepoAct::DeleteBranch { branch } => {
                RepoSettled::BranchDeleted { branch: branch.clone() }
            }
        }
    }
}

/// The result of an effect on this machine.
pub(super) fn happens_here(act: &MachineAct) -> Settled {
    match act {
        MachineAct::Start { attempt, .. } => Settled::Started { attempt: *attempt },
        MachineAct::End { attempt, .. } => Settled::Ended { attempt: *attempt },
        MachineAct::Tell { attempt, message, .. } => {
            Settled::MessageGiven { attempt: *attempt, message: *message }
        }
        MachineAct::Push { commit, .. } => {
            Settled::Run(RunSettled::Pushed { commit: commit.clone() })
        }
        MachineAct::RemoveWorkspace { path, proof } => Settled::Run(match proof {
            Removal::Done(_) => RunSettled::WorkspaceRemoved,
            Removal::GivenUp(_) => {
                RunSettled::WorktreeGivenUp { path: path.clone(), rescued: None }
            }
        }),
    }
}
