//! Repositories that are not configured and issues that do not exist, which Ralph leaves alone; and the same change over and
//! over, which it never asks for.

use crate::forge::ForgeSide;
use crate::oracle::Oracle;
use http::{Method, Request};
use ralph_core::ids::RepoName;
use ralph_core::issue::Phase;
use ralph_core::world::World;
use ralph_engine::Engine;

impl Oracle {
    /// A request of Ralph's on its way: may it change anything there?
    pub(crate) fn judge_request(&mut self, forge: &mut ForgeSide, request: &Request<Vec<u8>>) {
        if request.method() == Method::GET {
            return;
        }
        let path = request.uri().path();
        let mut parts = path.split('/').skip_while(|part| *part != "repos").skip(1);
        let name = parts.next().zip(parts.next()).map(|(owner, name)| format!("{owner}/{name}"));
        let Some(repo) = name.and_then(|name| RepoName::parse(&name)) else { return };
        if !forge.repos.contains(&repo) {
            let line = format!("{} {path}, which is not configured", request.method());
            self.broken("N1", line);
        }
    }

    /// A command for something that is not there leaves nothing behind.
    pub(crate) fn judge_ghosts(&mut self, world: &World) {
        let is_kept = |key: &&ralph_core::ids::IssueKey| {
            world.issue(key).is_some_and(|issue| issue.managed.is_some())
        };
        if let Some(key) = self.record.astray.iter().find(is_kept).cloned() {
            self.broken("N1", format!("{key} does not exist or is not configured, and is kept"));
        }
    }

    /// The guard has nothing to do.
    pub(crate) fn judge_floods(&mut self, engine: &Engine) {
        if let Some(flood) = engine.floods(self.clock.ralph_time()).first() {
            self.broken("R1", format!("{} was asked for over and over", flood.key));
        }
    }

    /// Issues that are said to need a person because of the agents' program.
    pub(crate) fn judge_blames(&mut self, world: &World) {
        let escalated =
            world.issues().filter_map(|(key, issue)| match &issue.managed.as_deref()?.phase {
                Phase::Escalated { cause, episode } => Some((key, cause, *episode)),
                _other => None,
            });
        for (key, cause, episode) in escalated {
            self.judge_program_blame(key, episode, &format!("{cause:?}"));
        }
    }
}
