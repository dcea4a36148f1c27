//! Commands given on this machine: taken into the world, left waiting, or refused at once.

use crate::engine::{Engine, EngineError};
use crate::local_command::Order;
use crate::own_facts::commanded;
use crate::store::Answer;
use crate::transaction::Input;
use ralph_core::command::Command;
use ralph_core::ids::RepoName;
use ralph_core::repo::Hold;
use ralph_core::time::Time;
use ralph_core::words;

impl Engine {
    /// Takes the commands given on this machine.
    pub fn take_inbox(&mut self, now: Time) -> Result<(), EngineError> {
        let store = self.store.as_ref().ok_or(EngineError::Broken)?;
        let posted = store.inbox()?.into_iter().filter(|posted| match &posted.command.order {
            // The order to drain stays, and a command for a repository that is left out for now waits for it.
            Order::Drain => false,
            Order::Issue { issue, .. } => !self.policy.left_out.contains(&issue.repo),
            Order::TakeOver { repo } => !self.policy.left_out.contains(repo),
        });
        let inbox: Vec<_> = posted
            .map(|posted| {
                let answer = self.answer(&posted.command.order);
                (posted, answer)
            })
            .collect();
        if inbox.is_empty() {
            return Ok(());
        }
        let is_heard = |answer: &Option<Answer>| !matches!(answer, Some(Answer::Refused { .. }));
        let heard = inbox.iter().filter(|(_, answer)| is_heard(answer));
        let facts = heard.filter_map(|(posted, _)| commanded(posted.clone())).collect();
        self.transact(now, Input { facts, inbox, ..Input::default() })
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
            Order::TakeOver { repo } if is_configured => {
                let refused = self.holds(repo).then(|| words::refused_held_already(repo));
                Some(Answer::of(refused))
            }
            Order::TakeOver { .. } => Some(elsewhere()),
            Order::Drain => None,
        }
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
