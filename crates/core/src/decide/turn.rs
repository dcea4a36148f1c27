//! Whose turn it is to be merged. What passed its checks was tested with the bot branch as it was then: once that
//! has moved on, it is tested again, one after the other, so that each is tested once and not each with each.

use super::step::{escalate, may_try};
use super::{Context, Next, train, unread};
use crate::bound::Bound;
use crate::escalation::Cause;
use crate::fact::{Move, RunMove};
use crate::ids::IssueKey;
use crate::pull::Pull;
use crate::run::Run;
use crate::standing::Standing;
use crate::steps;
use crate::steps::Step;
use crate::time::Time;
use crate::unread::ReadOf;
use crate::watch::Pace;
use crate::words;

/// Everything has passed and nothing is in the way: merges, tests again, or waits for whoever is before it.
pub(crate) fn next(cx: &Context<'_>, run: &Run, pull: &Pull) -> Next {
    if let Some(next) = held(cx, pull).or_else(|| train::ride(cx, pull)) {
        return next;
    }
    if !run.is_tested() || !cx.repo.has_moved_under(run) {
        return train::merging(cx, pull, run.tested_on().filter(|_| run.is_tested()));
    }
    // Whoever moved the bot branch may have merged this.
    if !cx.repo.bot.holds_since(pull.read_at) {
        let moved = cx.repo.bot.others_at.unwrap_or(cx.now);
        let until = moved.max(run.started).plus(cx.rules.limits.ci_timeout);
        let (of, watch) = (ReadOf::Pull, vec![steps::watch_pull(cx, pull, Pace::Soon)]);
        let standing = |until, why| Standing::WaitsForPull { until, why };
        return unread::wait(cx, of, until, watch, standing);
    }
    if let Some(waits) = planned(cx, pull) {
        return waits;
    }
    if !may_try(cx, run, Bound::REFRESHES) {
        return escalate(Cause::MergeRefused(words::BASE_KEEPS_MOVING.to_owned()));
    }
    Next::Move(Move::Run(RunMove::TestAgain { until: until(cx) }))
}

/// Whom it waits for before it is tested again by itself.
fn planned(cx: &Context<'_>, pull: &Pull) -> Option<Next> {
    match train::plan(cx.world, &cx.key.repo, cx.now, cx.policy) {
        train::Plan::First(number) if number == cx.key.number => None,
        train::Plan::First(number) => {
            let behind = IssueKey::new(cx.key.repo.clone(), number);
            Some(train::waits(cx, pull, Standing::WaitsForTurn { behind }, None))
        }
        train::Plan::Together(_) => {
            Some(train::waits(cx, pull, Standing::WaitsForTrial { pull: None }, None))
        }
        train::Plan::Drains => {
            let standing = Standing::WaitsForSlot { step: Step::Workspace };
            Some(train::waits(cx, pull, standing, None))
        }
        train::Plan::Gathers(until) => {
            Some(train::waits(cx, pull, Standing::WaitsForCompany { until }, Some(until)))
        }
        train::Plan::Rests(until) => {
            Some(train::waits(cx, pull, Standing::TrialsRest { until }, Some(until)))
        }
        train::Plan::Serial(until) => {
            let behind = first(cx).filter(|first| first != cx.key)?;
            Some(train::waits(cx, pull, Standing::WaitsForTurn { behind }, until))
        }
    }
}

/// Whoever has to be tested again waits until it is its turn; `None` when it is.
pub(crate) fn waits(cx: &Context<'_>, pull: &Pull) -> Option<Next> {
    held(cx, pull).or_else(|| train::ride(cx, pull)).or_else(|| in_line(cx, pull))
}

/// How long a turn that begins now lasts at most.
pub(super) const fn until(cx: &Context<'_>) -> Time {
    cx.now.plus(cx.rules.limits.ci_timeout)
}

fn held(cx: &Context<'_>, pull: &Pull) -> Option<Next> {
    let (behind, until) = holder(cx)?;
    Some(train::waits(cx, pull, Standing::WaitsForTurn { behind }, Some(until)))
}

fn in_line(cx: &Context<'_>, pull: &Pull) -> Option<Next> {
    let behind = first(cx).filter(|first| first != cx.key)?;
    Some(train::waits(cx, pull, Standing::WaitsForTurn { behind }, None))
}

/// Somebody else who is being tested again. Whoever moved the bot branch on meanwhile would have it begin anew.
fn holder(cx: &Context<'_>) -> Option<(IssueKey, Time)> {
    let holding = &cx.world.queues(&cx.key.repo)?.turn;
    let others = holding.iter().filter(|(number, _)| **number != cx.key.number);
    let (number, until) = others.max_by_key(|(_, until)| **until)?;
    (*until > cx.now).then(|| (IssueKey::new(cx.key.repo.clone(), *number), *until))
}

/// Whoever is first of those that are ready.
fn first(cx: &Context<'_>) -> Option<IssueKey> {
    let (_, _, number) = cx.world.queues(&cx.key.repo)?.ready.first()?;
    Some(IssueKey::new(cx.key.repo.clone(), *number))
}
