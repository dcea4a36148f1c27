//! Promises about gates: what one has let through is not judged by it once more, and checks are those of the change
//! itself.

use crate::town::Town;
use ralph_core::fact::{Fact, Move, RunMove, What};
use ralph_core::gate::{Gate, GateStatus};
use ralph_core::ids::{IssueKey, RepoName, Sha};
use ralph_core::issue::Managed;
use ralph_core::job::{Asked, Job};
use ralph_core::time::Time;

impl Town {
    /// G7: a change fails its checks by their word alone, whatever came of a trial that it was part of.
    pub(crate) fn judge_blame(&mut self, at: Time, fact: &Fact) {
        let What::Moved(Move::Run(RunMove::Judged { gate: Gate::Ci, record })) = &fact.what else {
            return;
        };
        let (Some(key), Some(head)) = (fact.subject.issue(), &record.head) else { return };
        if record.status != GateStatus::Fail {
            return;
        }
        let place = (key.repo.clone(), head.as_str().to_owned());
        let said = self.ledger.checks_said.get(&place).cloned().unwrap_or_default();
        let mut required = self.required_checks(&key.repo).into_iter();
        let is_green = |name: String| said.green.get(&name).is_some_and(|since| *since <= at);
        if !said.was_red && required.all(is_green) {
            self.broken("G7", format!("{key} is to blame for {head}, whose checks are green"));
        }
    }

    /// A check of this commit has reported.
    pub(crate) fn note_report(&mut self, repo: &RepoName, commit: &str, name: &str, is_red: bool) {
        let now = self.ralph_time();
        let place = (repo.clone(), commit.to_owned());
        let said = self.ledger.checks_said.entry(place).or_default();
        said.was_red |= is_red;
        if !is_red {
            said.green.entry(name.to_owned()).or_insert(now);
        }
    }

    /// A process is about to be started: is there anything left for it to judge?
    pub(crate) fn judge_repeat(&mut self, key: &IssueKey, job: &Job, managed: Option<&Managed>) {
        let Some(run) = managed.and_then(|managed| managed.run.as_ref()) else { return };
        let place = |gate| (key.clone(), run.id.run, gate);
        if let Some((gate, subject)) = self.subject_of(key, job)
            && self.ledger.let_through.get(&place(gate)) == Some(&subject)
        {
            self.broken("G2", format!("{gate} of {key} judges {subject} again"));
        }
        for (gate, record) in run.gates.iter() {
            if record.lets_through() {
                self.ledger.let_through.insert(place(gate), record.subject.clone());
                continue;
            }
            // A gate remembers the last thing it judged: what passed before that may be judged again.
            let known = self.ledger.let_through.get(&place(gate));
            let is_other = known.is_some_and(|subject| *subject != record.subject);
            if is_other || record.status == GateStatus::Fail {
                self.ledger.let_through.remove(&place(gate));
            }
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
            Job::Integrity { commit, base, plan, .. } => {
                let by = plan.map(|plan| format!(" by {plan}")).unwrap_or_default();
                Some((Gate::TestIntegrity, format!("{} on {base}{by}", tree(commit)?)))
            }
            Job::Turn(turn) => match turn.manner.asks {
                Asked::Verdict(Gate::PlanReview) => {
                    Some((Gate::PlanReview, turn.plan?.to_string()))
                }
                Asked::Verdict(gate) => Some((gate, self.diff_of(&key.repo, turn)?)),
                Asked::Plan | Asked::Change | Asked::ParentVerify | Asked::Survey => None,
            },
            Job::Workspace { .. } | Job::Setup { .. } => None,
        }
    }
}
