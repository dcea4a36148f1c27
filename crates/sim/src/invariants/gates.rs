//! Promises about gates: what one has let through is not judged by it once more.

use crate::town::Town;
use ralph_core::gate::Gate;
use ralph_core::ids::{IssueKey, Sha};
use ralph_core::issue::Managed;
use ralph_core::job::{Job, Role};

impl Town {
    /// A process is about to be started: is there anything left for it to judge?
    pub(crate) fn judge_repeat(&mut self, key: &IssueKey, job: &Job, managed: Option<&Managed>) {
        let Some(run) = managed.and_then(|managed| managed.run.as_ref()) else { return };
        let place = |gate| (key.clone(), run.id.run, gate);
        if let Some((gate, subject)) = self.subject_of(key, job)
            && self.ledger.let_through.get(&place(gate)) == Some(&subject)
        {
            self.broken("G2", format!("{gate} of {key} judges {subject} again"));
        }
        for (gate, record) in run.gates.iter().filter(|(_, record)| record.lets_through()) {
            self.ledger.let_through.insert(place(gate), record.subject.clone());
        }
    }

    /// The gate that this process is to judge for, and what.
    fn subject_of(&self, key: &IssueKey, job: &Job) -> Option<(Gate, String)> {
        let tree = |commit: &Sha| {
            let commit = self.forge().find_commit(key.repo.as_str(), commit.as_str().parse().ok()?);
            Some(commit?.tree.to_string())
        };
        match job {
            Job::Preflight { commit, .. } => Some((Gate::Preflight, tree(commit)?)),
            Job::Integrity { commit, base, .. } => {
                Some((Gate::TestIntegrity, format!("{} on {base}", tree(commit)?)))
            }
            Job::Turn(turn) => match turn.role {
                Role::PlanReview => Some((Gate::PlanReview, turn.plan?.to_string())),
                Role::ProductReview => Some((Gate::ProductReview, self.diff_of(&key.repo, turn)?)),
                Role::DevexReview => Some((Gate::DevexReview, self.diff_of(&key.repo, turn)?)),
                Role::ParentVerify
                | Role::Plan
                | Role::Implement
                | Role::CiDebug
                | Role::MergeConflict
                | Role::Survey => None,
            },
            Job::Workspace { .. } | Job::Setup { .. } => None,
        }
    }
}
