//! Promises about what is handed on and what is left behind: findings of reviews reach those who deal with them, and a
//! fresh start begins on a branch that nothing was done on.

use crate::oracle::Oracle;
use ralph_core::fact::{Move, What};
use ralph_core::gate::{Gate, GateStatus};
use ralph_core::ids::IssueKey;
use ralph_core::issue::Managed;
use ralph_core::job::{Job, Turn};

impl Oracle {
    /// A reviewer said this and then failed what it had looked at.
    pub(crate) fn note_findings(
        &mut self,
        issue: &IssueKey,
        gate: Gate,
        subject: &str,
        found: &str,
    ) {
        let place = (issue.clone(), gate, subject.to_owned());
        self.record.findings.entry(place).or_default().push(found.to_owned());
    }

    /// F1: a process is about to be started: does its prompt hold what reviews have found?
    pub(crate) fn judge_prompt(&mut self, key: &IssueKey, turn: &Turn, prompt: &str, of: &Managed) {
        let Some(run) = of.run.as_ref() else { return };
        for gate in turn.role.hears() {
            let record = run.gates.get(*gate).filter(|record| record.status == GateStatus::Fail);
            let Some(record) = record.filter(|record| record.process.is_some()) else { continue };
            let place = (key.clone(), *gate, record.subject.clone());
            let said = self.record.findings.get(&place);
            let is_handed = said.is_none_or(|said| said.iter().any(|found| prompt.contains(found)));
            if !is_handed {
                let role = turn.role.name();
                self.broken("F1", format!("{role} of {key} is not handed what {gate} found"));
            }
        }
    }

    /// Keeps the book on wishes for a fresh start: one is had, or something else is wanted by now.
    pub(crate) fn note_fresh(&mut self, key: &IssueKey, what: &What) {
        let What::Moved(step) = what else { return };
        let is_over = matches!(
            step,
            Move::Stopped { .. }
                | Move::TakenOut
                | Move::MergedToBot { .. }
                | Move::Done { .. }
                | Move::Escalated { .. }
        );
        let is_had = matches!(step, Move::Claimed { .. });
        let was_wanted = (is_over || is_had) && self.record.fresh.remove(key);
        if was_wanted && is_had {
            let managed = self.folded.issue(key).and_then(|issue| issue.managed.as_ref());
            // A sync pull request has neither a plan nor another branch.
            let managed = managed.filter(|managed| managed.sync.is_none());
            if let Some(run) = managed.and_then(|managed| managed.run.as_ref()) {
                let place = (key.clone(), run.branch.to_string());
                self.record.left.insert(place, run.id.run);
                self.judge_branches(key);
            }
        }
    }

    /// A worktree is about to be made.
    pub(crate) fn judge_branch(&mut self, key: &IssueKey, job: &Job) {
        let Job::Workspace { run, branch, .. } = job else { return };
        let place = (key.clone(), branch.to_string());
        self.record.branches.entry(place).or_default().insert(run.run);
        self.judge_branches(key);
    }

    /// C4: no run goes on with a branch that was left for a fresh start before it.
    fn judge_branches(&mut self, key: &IssueKey) {
        let is_used = |(place, left_by): (&(IssueKey, String), &u32)| {
            let runs = self.record.branches.get(place)?;
            let is_wrong = place.0 == *key && runs.iter().any(|run| run > left_by);
            is_wrong.then(|| place.1.clone())
        };
        if let Some(branch) = self.record.left.iter().find_map(is_used) {
            self.broken("C4", format!("{key} was to begin afresh, and goes on with {branch}"));
        }
    }
}
