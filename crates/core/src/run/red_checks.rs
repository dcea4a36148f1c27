//! What a run knows of the red checks of what it has pushed, and which of them were run once more.

use super::Run;
use crate::gate::{Gate, GateStatus};
use crate::ids::Sha;
use crate::rerun::{RERUN_REACTION, RERUNS_MAX, Rerun, RerunOf, Rerunnable};
use crate::time::Time;
use crate::triage::{NextAction, RedCheck, Triage, Triaged, triage};
use crate::words;

/// Red checks kept in a run: enough to see a failure repeat, each has an excerpt of some kilobytes.
const RED_CHECKS_MAX: usize = 6;

impl Run {
    /// What was read of a red check of what this run has pushed, and whether no repair was tried yet. A repetition
    /// changes nothing, and neither does what a check said before it was run once more.
    pub(crate) fn learn_of_red_check(
        &mut self,
        now: Time,
        head: &Sha,
        (triage, of): (&Triage, Option<Rerunnable>),
        is_first: bool,
    ) {
        let check = &triage.signature.check;
        let rerun = self.rerun_of(head, check).filter(|rerun| !rerun.is_refused);
        let is_old = rerun.is_some_and(|rerun| !self.is_after(rerun, of, now));
        if self.pushed.as_ref() == Some(head) && !is_old {
            self.take_red_check(head, triage.clone(), of, is_first);
        }
    }

    /// Checks that did not report in time are red by their name alone.
    pub(crate) fn learn_of_late_checks(&mut self, head: &Sha, checks: &[String]) {
        for name in checks {
            let late = RedCheck { name, conclusion: "timed_out", log: "" };
            self.take_red_check(head, triage(&late), None, false);
        }
    }

    fn take_red_check(
        &mut self,
        head: &Sha,
        triage: Triage,
        of: Option<Rerunnable>,
        is_first: bool,
    ) {
        let check = &triage.signature.check;
        if self.red_check(head, check).is_some() {
            return;
        }
        let (run, head, is_rerun) = (self.id, head.clone(), self.was_rerun(head, check));
        let may_rerun = of.is_some() && self.rerun_of(&head, check).is_none();
        let next = NextAction::after(triage.classified.class, may_rerun, is_first);
        let red = Triaged { run, head, triage, of, is_rerun, next };
        self.last_failure = Some(words::red_check(&red));
        if self.red_checks.len() >= RED_CHECKS_MAX {
            self.red_checks.remove(0);
        }
        self.red_checks.push(red);
    }

    /// What this run knows of a red check of a commit. What an earlier one read may be out of date, and so is what
    /// a check said before it was run once more.
    #[must_use]
    pub fn red_check(&self, head: &Sha, name: &str) -> Option<&Triaged> {
        let is_rerun = self.was_rerun(head, name);
        let is_it = |red: &&Triaged| {
            let is_same = red.run == self.id && red.head == *head && red.check() == name;
            is_same && red.is_rerun == is_rerun
        };
        self.red_checks.iter().find(is_it)
    }

    /// Was this check of this commit to be run once more?
    #[must_use]
    pub fn rerun_of(&self, head: &Sha, check: &str) -> Option<&Rerun> {
        let is_it = |rerun: &&Rerun| rerun.what.head == *head && rerun.what.check == check;
        self.reruns.iter().find(is_it)
    }

    fn was_rerun(&self, head: &Sha, check: &str) -> bool {
        self.rerun_of(head, check).is_some_and(|rerun| !rerun.is_refused)
    }

    /// When the last check of this commit was run once more.
    #[must_use]
    pub fn last_rerun(&self, head: &Sha) -> Option<Time> {
        let of_head = |rerun: &&Rerun| rerun.what.head == *head && !rerun.is_refused;
        self.reruns.iter().filter(of_head).map(|rerun| rerun.at).max()
    }

    /// Is what a red check says the result of its rerun? It is if it was seen running in between, or if it has
    /// another number, or once it had the time to show that it runs.
    fn is_after(&self, rerun: &Rerun, of: Option<Rerunnable>, now: Time) -> bool {
        let record = self.gates.on(Gate::Ci, rerun.what.head.as_str());
        let is_red_anew =
            record.is_some_and(|record| record.status == GateStatus::Fail && record.at > rerun.at);
        of != Some(rerun.what.of) || is_red_anew || now >= rerun.at.plus(RERUN_REACTION)
    }

    pub(crate) fn note_rerun(&mut self, at: Time, what: &RerunOf, is_refused: bool) {
        if self.rerun_of(&what.head, &what.check).is_some() {
            return;
        }
        if self.reruns.len() >= RERUNS_MAX {
            self.reruns.remove(0);
        }
        self.reruns.push(Rerun { what: what.clone(), at, is_refused });
    }
}
