//! The account of the next turn, and whether there may be one: limits of accounts, the budget of the issue, the day's.

use crate::account::AccountName;
use crate::books::Amount;
use crate::escalation::Cause;
use crate::issue::{Managed, Phase};
use crate::policy::Policy;
use crate::recipe::Recipe;
use crate::repo::Repo;
use crate::role::Role;
use crate::run::Run;
use crate::steps::{self, Step};
use crate::throttle::{AccountUse, Level, used_since};
use crate::time::{Span, Time};
use crate::world::World;
use std::collections::BTreeMap;

/// The time in which the account with the least use is looked for, where no window tells what is left.
const LATELY: Span = Span::from_mins(5 * 60);

/// The accounts as they are before a start.
pub(super) struct Accounts<'a> {
    world: &'a World,
    policy: &'a Policy,
    now: Time,
    uses: BTreeMap<AccountName, AccountUse>,
    /// The turns under way with each account.
    under_way: BTreeMap<AccountName, usize>,
    is_day_spent: bool,
}

/// A turn that may be started.
pub(super) struct NextTurn {
    pub(super) account: AccountName,
    pub(super) reserved: Option<Amount>,
    pub(super) is_probe: bool,
}

impl<'a> Accounts<'a> {
    pub(super) fn of(world: &'a World, policy: &'a Policy, now: Time) -> Self {
        let uses = world.account_use(policy.all_accounts(), policy, now);
        let uses = uses.into_iter().map(|it| (it.account.clone(), it)).collect();
        let mut under_way: BTreeMap<AccountName, usize> = BTreeMap::new();
        for account in world.works().filter_map(|work| work.account.as_ref()) {
            *under_way.entry(account.clone()).or_default() += 1;
        }
        let is_day_spent =
            policy.budget.day.is_set() && world.day_use(policy, now).level > Level::Free;
        Self { world, policy, now, uses, under_way, is_day_spent }
    }

    /// Whether something new may be begun: every role of an issue has an account with something left.
    pub(super) fn may_claim(&self) -> bool {
        let has_left = |name: &AccountName| {
            self.uses.get(name).is_none_or(|it| it.window_level() == Level::Free)
        };
        let mut roles = Recipe::Issue.steps().iter().filter_map(|step| step.role(Recipe::Issue));
        !self.is_day_spent
            && roles.all(|role| self.policy.accounts_of(role).iter().any(has_left))
            && self.policy.accounts_of(Role::Plan).iter().any(|name| self.is_usable(name))
    }

    /// False if the issue waits for a turn, and no account may be used for it.
    pub(super) fn may_start(&self, managed: &Managed) -> bool {
        let turn = next_turn(managed);
        turn.is_none_or(|(run, step, role)| self.account_for(run, step, role).is_some())
    }

    /// The turn that this issue needs next, or the reason why a person has to be asked first; `None` if it needs none.
    pub(super) fn turn(&self, managed: &Managed, repo: &Repo) -> Option<Result<NextTurn, Cause>> {
        let (run, step, role) = next_turn(managed)?;
        if let Some(cause) = self.exceeded(managed, repo, role) {
            return Some(Err(cause));
        }
        let account = self.account_for(run, step, role)?;
        let is_hard = |it: &AccountUse| it.level == Level::Hard;
        Some(Ok(NextTurn {
            is_probe: self.uses.get(&account).is_some_and(is_hard),
            reserved: self.policy.counts_usage().then(|| self.reserve(repo, role)),
            account,
        }))
    }

    fn reserve(&self, repo: &Repo, role: Role) -> Amount {
        self.policy.budget.reserve(&repo.books, role)
    }

    /// The cause if the issue's budget has no room for another turn.
    fn exceeded(&self, managed: &Managed, repo: &Repo, role: Role) -> Option<Cause> {
        let reserved = self.reserve(repo, role);
        let needed = managed.used.of_budget().plus(reserved);
        let exceeded = self.policy.budget.issue.exceeded_by(needed)?;
        Some(Cause::BudgetSpent { exceeded, used: managed.used.clone(), reserved })
    }

    /// The account for a turn. A session that is resumed stays with its own; anything else goes to the one with most left.
    fn account_for(&self, run: &Run, step: Step, role: Role) -> Option<AccountName> {
        let names = self.policy.accounts_of(role);
        let session = steps::resumed(run, step);
        let own = session.as_ref().and_then(|session| run.account_of(session));
        if let Some(own) = own.filter(|own| names.contains(own)) {
            return self.is_usable(own).then(|| own.clone());
        }
        let has_choice = names.len() > 1;
        let usable = names.into_iter().filter(|name| self.is_usable(name));
        usable.min_by_key(|name| has_choice.then(|| self.used(name)))
    }

    fn is_usable(&self, name: &AccountName) -> bool {
        let under_way = self.under_way.get(name).copied().unwrap_or_default();
        self.uses.get(name).is_none_or(|it| it.may_start(self.now, under_way))
    }

    /// The order of accounts by what is left of them: the worst window first, then recent use.
    fn used(&self, name: &AccountName) -> (Level, u64, u64, usize) {
        let usage = self.uses.get(name);
        let repos = self.world.repos().map(|(_, repo)| repo);
        let lately = used_since(name, repos, self.now.minus(LATELY)).tokens;
        let under_way = self.under_way.get(name).copied().unwrap_or_default();
        let level = usage.map_or(Level::Free, |it| it.level);
        (level, usage.map_or(0, AccountUse::share_milli), lately, under_way)
    }
}

/// The turn that an issue needs next, if it needs one.
fn next_turn(managed: &Managed) -> Option<(&Run, Step, Role)> {
    let Phase::Running { step } = managed.phase else { return None };
    let run = managed.run.as_ref()?;
    Some((run, step, step.role(run.recipe)?))
}
