//! The merge slot, which lets one change at a time be tested again and merged. Tests are out of date once the bot
//! branch has moved; one at a time, each change is tested again once and not after every merge of another.

use super::entries;
use crate::bound::Bound;
use crate::decide::step::{escalate, may_try};
use crate::decide::{Context, Next, unread};
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

/// Decides once everything has passed and nothing is in the way: merge, test again, or wait for a change that goes
/// first.
pub(crate) fn next(cx: &Context<'_>, run: &Run, pull: &Pull) -> Next {
    if let Some(next) = held(cx, pull).or_else(|| entries::follow_trial(cx, pull)) {
        return next;
    }
    if !run.is_tested() || !cx.repo.has_moved_under(run) {
        return entries::merging(cx, pull, run.tested_on().filter(|_| run.is_tested()));
    }
    // The bot branch may have moved by the merge of this pull request.
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

/// The wait for other changes before this one is tested again alone; `None` if it goes first.
fn planned(cx: &Context<'_>, pull: &Pull) -> Option<Next> {
    match entries::plan(cx.world, &cx.key.repo, cx.now, cx.policy) {
        entries::Plan::First(number) if number == cx.key.number => None,
        entries::Plan::First(number) => {
            let behind = IssueKey::new(cx.key.repo.clone(), number);
            Some(entries::waits(cx, pull, Standing::WaitsForMergeSlot { behind }, None))
        }
        entries::Plan::Together(_) => {
            Some(entries::waits(cx, pull, Standing::WaitsForTrial { pull: None }, None))
        }
        entries::Plan::Drains => {
            let standing = Standing::WaitsForSlot { step: Step::Workspace };
            Some(entries::waits(cx, pull, standing, None))
        }
        entries::Plan::Gathers(until) => {
            Some(entries::waits(cx, pull, Standing::WaitsForCompany { until }, Some(until)))
        }
        entries::Plan::Rests(until) => {
            Some(entries::waits(cx, pull, Standing::TrialsRest { until }, Some(until)))
        }
        entries::Plan::Serial(until) => {
            let behind = first(cx).filter(|first| first != cx.key)?;
            Some(entries::waits(cx, pull, Standing::WaitsForMergeSlot { behind }, until))
        }
    }
}

/// The wait of a change that has to be tested again; `None` once it may take the merge slot.
pub(crate) fn waits(cx: &Context<'_>, pull: &Pull) -> Option<Next> {
    held(cx, pull).or_else(|| entries::follow_trial(cx, pull)).or_else(|| in_line(cx, pull))
}

/// The time at which a merge slot taken now runs out.
pub(crate) const fn until(cx: &Context<'_>) -> Time {
    cx.now.plus(cx.rules.limits.ci_timeout)
}

fn held(cx: &Context<'_>, pull: &Pull) -> Option<Next> {
    let (behind, until) = holder(cx)?;
    Some(entries::waits(cx, pull, Standing::WaitsForMergeSlot { behind }, Some(until)))
}

fn in_line(cx: &Context<'_>, pull: &Pull) -> Option<Next> {
    let behind = first(cx).filter(|first| first != cx.key)?;
    Some(entries::waits(cx, pull, Standing::WaitsForMergeSlot { behind }, None))
}

/// Another change that holds the merge slot, and until when. A merge in the meantime would make it start over.
fn holder(cx: &Context<'_>) -> Option<(IssueKey, Time)> {
    let holding = &cx.world.queues(&cx.key.repo)?.merge_slot;
    let others = holding.iter().filter(|(number, _)| **number != cx.key.number);
    let (number, until) = others.max_by_key(|(_, until)| **until)?;
    (*until > cx.now).then(|| (IssueKey::new(cx.key.repo.clone(), *number), *until))
}

/// The first of the ready changes.
fn first(cx: &Context<'_>) -> Option<IssueKey> {
    let (_, _, number) = cx.world.queues(&cx.key.repo)?.ready.first()?;
    Some(IssueKey::new(cx.key.repo.clone(), *number))
}
