//! Enters turns into the books: what they used is known from their program, or taken to be what was reserved.

use crate::books::{Amount, IssueCost, TurnCost};
use crate::fact::Outcome;
use crate::ids::Attempt;
use crate::issue::{Issue, Managed};
use crate::repo::Repo;
use crate::role::Role;
use crate::run::{Work, WorkState};
use crate::time::{Span, Time};
use crate::turn_end::TurnUse;
use std::sync::Arc;

/// Counts what the program of a turn under way has told. It counts at once: the turn may end in any way.
pub(super) fn told(
    now: Time,
    attempt: Attempt,
    used: &TurnUse,
    issue: &mut Issue,
    repo: &mut Repo,
) {
    let Some(managed) = issue.managed.as_mut() else { return };
    let Some(role) = role_of(managed, attempt) else { return };
    let Some(work) = managed.work.as_mut() else { return };
    let account = work.account.clone().unwrap_or_default();
    repo.turns.accounts.see(now, &account, &used.limits);
    let Some(usage) = used.usage else { return };
    work.used = Some(usage);
    let amount = TurnCost::of(Some(usage), None, Span::ZERO).amount;
    count(now, role, amount, work, repo);
}

/// Enters the turn that ends with this attempt. A turn without an outcome was ended, or Ralph died during it.
pub(super) fn ended(
    now: Time,
    attempt: Attempt,
    outcome: Option<&Outcome>,
    managed: &mut Managed,
    repo: &mut Repo,
) {
    let Some(role) = role_of(managed, attempt) else { return };
    let Some(work) = managed.work.as_mut() else { return };
    let told = outcome.and_then(Outcome::usage).or(work.used);
    // A turn that was ended before its start was confirmed has used nothing. If Ralph died, that is not known.
    let was_never_there = matches!(work.state, WorkState::Ending(_)) && !work.has_begun;
    if told.is_none() && outcome.is_none() && was_never_there {
        return;
    }
    // A turn that the provider has refused has used what was told, and nothing else.
    let is_refused =
        matches!(outcome, Some(Outcome::AgentFailed { class, .. }) if class.is_of_account());
    let reserved = work.reserved.filter(|_| !is_refused);
    let cost = TurnCost::of(told, reserved, now.since(work.started));
    count(now, role, cost.amount, work, repo);
    Arc::make_mut(&mut repo.books).remember(role, cost);
    managed.used.add(role, &cost);
}

/// Remembers what an issue has cost, once it is merged.
pub(super) fn merged(managed: &Managed, repo: &mut Repo) {
    let (turns, amount, took) = managed.used.total();
    if turns > 0 {
        Arc::make_mut(&mut repo.books).merged(IssueCost { turns, amount, took });
    }
}

/// The role of the turn of this attempt, if it is under way.
fn role_of(managed: &Managed, attempt: Attempt) -> Option<Role> {
    let work = managed.work.as_ref().filter(|work| work.attempt == attempt)?;
    work.step.role(managed.run.as_ref()?.recipe)
}

/// Counts what was not counted yet.
fn count(now: Time, role: Role, amount: Amount, work: &mut Work, repo: &mut Repo) {
    let more = amount.minus(work.counted);
    work.counted = work.counted.max(amount);
    let account = work.account.clone().unwrap_or_default();
    Arc::make_mut(&mut repo.books).count(now, (&account, role), more);
}
