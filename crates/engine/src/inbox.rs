//! Commands given on this machine: taken into the world, left waiting, or refused at once.

use crate::engine::{Engine, EngineError};
use crate::local_command::Order;
use crate::own_facts::{commanded, text_of};
use crate::store::{Answer, Posted};
use crate::transaction::Input;
use ralph_core::command::Command;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::{Managed, Phase};
use ralph_core::repo::Hold;
use ralph_core::time::Time;
use ralph_core::words;

impl Engine {
    /// Takes the commands given on this machine. A message follows what was asked for before it in a separate
    /// transaction: the issue may have been queued in the same breath.
    pub fn take_inbox(&mut self, now: Time) -> Result<(), EngineError> {
        while self.take_some(now)? {}
        Ok(())
    }

    /// Takes the commands up to the next message. True if there may be more.
    fn take_some(&mut self, now: Time) -> Result<bool, EngineError> {
        let store = self.store.as_ref().ok_or(EngineError::Broken)?;
        let posted = store.inbox()?.into_iter().filter(|posted| match &posted.command.order {
            // The order to drain stays, and a command for a repository that is left out for now waits for it.
            Order::Drain => false,
            Order::Issue { issue, .. } | Order::Tell { issue, .. } => {
                !self.policy.left_out.contains(&issue.repo)
            }
            Order::TakeOver { repo } => !self.policy.left_out.contains(repo),
        });
        let posted: Vec<_> = posted.collect();
        let is_message = |posted: &Posted| matches!(posted.command.order, Order::Tell { .. });
        let first = posted.iter().position(is_message).map_or(posted.len(), |at| at.max(1));
        let has_more = first < posted.len();
        let inbox: Vec<_> = posted
            .into_iter()
            .take(first)
            .map(|posted| {
                let answer = self.answer(&posted.command.order);
                (posted, answer)
            })
            .collect();
        if inbox.is_empty() {
            return Ok(false);
        }
        let is_heard = |answer: &Option<Answer>| !matches!(answer, Some(Answer::Refused { .. }));
        let heard = inbox.iter().filter(|(_, answer)| is_heard(answer));
        let texts = heard.clone().filter_map(|(posted, _)| text_of(posted)).collect();
        let facts = heard.filter_map(|(posted, _)| commanded(posted.clone())).collect();
        self.transact(now, Input { facts, texts, inbox, ..Input::default() })?;
        Ok(has_more)
    }

    /// Returns the answer if it needs no decision. For a repository that is not configured, the only accepted command
    /// is to satisfy an issue that others wait for.
    fn answer(&self, order: &Order) -> Option<Answer> {
        let repo = order.repo()?;
        let is_configured = self.policy.repo(repo).is_some();
        let elsewhere = || Answer::Refused { why: words::refused_elsewhere(repo) };
        match order {
            Order::Issue { issue, command, .. } => {
                let is_kept = *command == Command::Satisfy && self.world.issue(issue).is_some();
                (!is_configured && !is_kept).then(elsewhere)
            }
            Order::Tell { issue, text } if is_configured => {
                Some(Answer::of(self.refuse_message(issue, text)))
            }
            Order::Tell { .. } => Some(elsewhere()),
            Order::TakeOver { repo } if is_configured => {
                let refused = self.holds(repo).then(|| words::refused_held_already(repo));
                Some(Answer::of(refused))
            }
            Order::TakeOver { .. } => Some(elsewhere()),
            Order::Drain => None,
        }
    }

    /// The reason why no agent would get a message.
    fn refuse_message(&self, issue: &IssueKey, text: &str) -> Option<String> {
        let managed = self.world.issue(issue).and_then(|it| it.managed.as_deref());
        let is_queued = |managed: &Managed| {
            managed.commands.pending.values().any(|given| given.command == Command::Queue)
        };
        let may_go_on = managed.is_some_and(|managed| match managed.phase {
            Phase::Out => is_queued(managed),
            Phase::Queued
            | Phase::Running { .. }
            | Phase::Parked { .. }
            | Phase::Escalated { .. }
            | Phase::Stopped { .. } => true,
            Phase::InBot { .. } | Phase::Done { .. } => false,
        });
        let has_room = managed.is_some_and(|managed| !managed.messages.are_full());
        let phase = managed.map(|managed| &managed.phase);
        let refused = || (!may_go_on || !has_room).then(|| words::message_refused(issue, phase));
        words::message_unusable(text.trim().len()).or_else(refused)
    }

    /// True if this start's mark is on the repository.
    fn holds(&self, repo: &RepoName) -> bool {
        let me = self.policy.instance.as_ref();
        self.world.repo(repo).is_some_and(|repo| match repo.mark.hold(me, &repo.refusals) {
            Hold::Ours | Hold::Begins { .. } => true,
            Hold::Open | Hold::Remembered | Hold::Theirs(_) => false,
        })
    }
}
