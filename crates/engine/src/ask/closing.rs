//! The part of the world that is Ralph's, and what closed an issue in it: a person, or a commit that came to the default
//! branch by a branch of Ralph's own.

use crate::ports::{ClosedBy, Forge, ForgeIssue, Read, Unread};
use ralph_core::fold::READ_LAG;
use ralph_core::ids::{Branch, IssueKey, RepoName};
use ralph_core::issue::{Issue, Phase};
use ralph_core::policy::Policy;
use ralph_core::repo::is_sync_branch;
use ralph_core::time::Time;
use ralph_core::watch::Resource;
use ralph_core::words;
use ralph_core::world::World;
use std::collections::{BTreeMap, BTreeSet};

/// The beginning of the names of all branches that Ralph makes for its work.
const OWN_BRANCHES: &str = "ralph/";

/// Repositories that Ralph works in, with their bot branches, and the issues in them that closing would stop. What
/// happens elsewhere is read as far as others let it be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Ours {
    bots: BTreeMap<RepoName, Branch>,
    live: BTreeSet<IssueKey>,
}

impl Ours {
    /// As far as a question about this resource needs it.
    pub(super) fn of(resource: &Resource, world: &World, policy: &Policy) -> Self {
        let bots = policy.repos.iter();
        let bots = bots.map(|(name, rules)| (name.clone(), rules.bot_branch.clone())).collect();
        let live = match resource {
            // These show issues beside the one they are about.
            Resource::Issues(_) | Resource::Native(_) | Resource::Look(_) => {
                let live = world.issues().filter(|(_, issue)| is_stopped_by_closing(issue));
                live.map(|(key, _)| key.clone()).collect()
            }
            Resource::Issue(key) | Resource::Commands(key) | Resource::Recall(key) => {
                let live = world.issue(key).filter(|issue| is_stopped_by_closing(issue));
                live.map(|_| key.clone()).into_iter().collect()
            }
            Resource::Mark(_)
            | Resource::Branches(_)
            | Resource::Required(_)
            | Resource::Labels(_)
            | Resource::Protection(_)
            | Resource::Rollup(..)
            | Resource::Behind(_)
            | Resource::Sync(..)
            | Resource::Trial(..)
            | Resource::Tree(..)
            | Resource::Comments(_)
            | Resource::Pull(..)
            | Resource::CheckLog(..)
            | Resource::Reach(_)
            | Resource::Proof(_)
            | Resource::Evidence(_) => BTreeSet::new(),
        };
        Self { bots, live }
    }

    pub(super) fn has(&self, repo: &RepoName) -> bool {
        self.bots.contains_key(repo)
    }

    /// The branch of Ralph's own whose commit closed it. `None`: it is open, or a person closed it, or it makes no difference.
    pub(super) fn closed_by(
        &self,
        issue: &ForgeIssue,
        now: Time,
        forge: &mut dyn Forge,
    ) -> Read<Option<Branch>> {
        if issue.open || issue.is_pull || !self.live.contains(&issue.key) {
            return Ok(None);
        }
        let own = match forge.closed_by(&issue.key)? {
            ClosedBy::Person => return Ok(None),
            ClosedBy::Untold => None,
            ClosedBy::Commit(brought) => brought.into_iter().find(|brought| self.is_own(brought)),
        };
        // What belongs to a closing may be shown later than the closing itself.
        if own.is_none() && now < issue.updated.plus(READ_LAG) {
            return Err(Unread::failed(words::closing_untold(&issue.key)));
        }
        Ok(own.map(|(_, branch)| branch))
    }

    /// Does a branch carry Ralph's work? One that brings the bot branch what the default branch has does not.
    fn is_own(&self, (repo, branch): &(RepoName, Branch)) -> bool {
        let is_made = branch.as_str().starts_with(OWN_BRANCHES) && !is_sync_branch(branch);
        self.bots.get(repo).is_some_and(|bot| bot == branch || is_made)
    }
}

fn is_stopped_by_closing(issue: &Issue) -> bool {
    issue.managed.as_deref().is_some_and(|managed| match managed.phase {
        Phase::Queued | Phase::Running { .. } | Phase::Parked { .. } | Phase::Escalated { .. } => {
            true
        }
        Phase::Out | Phase::Stopped { .. } | Phase::InBot { .. } | Phase::Done { .. } => false,
    })
}
