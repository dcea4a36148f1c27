//! When the marks on repositories were last read. A Ralph that slept, or that the forge did not answer, may have been
//! taken over meanwhile: it writes nothing before it has looked again. Processes on this machine hurt no other.

use ralph_core::effect::{Effect, MachineAct, RepoAct};
use ralph_core::ids::RepoName;
use ralph_core::time::{Span, Time};
use ralph_core::watch::Resource;
use std::collections::BTreeMap;

/// Why a row waits for it.
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

    /// An answer says how it was when it was asked for, at the earliest.
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

/// Does this change nothing that another Ralph sees?
pub(crate) const fn needs_no_mark(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Repo(_, RepoAct::WriteMark { .. })
            | Effect::Machine(_, MachineAct::Start { .. } | MachineAct::End { .. })
    )
}
