//! Promises about gates: a gate does not judge again what it has let through, and checks are those of the change
//! itself.

use crate::forge::ForgeSide;
use crate::oracle::Oracle;
use ralph_core::fact::{Fact, Move, RunMove, What};
use ralph_core::gate::{Gate, GateStatus};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::Managed;
use ralph_core::job::Job;
use ralph_core::time::Time;

impl Oracle {
    /// G7: a change fails only by its own checks, not by those of a trial that it was part of.
    pub(crate) fn judge_blame(&mut self, forge: &mut ForgeSide, at: Time, fact: &Fact) {
        let What::Moved(Move::Run(RunMove::Judged { gate: Gate::Ci, record })) = &fact.what else {
            return;
        };
        let (Some(key), Some(head)) = (fact.subject.issue(), &record.head) else { return };
        if record.status != GateStatus::Fail {
            return;
        }
        let place = (key.repo.clone(), head.as_str().to_owned());
        let said = self.record.checks_said.get(&place).cloned().unwrap_or_default();
        let mut required = forge.required_checks(&key.repo).into_iter();
        let is_green = |name: String| said.green.get(&name).is_some_and(|since| *since <= at);
        if !said.was_red && required.all(is_green) {
            self.broken("G7", format!("{key} is to blame for {head}, whose checks are green"));
        }
    }

    /// A check of this commit has reported.
    pub(crate) fn note_report(&mut self, repo: &RepoName, commit: &str, name: &str, is_red: bool) {
        let now = self.clock.ralph_time();
        let place = (repo.clone(), commit.to_owned());
        let said = self.record.checks_said.entry(place).or_default();
        said.was_red |= is_red;
        if !is_red {
            said.green.entry(name.to_owned()).or_insert(now);
        }
    }

    /// A process is about to be started: is there anything left for it to judge?
    pub(crate) fn judge_repeat(
        &mut self,
        forge: &mut ForgeSide,
        key: &IssueKey,
        job: &Job,
        managed: Option<&Managed>,
    ) {
        let Some(run) = managed.and_then(|managed| managed.run.as_ref()) else { return };
        let place = |gate| (key.clone(), run.id.run, gate);
        if let Some((gate, subject)) = forge.subject_of(key, job)
            && self.record.let_through.get(&place(gate)) == Some(&subject)
        {
            self.broken("G2", format!("{gate} of {key} judges {subject} again"));
        }
        for (gate, record) in run.gates.iter() {
            if record.lets_through() {
                self.record.let_through.insert(place(gate), record.subject.clone());
                continue;
            }
            // A gate remembers the last thing it judged: what passed before that may be judged again.
            let known = self.record.let_through.get(&place(gate));
            let is_other = known.is_some_and(|subject| *subject != record.subject);
            if is_other || record.status == GateStatus::Fail {
                self.record.let_through.remove(&place(gate));
            }
        }
    }
}
