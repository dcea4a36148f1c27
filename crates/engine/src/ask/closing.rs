//! The part of the world that Ralph works in, and the cause of an issue's closing there: a person, or a commit that
//! reached the default branch through one of Ralph's branches.

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

/// The prefix of all branches that Ralph creates for its work.
const OWN_BRANCHES: &str = "ralph/";

/// Repositories that Ralph works in, with their bot branches, and their issues that stop when they are closed. Other
/// repositories are read only as far as the forge permits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Ours {
    bots: BTreeMap<RepoName, Branch>,
    live: BTreeSet<IssueKey>,
}

impl Ours {
    /// The part that a question about this resource needs.
    pub(super) fn of(resource: &Resource, world: &World, policy: &Policy) -> Self {
        let bots = policy.repos.iter();
        let bots = bots.map(|(name, rules)| (name.clone(), rules.bot_branch.clone())).collect();
        let live = match resource {
            // These reads also return other issues than the one they are about.
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

    /// The branch of Ralph whose commit closed the issue. `None` if the issue is open, if a person closed it, or if the
    /// cause makes no difference.
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
        // The cause of a closing may become visible later than the closing itself.
        if own.is_none() && now < issue.updated.plus(READ_LAG) {
            return Err(Unread::failed(words::closing_untold(&issue.key)));
        }
        Ok(own.map(|(_, branch)| branch))
    }

    /// True if the branch carries Ralph's work. A branch that syncs the default branch into the bot branch does not.
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
