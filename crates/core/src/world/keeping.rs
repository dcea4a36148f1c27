//! The use of accounts over all repositories. The repository with an account's last turn watches its windows; otherwise
//! every repository would have to be decided again after every turn.

use super::World;
use crate::account::AccountName;
use crate::budget::DayUse;
use crate::fact::{Settled, What};
use crate::ids::{IssueKey, RepoName};
use crate::policy::Policy;
use crate::repo::Repo;
use crate::run::Work;
use crate::throttle::AccountUse;
use crate::time::Time;

impl World {
    /// Returns the use of these accounts, over all repositories.
    #[must_use]
    pub fn account_use(
        &self,
        names: impl IntoIterator<Item = AccountName>,
        policy: &Policy,
        now: Time,
    ) -> Vec<AccountUse> {
        AccountUse::all(names.into_iter(), &self.repos.iter(), &policy.throttle, now)
    }

    /// Returns the use of the day's budget, with what is reserved for turns under way.
    #[must_use]
    pub fn day_use(&self, policy: &Policy, now: Time) -> DayUse {
        let reserved = self.works().filter_map(|work| work.reserved).sum();
        policy.budget.day(self.repos.values(), reserved, now)
    }

    /// Returns every process that runs, starts or ends.
    pub(crate) fn works(&self) -> impl Iterator<Item = &Work> {
        let busy = self.queues.iter().flat_map(|(name, queues)| {
            queues.busy.keys().map(|number| IssueKey::new(name.clone(), *number))
        });
        busy.filter_map(|key| self.issues.get(&key)?.managed.as_ref()?.work.as_ref())
    }

    /// Returns the account of the turn that this fact is about, if it may change what is known of the account's use.
    pub(super) fn account_at_work(&self, key: &IssueKey, what: &What) -> Option<AccountName> {
        let attempt = match what {
            What::Finished { attempt, .. }
            | What::Used { attempt, .. }
            | What::Interrupted { attempt }
            | What::Settled(Settled::Ended { attempt }) => *attempt,
            What::Seen(_)
            | What::RepoSeen(_)
            | What::Suspected { .. }
            | What::Settled(_)
            | What::Moved(_) => return None,
        };
        let work = self.issues.get(key)?.managed.as_ref()?.work.as_ref();
        let work = work.filter(|work| work.attempt == attempt && work.step.takes_turn())?;
        Some(work.account.clone().unwrap_or_default())
    }

    /// Returns the repositories that watch this account and the day's budget.
    pub(super) fn keepers(&self, account: &AccountName) -> [Option<RepoName>; 2] {
        [self.keeper(account).cloned(), self.day_keeper().cloned()]
    }

    /// Returns the accounts whose windows this repository watches.
    pub(crate) fn kept_by(&self, name: &RepoName) -> Vec<AccountName> {
        let Some(repo) = self.repos.get(name) else { return Vec::new() };
        let known = repo.books.accounts().map(|(account, _)| account);
        known.filter(|account| self.keeper(account) == Some(name)).cloned().collect()
    }

    /// True if this repository watches the day's budget.
    pub(crate) fn keeps_day(&self, name: &RepoName) -> bool {
        self.day_keeper() == Some(name)
    }

    fn keeper(&self, account: &AccountName) -> Option<&RepoName> {
        let last = |repo: &Repo| repo.books.account(account)?.latest();
        latest(self.repos.iter().filter_map(|(name, repo)| Some((last(repo)?, name))))
    }

    fn day_keeper(&self) -> Option<&RepoName> {
        latest(self.repos.iter().filter_map(|(name, repo)| Some((repo.books.latest()?, name))))
    }
}

fn latest<'a>(all: impl Iterator<Item = (Time, &'a RepoName)>) -> Option<&'a RepoName> {
    all.max().map(|(_, name)| name)
}
