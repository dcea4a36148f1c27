//! What turns have used: by account and window, in the last day, by repository and role.

use super::Reader;
use crate::store::StoreError;
use crate::store::rows::world_of;
use ralph_core::account::AccountName;
use ralph_core::books::{Amount, DAY};
use ralph_core::budget::{DayUse, Limits};
use ralph_core::forecast::Forecast;
use ralph_core::ids::RepoName;
use ralph_core::policy::Policy;
use ralph_core::repo::Repo;
use ralph_core::throttle::{AccountUse, used_since};
use ralph_core::time::Time;
use serde::Serialize;
use std::collections::BTreeSet;

/// Everything that was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsageReport {
    pub accounts: Vec<AccountReport>,
    /// The last 24 hours of all accounts, against the day's budget.
    pub day: DayUse,
    pub day_usd_max: Option<u64>,
    pub day_tokens_max: Option<u64>,
    pub repos: Vec<RepoUsage>,
}

/// One account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccountReport {
    #[serde(flatten)]
    pub state: AccountUse,
    /// What it used in the last 24 hours.
    pub day: Amount,
}

/// One repository in the last 24 hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RepoUsage {
    pub repo: RepoName,
    pub day: Amount,
    pub roles: Vec<RoleUsage>,
    /// What an issue is expected to cost.
    pub forecast: Option<Forecast>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleUsage {
    pub role: &'static str,
    pub day: Amount,
    /// The turns that are remembered.
    pub turns: usize,
}

impl Reader {
    /// What was used, by the operator's settings. Accounts that are no longer in them are shown too.
    pub fn usage(&self, policy: &Policy, now: Time) -> Result<UsageReport, StoreError> {
        let world = world_of(&self.connection)?;
        let repos = || world.repos().map(|(_, repo)| repo);
        let since = now.minus(DAY);
        let mut names: BTreeSet<AccountName> = policy.all_accounts();
        let used = repos().flat_map(|repo| repo.books.accounts());
        names.extend(
            used.filter(|(_, it)| it.after(since).next().is_some()).map(|(it, _)| it.clone()),
        );
        let accounts = world.account_use(names, policy, now).into_iter().map(|state| {
            let day = used_since(&state.account, repos(), since);
            AccountReport { state, day }
        });
        let Limits { tokens, micro_usd } = policy.budget.day;
        let repos = world.repos().filter(|(_, repo)| !repo.books.is_empty());
        Ok(UsageReport {
            accounts: accounts.collect(),
            day: world.day_use(policy, now),
            day_usd_max: micro_usd,
            day_tokens_max: tokens,
            repos: repos.map(|(name, repo)| of_repo(name, repo, now)).collect(),
        })
    }
}

fn of_repo(name: &RepoName, repo: &Repo, now: Time) -> RepoUsage {
    let roles: Vec<_> = repo
        .books
        .day(now)
        .map(|(role, day)| RoleUsage {
            role: role.name(),
            day,
            turns: repo.books.role(role).map_or(0, |book| book.recent().len()),
        })
        .collect();
    RepoUsage {
        repo: name.clone(),
        day: roles.iter().map(|role| role.day).sum(),
        roles,
        forecast: Forecast::of(&repo.books),
    }
}
