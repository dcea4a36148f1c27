//! Facts that come from this machine: commands given here, and marks that are about to be sent.

use crate::local_command::{LocalCommand, Order};
use crate::store::Posted;
use ralph_core::digest::Digest;
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::fact::{Fact, Observation, RepoObservation, RepoSettled, Settled, What};
use ralph_core::issue::{CommandId, CommandVia, PendingCommand};
use ralph_core::messages::{Message, MessageId};

/// The fact for a command given on this machine.
pub(crate) fn commanded(posted: Posted) -> Option<Fact> {
    let Posted { id, at, command: LocalCommand { actor, order, .. } } = posted;
    match order {
        Order::Issue { issue, command, manner } => {
            let id = CommandId { at, id, is_local: true };
            let (actor, via) = (Some(actor), CommandVia::CommandLine);
            let command = PendingCommand { command, actor, is_allowed: true, via, manner };
            Some(Fact::of(issue, What::Seen(Observation::Command { id, command })))
        }
        Order::Tell { issue, text } => {
            let (id, text) = (MessageId::Tell(id), Digest::of(text.trim()));
            let message = Message { id, from: actor, text, at };
            Some(Fact::of(issue, What::Seen(Observation::Message(message))))
        }
        Order::TakeOver { repo } => {
            let observation = RepoObservation::TakeOver { by: actor };
            Some(Fact::of_repo(repo, What::RepoSeen(observation)))
        }
        Order::Drain => None,
    }
}

/// The text that the fact for a command refers to.
pub(crate) fn text_of(posted: &Posted) -> Option<(Digest, String)> {
    match &posted.command.order {
        Order::Tell { text, .. } => Some((Digest::of(text.trim()), text.trim().to_owned())),
        Order::Issue { .. } | Order::TakeOver { .. } | Order::Drain => None,
    }
}

/// Records that a mark with this number was sent, so that it may exist whatever the answer is.
pub(crate) fn mark_sets_out(effect: &Effect) -> Option<Fact> {
    let Effect::Repo(repo, RepoAct::WriteMark { mark, .. }) = effect else { return None };
    let sent = RepoSettled::MarkSent { number: mark.number };
    Some(Fact::of_repo(repo.clone(), What::Settled(Settled::Repo(sent))))
}
