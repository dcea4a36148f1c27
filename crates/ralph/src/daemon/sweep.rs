//! Removal of what was kept long enough for the operator: folders of finished runs, logs, facts and texts. What is
//! still needed stays, however old it is.

use super::Daemon;
use super::tasks::Task;
use crate::log;
use ralph_adapters::Adapters;
use ralph_adapters::old_runs::RunName;
use ralph_core::issue::{Managed, Phase};
use ralph_core::time::{Span, Time};
use ralph_engine::{Engine, EngineError};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

/// The time between two looks for things that may go.
const EVERY: Span = Span::from_mins(60);
/// Looking for texts reads the whole store, so it is done once a day, and not right at the start.
const TEXTS_EVERY: Span = Span::from_mins(24 * 60);
const TEXTS_FIRST: Span = Span::from_mins(60);

/// The time of the next look.
#[derive(Debug)]
pub(super) struct Sweeping {
    next: Time,
    next_texts: Time,
}

impl Sweeping {
    pub(super) const fn from(now: Time) -> Self {
        Self { next: now, next_texts: now.plus(TEXTS_FIRST) }
    }
}

/// Files that may go, and what must not.
#[derive(Debug)]
pub(super) struct Sweep {
    kept: BTreeSet<RunName>,
    runs_before: Time,
    logs: PathBuf,
    logs_before: Time,
}

/// The things that were removed.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    runs: usize,
    logs: usize,
}

impl Sweep {
    pub(super) fn carry_out(&self, adapters: &Adapters) -> io::Result<Swept> {
        let runs = adapters.forget_runs(&self.kept, self.runs_before)?;
        Ok(Swept { runs, logs: log::forget(&self.logs, self.logs_before)? })
    }
}

impl Daemon {
    pub(super) fn sweep(&mut self, now: Time) -> Result<(), EngineError> {
        if now >= self.sweeping.next_texts {
            self.sweeping.next_texts = now.plus(TEXTS_EVERY);
            let texts = self.engine.forget_texts()?;
            tracing::info!(texts, "forgot texts that nothing names");
        }
        if now < self.sweeping.next {
            return Ok(());
        }
        self.sweeping.next = now.plus(EVERY);
        let retention = self.settings.current.retention;
        let facts = self.engine.forget_facts(now.minus(retention.facts))?;
        if facts > 0 {
            tracing::info!(facts, "forgot old facts");
        }
        self.tasks.send(Task::Sweep(Box::new(Sweep {
            kept: needed(&self.engine),
            runs_before: now.minus(retention.runs),
            logs: self.home.logs(),
            logs_before: now.minus(retention.logs),
        })));
        Ok(())
    }

    pub(super) fn swept(&self, swept: &io::Result<Swept>) {
        match swept {
            Ok(Swept { runs: 0, logs: 0 }) => {}
            Ok(Swept { runs, logs }) => {
                tracing::info!(runs, logs, "removed what was kept for long enough")
            }
            Err(error) => {
                tracing::warn!(why = %error, "not everything that is old could be removed")
            }
        }
    }
}

/// Runs that are not over, and those whose worktree is still there.
fn needed(engine: &Engine) -> BTreeSet<RunName> {
    let issues = engine.world().issues();
    let managed = issues.filter_map(|(key, issue)| Some((key, issue.managed.as_deref()?)));
    let names = managed.flat_map(|(key, managed)| {
        let current =
            managed.run.as_ref().filter(|_| !is_over(managed)).map(|run| run.id.to_string());
        let folder = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let worktrees = managed.worktrees.iter().map(move |path| folder(path.as_str()));
        current.into_iter().chain(worktrees).map(|run| (run, key.repo.key()))
    });
    names.collect()
}

const fn is_over(managed: &Managed) -> bool {
    match managed.phase {
        Phase::Done { .. } | Phase::Stopped { .. } => managed.work.is_none(),
        Phase::Out
        | Phase::Queued
        | Phase::Running { .. }
        | Phase::Parked { .. }
        | Phase::Escalated { .. }
        | Phase::InBot { .. } => false,
    }
}
