//! Changes that are tried together: their trial is built, opened, judged by the same checks as everything else, and
//! cleared away.

use super::super::{Decision, train};
use super::RepoContext;
use crate::effect::RepoAct;
use crate::fact::TrialMove;
use crate::pull::{CheckState, Pull, PullState};
use crate::repo::{Branches, Car, Trial, TrialEnd, TrialPull, trial_branch};
use crate::standing::TrainStanding;
use crate::time::Time;
use crate::watch::{Pace, Resource, Watch};
use crate::words;

/// What is to happen about trials.
pub(super) enum Wanted {
    Move(TrialMove),
    Acts(Vec<RepoAct>, Option<TrainStanding>),
}

/// `is_syncing`: the default branch's changes are merged first.
pub(super) fn want(
    cx: &RepoContext<'_>,
    branches: &Branches,
    is_syncing: bool,
    decision: &mut Decision,
) -> Wanted {
    let mut acts = leftovers(cx);
    let Some(trial) = &cx.repo.train.trial else {
        let standing = begin(cx, branches, is_syncing, &mut acts, decision);
        return Wanted::Acts(acts, standing);
    };
    if let Some(end) = end(cx, trial, branches) {
        return Wanted::Move(TrialMove::Ended(end));
    }
    let issues = |cars: &[Car]| cars.iter().map(|car| car.issue).collect();
    let pull = trial.open.as_ref().map(|open| open.number);
    deadline(cx, trial).into_iter().for_each(|at| decision.look_again(at));
    if has_moved(trial, branches) {
        watch(cx, trial, Pace::Soon, decision);
        let issues = issues(trial.waiting());
        return Wanted::Acts(acts, Some(TrainStanding::Trying { pull, issues }));
    }
    if trial.green_at.is_some() {
        watch(cx, trial, Pace::Normal, decision);
        let issues = issues(trial.waiting());
        return Wanted::Acts(acts, Some(TrainStanding::Merging { pull, issues }));
    }
    match &trial.open {
        None if !trial.is_pushed => {
            let (number, commit) = (trial.number, trial.commit.clone());
            acts.push(RepoAct::PushTrial { number, commit });
        }
        None => acts.push(RepoAct::OpenTrial {
            number: trial.number,
            commit: trial.commit.clone(),
            head: trial.branch(),
            base: cx.rules.bot_branch.clone(),
            title: words::trial_title(trial),
            body: words::trial_body(trial, &cx.rules.bot_branch),
        }),
        Some(open) if is_green(cx, open) => return Wanted::Move(TrialMove::Green),
        Some(_) => watch(cx, trial, Pace::Normal, decision),
    }
    Wanted::Acts(acts, Some(TrainStanding::Trying { pull, issues: issues(&trial.cars) }))
}

/// Who is tried together next. Whoever is tested by itself goes first.
fn begin(
    cx: &RepoContext<'_>,
    branches: &Branches,
    is_syncing: bool,
    acts: &mut Vec<RepoAct>,
    decision: &mut Decision,
) -> Option<TrainStanding> {
    let train = &cx.repo.train;
    let is_told = |end: &TrialEnd| matches!(end, TrialEnd::TreeDiffers(_) | TrialEnd::Refused(_));
    let last = train.last.as_ref().filter(|last| is_told(&last.end));
    let last = last.map(|last| TrainStanding::Ended { number: last.number, end: last.end.clone() });
    if let Some(until) = turn_until(cx) {
        decision.look_again(until);
        return last;
    }
    match train::plan(cx.world, cx.name, cx.now, cx.policy) {
        train::Plan::Together(cars) => {
            let issues = cars.iter().map(|car| car.issue).collect();
            if let Some(base) = branches.bot_head.clone().filter(|_| !is_syncing) {
                acts.push(RepoAct::BuildTrial { number: train.number + 1, base, cars });
            }
            return Some(TrainStanding::Building { issues });
        }
        train::Plan::Gathers(until)
        | train::Plan::Rests(until)
        | train::Plan::Serial(Some(until)) => decision.look_again(until),
        train::Plan::Serial(None) | train::Plan::First(_) | train::Plan::Drains => {}
    }
    last
}

/// Until when somebody has its turn.
fn turn_until(cx: &RepoContext<'_>) -> Option<Time> {
    let turns = cx.world.queues(cx.name)?.turn.values();
    turns.copied().filter(|until| *until > cx.now).max()
}

/// Trials that are over: first the pull request goes, then its branch.
fn leftovers(cx: &RepoContext<'_>) -> Vec<RepoAct> {
    let left = cx.repo.train.left.iter();
    left.map(|(number, pull)| match pull {
        Some(pull) => RepoAct::CloseTrial { pull: *pull },
        None => RepoAct::DeleteBranch { branch: trial_branch(*number) },
    })
    .collect()
}

