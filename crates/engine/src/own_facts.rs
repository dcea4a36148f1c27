//! Facts that come from this machine: what people asked for here, and what sets out from here.

use crate::ports::LocalCommand;
use crate::store::{Posted, Wish};
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::fact::{Fact, Observation, RepoObservation, RepoSettled, Settled, What};
use ralph_core::issue::{CommandId, CommandVia, PendingCommand};

/// A wish that was given on this machine, as a fact.
pub(crate) fn wished(posted: Posted) -> Fact {
    match posted.wish {
        Wish::Command(LocalCommand { issue, command, manner, actor }) => {
            let id = CommandId { at: posted.at, id: posted.id, is_local: true };
            let (actor, via) = (Some(actor), CommandVia::CommandLine);
            let command = PendingCommand { command, actor, is_allowed: true, via, manner };
            Fact::of(issue, What::Seen(Observation::Command { id, command }))
        }
        Wish::TakeOver { repo, by } => {
            Fact::of_repo(repo, What::RepoSeen(RepoObservation::TakeOver { by }))
        }
    }
}

/// From now on a mark with this number may be there, whatever becomes of the answer.
pub(crate) fn mark_sets_out(effect: &Effect) -> Option<Fact> {
    let Effect::Repo(repo, RepoAct::WriteMark { mark, .. }) = effect else { return None };
    let sent = RepoSettled::MarkSent { number: mark.number };
    Some(Fact::of_repo(repo.clone(), What::Settled(Settled::Repo(sent))))
}
