//! The red checks of a run's pushed commits, and which of them were rerun.

use super::Run;
use crate::gate::{Gate, GateStatus};
use crate::ids::Sha;
use crate::rerun::{RERUN_REACTION, RERUNS_MAX, Rerun, RerunOf, Rerunnable};
use crate::time::Time;
use crate::triage::{NextAction, RedCheck, Triage, Triaged, triage};
use crate::words;

/// Red checks kept in a run: enough to see a failure repeat; each has an excerpt of some kilobytes.
const RED_CHECKS_MAX: usize = 6;

impl Run {
    /// Takes in the log of a red check of the pushed commit; `is_first` means that no repair was tried yet. A
    /// repetition changes nothing, and neither does a result from before the rerun.
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

    /// Takes in checks that did not report in time: they are red by their name alone.
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

    /// Returns the triage of a red check of a commit by this run. Reads of earlier runs may be out of date, and so are
    /// results from before the rerun.
    #[must_use]
    pub fn red_check(&self, head: &Sha, name: &str) -> Option<&Triaged> {
        let is_rerun = self.was_rerun(head, name);
        let is_it = |red: &&Triaged| {
            let is_same = red.run == self.id && red.head == *head && red.check() == name;
            is_same && red.is_rerun == is_rerun
        };
        self.red_checks.iter().find(is_it)
    }

    /// Returns the rerun of this check of this commit, if one was requested.
    #[must_use]
    pub fn rerun_of(&self, head: &Sha, check: &str) -> Option<&Rerun> {
        let is_it = |rerun: &&Rerun| rerun.what.head == *head && rerun.what.check == check;
        self.reruns.iter().find(is_it)
    }

    fn was_rerun(&self, head: &Sha, check: &str) -> bool {
        self.rerun_of(head, check).is_some_and(|rerun| !rerun.is_refused)
    }

    /// The time of the last rerun of a check of this commit.
    #[must_use]
    pub fn last_rerun(&self, head: &Sha) -> Option<Time> {
        let of_head = |rerun: &&Rerun| rerun.what.head == *head && !rerun.is_refused;
        self.reruns.iter().filter(of_head).map(|rerun| rerun.at).max()
    }

    /// True if a red check shows the result of its rerun: it was seen running in between, it has another number, or it
    /// had enough time to show that it runs.
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
