//! Wishes given on this machine: taken into the world, left to wait, or refused unheard.

use crate::engine::{Engine, EngineError};
use crate::own_facts::wished;
use crate::ports::LocalCommand;
use crate::store::{Posted, TAKE_OVER, Wish};
use crate::turn::{Answered, Input};
use ralph_core::command::Command;
use ralph_core::ids::RepoName;
use ralph_core::repo::Hold;
use ralph_core::time::Time;
use ralph_core::words;

impl Engine {
    /// Takes what was asked for on this machine.
    pub fn take_inbox(&mut self, now: Time) -> Result<(), EngineError> {
        let store = self.store.as_ref().ok_or(EngineError::Broken)?;
        let mut posted = store.inbox()?;
        // What is given for a repository that is left out for now waits for it.
        posted.retain(|posted| !self.policy.left_out.contains(posted.wish.repo()));
        if posted.is_empty() {
            return Ok(());
        }
        let inbox = posted.iter().map(|posted| posted.id).collect();
        let answered: Vec<_> = posted.iter().filter_map(|posted| self.answer(posted)).collect();
        let is_refused =
            |id: u64| answered.iter().any(|answer| answer.id == id && answer.refused.is_some());
        let heard = posted.into_iter().filter(|posted| !is_refused(posted.id));
        let facts = heard.map(wished).collect();
        self.turn(now, Input { facts, inbox, answered, ..Input::default() })
    }

    /// The answer that needs no decision. Of a repository that is not configured nothing is kept but that an issue
    /// others wait for is satisfied.
    fn answer(&self, posted: &Posted) -> Option<Answered> {
        let is_configured = self.policy.repo(posted.wish.repo()).is_some();
        let elsewhere = || words::refused_elsewhere(posted.wish.repo());
        let (about, command, refused) = match &posted.wish {
            Wish::Command(given) if is_configured || self.is_kept(given) => return None,
            Wish::Command(given) => {
                (given.issue.to_string(), given.command.to_string(), Some(elsewhere()))
            }
            Wish::TakeOver { repo, .. } => {
                let refused = if is_configured {
                    self.holds(repo).then(|| words::refused_held_already(repo))
                } else {
                    Some(elsewhere())
                };
                (repo.to_string(), TAKE_OVER.to_owned(), refused)
            }
        };
        Some(Answered { id: posted.id, about, command, refused })
    }

    fn is_kept(&self, given: &LocalCommand) -> bool {
        given.command == Command::Satisfy && self.world.issue(&given.issue).is_some()
    }

    /// Is this start's mark on the repository?
    fn holds(&self, repo: &RepoName) -> bool {
        let me = self.policy.instance.as_ref();
        self.world.repo(repo).is_some_and(|repo| match repo.mark.hold(me, &repo.refusals) {
            Hold::Ours | Hold::Begins { .. } => true,
            Hold::Open | Hold::Remembered | Hold::Theirs(_) => false,
        })
    }
}
