//! Is there nothing left that would move without a person? For `run --until-idle`.

use super::Daemon;
use ralph_core::fact::Subject;
use ralph_core::ids::IssueKey;
use ralph_core::issue::BlockedSource;
use ralph_core::standing::{MarkStanding, Standing, SyncStanding, TrialStanding};
use ralph_core::time::{Span, Time};
use ralph_core::watch::Resource;
use ralph_engine::{Engine, Reading};
use std::collections::BTreeSet;

/// Everything due later than this is routine, such as renewing a mark.
const SOON: Span = Span::from_mins(10);

/// The subjects that could not be read the last time: until they are, it is unknown what is left to do.
#[derive(Debug, Default)]
pub(super) struct Unread(BTreeSet<Resource>);

impl Unread {
    pub(super) fn note(&mut self, reading: &Reading) {
        // What was refused waits for a person.
        if reading.failed.as_ref().is_some_and(|unread| !unread.is_refused) {
            self.0.insert(reading.resource.clone());
        } else {
            self.0.remove(&reading.resource);
        }
    }
}

impl Daemon {
    /// No effect, timer, retry, check or rollup is pending, and every issue waits for a person.
    pub(super) fn is_idle(&self, now: Time) -> bool {
        self.tasks.out() == 0
            && self.unread.0.is_empty()
            && self.engine.outbox().next().is_none()
            && self.engine.world().busy() == 0
            // While the agents' program fails, it is a person who mends that.
            && (starts_no_turns(&self.engine)
                || self.engine.next_alarm().is_none_or(|at| at > now.plus(SOON)))
            && self.engine.standings().all(|(of, standing)| waits(&self.engine, of, standing))
    }
}

/// True if the agents' program fails, or an account may not be used.
fn starts_no_turns(engine: &Engine) -> bool {
    engine.world().outage().is_some() || !engine.world().held_accounts().is_empty()
}

/// Does another Ralph hold this repository?
const fn is_theirs(standing: &Standing) -> bool {
    matches!(standing, Standing::Repository { mark: Some(MarkStanding::Theirs { .. }), .. })
}

/// Does this wait for a person, as far as anybody knows?
fn waits(engine: &Engine, of: &Subject, standing: &Standing) -> bool {
    match standing {
        Standing::Out
        | Standing::WouldQueue
        | Standing::Done
        | Standing::Paused { .. }
        | Standing::Escalated { .. }
        | Standing::Stopped { .. } => true,
        Standing::Repository { mark: Some(_), .. } => is_theirs(standing),
        Standing::Repository { trial: Some(trial), .. }
            if !matches!(trial, TrialStanding::Ended { .. }) =>
        {
            false
        }
        Standing::Repository { sync, .. } => match sync {
            None | Some(SyncStanding::NeedsPerson { .. } | SyncStanding::Declined) => true,
            Some(SyncStanding::Comparing | SyncStanding::Opening | SyncStanding::Open { .. }) => {
                false
            }
            // Taken up, it has a standing like an issue.
            Some(SyncStanding::Resolving { pull }) => {
                let key = IssueKey::new(of.repo().clone(), pull.0);
                engine.world().issue(&key).is_some_and(|issue| issue.managed.is_some())
            }
        },
        // Another Ralph works there until a person says otherwise.
        Standing::RepositoryHeld => {
            let subject = Subject::Repo(of.repo().clone());
            engine.standings().any(|(of, standing)| *of == subject && is_theirs(standing))
        }
        Standing::InLine | Standing::WaitsForBotBranch | Standing::WaitsForSlot { .. } => {
            engine.policy().starts_nothing() || starts_no_turns(engine)
        }
        Standing::Blocked { source, .. } => !matches!(source, BlockedSource::DepsUnknown),
        // A rollup that people closed is opened again once something new joins it.
        Standing::InBot { rollup, .. } => {
            let batch = engine.world().repo(of.repo()).map(|repo| &repo.batch);
            rollup.is_some() || batch.is_some_and(|batch| batch.awaits_new_member)
        }
        Standing::LooksForIssue
        | Standing::LooksUp
        | Standing::WaitsForAnswers { .. }
        | Standing::Starting { .. }
        | Standing::Working { .. }
        | Standing::Ending { .. }
        | Standing::Pushing
        | Standing::OpeningPull
        | Standing::LooksAtIssue { .. }
        | Standing::WaitsForPull { .. }
        | Standing::WaitsForRequiredChecks { .. }
        | Standing::WaitsForChecks { .. }
        | Standing::ReadsProof { .. }
        | Standing::TellsVerdict
        | Standing::ReadsCheckLogs { .. }
        | Standing::RerunsChecks { .. }
        | Standing::WaitsForMergeable { .. }
        | Standing::WaitsForMergeSlot { .. }
        | Standing::WaitsForTrial { .. }
        | Standing::WaitsForCompany { .. }
        | Standing::TrialsRest { .. }
        | Standing::BringingUpToDate { .. }
        | Standing::Merging { .. } => false,
    }
}