fn watch(cx: &RepoContext<'_>, trial: &Trial, pace: Pace, decision: &mut Decision) {
    let pull = trial.open.as_ref().map(|open| Resource::Trial(cx.name.clone(), open.number));
    let tree = trial.unread().map(|commit| Resource::Tree(cx.name.clone(), commit.clone()));
    let pull = pull.map(|resource| Watch { resource, pace });
    let tree = tree.map(|resource| Watch { resource, pace: Pace::Soon });
    decision.watch.extend(pull.into_iter().chain(tree));
}

/// Why the trial is over, if it is.
fn end(cx: &RepoContext<'_>, trial: &Trial, branches: &Branches) -> Option<TrialEnd> {
    if let Some(car) = trial.mismatch() {
        return Some(TrialEnd::TreeDiffers(car.issue));
    }
    if trial.waiting().is_empty() && trial.unread().is_none() {
        return Some(TrialEnd::Merged);
    }
    let seen = trial.open.as_ref().and_then(|open| open.seen.as_ref());
    if let Some(end) = seen.and_then(|seen| meddled(cx, trial, seen)) {
        return Some(end);
    }
    if turn_until(cx).is_some() {
        return Some(TrialEnd::Overtaken);
    }
    if has_moved(trial, branches) {
        // Whoever moved the bot branch may have merged the trial.
        let read_at = |open: &TrialPull| open.seen.as_ref().map_or(open.opened, |it| it.read_at);
        let is_known = |open: &TrialPull| cx.repo.bot.holds_since(read_at(open));
        let is_late = deadline(cx, trial).is_some_and(|at| at <= cx.now);
        let is_over = is_late || trial.open.as_ref().is_none_or(is_known);
        return is_over.then_some(TrialEnd::BaseMoved);
    }
    let mut gone = trial.waiting().iter().filter(|car| !train::is_aboard(cx.world, cx.name, car));
    let left = gone.next().map(|car| TrialEnd::MemberLeft(car.issue));
    left.or_else(|| late(cx, trial))
}

/// Until when its checks are to report, or its members to be merged.
fn deadline(cx: &RepoContext<'_>, trial: &Trial) -> Option<Time> {
    let since = trial.green_at.or_else(|| trial.open.as_ref().map(|open| open.opened));
    since.map(|since| since.plus(cx.rules.limits.ci_timeout))
}

/// The bot branch is not where the trial was built on.
fn has_moved(trial: &Trial, branches: &Branches) -> bool {
    branches.bot_head.as_ref().is_some_and(|head| head != trial.expected())
}

/// What somebody did to the pull request itself.
fn meddled(cx: &RepoContext<'_>, trial: &Trial, seen: &Pull) -> Option<TrialEnd> {
    let is_ours = seen.head == trial.commit && seen.base == cx.rules.bot_branch;
    match seen.state {
        PullState::Closed => Some(TrialEnd::Closed),
        PullState::Merged { .. } if is_ours => Some(TrialEnd::MergedByHand),
        PullState::Merged { .. } => Some(TrialEnd::Changed),
        PullState::Open => (!is_ours).then_some(TrialEnd::Changed),
    }
}

/// What the checks say, or what has become of them in time. One that was green may be red after all.
fn late(cx: &RepoContext<'_>, trial: &Trial) -> Option<TrialEnd> {
    let is_late = deadline(cx, trial).is_some_and(|at| at <= cx.now);
    let required = train::required(cx.rules, cx.repo);
    let seen = trial.open.as_ref().and_then(|open| open.seen.as_ref());
    let failed = seen.zip(required);
    let failed = failed.map(|(seen, names)| train::in_state(names, seen, CheckState::Fail));
    if let Some(failed) = failed.filter(|failed| !failed.is_empty()) {
        return Some(TrialEnd::ChecksFailed(failed));
    }
    if trial.green_at.is_some() {
        return is_late.then_some(TrialEnd::Stuck);
    }
    if required.is_some_and(<[String]>::is_empty) {
        return Some(TrialEnd::NothingRequired);
    }
    let names = required.unwrap_or_default();
    let pending = |seen: &Pull| train::in_state(names, seen, CheckState::Pending);
    let pending = seen.map_or_else(|| names.to_vec(), pending);
    let is_waiting = !pending.is_empty() || required.is_none();
    (is_late && is_waiting).then_some(TrialEnd::ChecksLate(pending))
}

/// Nothing required is not green: then nothing was tried.
fn is_green(cx: &RepoContext<'_>, open: &TrialPull) -> bool {
    let (Some(seen), Some(required)) = (&open.seen, train::required(cx.rules, cx.repo)) else {
        return false;
    };
    let passed = train::in_state(required, seen, CheckState::Pass);
    !required.is_empty() && passed.len() == required.len()
}
