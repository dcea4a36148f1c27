//! Times at which the marks on repositories were last read. A Ralph that slept or got no answer may have been taken
//! over, so it writes nothing to the forge before it has read the mark again.

use ralph_core::effect::{Effect, MachineAct, RepoAct};
use ralph_core::ids::RepoName;
use ralph_core::time::{Span, Time};
use ralph_core::watch::Resource;
use std::collections::BTreeMap;

/// The reason shown for a row that waits for this read.
pub(crate) const UNSURE: &str = "whether another Ralph has taken the repository over is read first";

#[derive(Debug, Default)]
pub(crate) struct MarkReads {
    asked: BTreeMap<RepoName, Time>,
    read: BTreeMap<RepoName, Time>,
}

impl MarkReads {
    pub(crate) fn asks(&mut self, now: Time, resource: &Resource) {
        if let Resource::Mark(repo) = resource {
            self.asked.insert(repo.clone(), now);
        }
    }

    /// Records an answer. It is as old as the question, at most.
    pub(crate) fn answered(&mut self, resource: &Resource, is_read: bool) {
        let Resource::Mark(repo) = resource else { return };
        if let Some(at) = self.asked.remove(repo).filter(|_| is_read) {
            self.read.insert(repo.clone(), at);
        }
    }

    pub(crate) fn is_fresh(&self, now: Time, repo: &RepoName, good_for: Span) -> bool {
        self.read.get(repo).is_some_and(|at| at.plus(good_for) > now)
    }
}

/// True if the effect changes nothing that another Ralph can see.
pub(crate) const fn needs_no_mark(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Repo(_, RepoAct::WriteMark { .. })
            | Effect::Machine(
                _,
                MachineAct::Start { .. } | MachineAct::End { .. } | MachineAct::Tell { .. }
            )
    )
}
