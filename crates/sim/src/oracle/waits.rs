//! Promises about waiting: a wait ends by the time that it names itself, and one that names none is for a person or for
//! another subject, or it is short.

use crate::oracle::Oracle;
use ralph_core::fact::Subject;
use ralph_core::issue::BlockedSource;
use ralph_core::standing::{Standing, SyncStanding};
use ralph_core::time::{Span, Time};
use ralph_engine::Engine;
use std::collections::BTreeMap;

/// The longest wait for the forge or for Ralph itself without a named time. Faults end sooner.
const SILENT_MAX: Span = Span::from_mins(180);

impl Oracle {
    /// W1, after everything that was due has been decided.
    pub(crate) fn judge_waits(&mut self, engine: &Engine) {
        let now = self.clock.ralph_time();
        // A clock that was set back shows a time at which other things were right. Waits that end then are over.
        if now < self.clock.set_back_from() {
            let present: BTreeMap<_, _> = engine.standings().collect();
            self.record.waits.retain(|subject, (known, _)| present.get(subject) == Some(&&*known));
            return;
        }
        let known = std::mem::take(&mut self.record.waits);
        for (subject, standing) in engine.standings().filter(|(_, standing)| is_wait(standing)) {
            let since = match known.get(subject) {
                Some((known, since)) if known == standing => *since,
                _new => now,
            };
            self.record.waits.insert(subject.clone(), (standing.clone(), since));
            let until = standing.deadline().unwrap_or_else(|| since.plus(SILENT_MAX));
            if until < now {
                self.waited_too_long(subject, standing, until, now);
            }
        }
    }

    fn waited_too_long(&mut self, subject: &Subject, what: &Standing, until: Time, now: Time) {
        let late = now.since(until);
        let detail = format!("{subject} still waits {late} after it was to end: {what:?}");
        self.broken("W1", detail);
    }
}

/// Does Ralph wait for the forge or for itself, and not for a person or another subject?
const fn is_wait(standing: &Standing) -> bool {
    match standing {
        Standing::LooksForIssue
        | Standing::WaitsForBotBranch
        | Standing::TellsVerdict
        | Standing::WaitsForAnswers { .. }
        | Standing::Starting { .. }
        | Standing::Working { .. }
        | Standing::Ending { .. }
        | Standing::Pushing
        | Standing::OpeningPull
        | Standing::LooksAtIssue { .. }
        | Standing::ReadsProof { .. }
        | Standing::WaitsForPull { .. }
        | Standing::WaitsForRequiredChecks { .. }
        | Standing::WaitsForChecks { .. }
        | Standing::ReadsCheckLogs { .. }
        | Standing::RerunsChecks { .. }
        | Standing::WaitsForMergeable { .. }
        | Standing::WaitsForCompany { .. }
        | Standing::TrialsRest { .. }
        | Standing::BringingUpToDate { .. }
        | Standing::Merging { .. }
        | Standing::InBot { merged: Some(_), .. }
        | Standing::Blocked {
            source: BlockedSource::DepsUnknown | BlockedSource::DepsMissing,
            ..
        }
        | Standing::LooksUp => true,
        Standing::Repository { sync, .. } => {
            matches!(sync, Some(SyncStanding::Open { .. } | SyncStanding::Comparing))
        }
        Standing::Out
        | Standing::WouldQueue
        | Standing::InLine
        | Standing::Blocked { .. }
        | Standing::WaitsForSlot { .. }
        | Standing::WaitsForMergeSlot { .. }
        | Standing::WaitsForTrial { .. }
        | Standing::Paused { .. }
        | Standing::Escalated { .. }
        | Standing::Stopped { .. }
        | Standing::InBot { .. }
        | Standing::Done
        | Standing::RepositoryHeld => false,
    }
}
