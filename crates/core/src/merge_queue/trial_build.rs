//! Makes trial builds, opens their pull requests, judges them by the same checks as everything else, and cleans up
//! after them.

use super::{Entry, Trial, TrialEnd, TrialPull, TrialStage, entries, trial_branch};
use crate::decide::{Decision, RepoContext};
use crate::effect::RepoAct;
use crate::fact::TrialMove;
use crate::pull::{CheckState, Pull, PullState};
use crate::repo::Branches;
use crate::standing::TrialStanding;
use crate::time::Time;
use crate::watch::{Pace, Resource, Watch};
use crate::words;

/// The next move of a trial build, or the acts that are due for trial builds.
pub(crate) enum Wanted {
    Move(TrialMove),
    Acts(Vec<RepoAct>, Option<TrialStanding>),
}

/// Decides on trial builds. `is_syncing`: the default branch's changes are merged first.
pub(crate) fn want(
    cx: &RepoContext<'_>,
    branches: &Branches,
    is_syncing: bool,
    decision: &mut Decision,
) -> Wanted {
    let mut acts = leftovers(cx);
    let Some(trial) = &cx.repo.merge_queue.trial else {
        let standing = begin(cx, branches, is_syncing, &mut acts, decision);
        return Wanted::Acts(acts, standing);
    };
    if let Some(end) = end(cx, trial, branches) {
        return Wanted::Move(TrialMove::Ended(end));
    }
    let issues = |entries: &[Entry]| entries.iter().map(|entry| entry.issue).collect();
    let pull = trial.pull().map(|open| open.number);
    deadline(cx, trial).into_iter().for_each(|at| decision.look_again(at));
    if has_moved(trial, branches) {
        watch(cx, trial, Pace::Soon, decision);
        let issues = issues(trial.waiting());
        return Wanted::Acts(acts, Some(TrialStanding::Trying { pull, issues }));
    }
    match &trial.stage {
        TrialStage::Built => {
            let (number, commit) = (trial.number, trial.commit.clone());
            acts.push(RepoAct::PushTrial { number, commit });
        }
        TrialStage::Pushed => acts.push(RepoAct::OpenTrial {
            number: trial.number,
            commit: trial.commit.clone(),
            head: trial.branch(),
            base: cx.rules.bot_branch.clone(),
            title: words::trial_title(trial),
            body: words::trial_body(trial, &cx.rules.bot_branch),
        }),
        TrialStage::Open(pull) if is_green(cx, pull) => return Wanted::Move(TrialMove::Green),
        TrialStage::Open(_) => watch(cx, trial, Pace::Normal, decision),
        TrialStage::Green { .. } => {
            watch(cx, trial, Pace::Normal, decision);
            let issues = issues(trial.waiting());
            return Wanted::Acts(acts, Some(TrialStanding::Merging { pull, issues }));
        }
    }
    Wanted::Acts(acts, Some(TrialStanding::Trying { pull, issues: issues(&trial.entries) }))
}

/// Starts the next trial build. A change that is tested alone goes first.
fn begin(
    cx: &RepoContext<'_>,
    branches: &Branches,
    is_syncing: bool,
    acts: &mut Vec<RepoAct>,
    decision: &mut Decision,
) -> Option<TrialStanding> {
    let queue = &cx.repo.merge_queue;
    let is_told = |end: &TrialEnd| matches!(end, TrialEnd::TreeDiffers(_) | TrialEnd::Refused(_));
    let last = queue.last.as_ref().filter(|last| is_told(&last.end));
    let last = last.map(|last| TrialStanding::Ended { number: last.number, end: last.end.clone() });
    if let Some(until) = slot_until(cx) {
        decision.look_again(until);
        return last;
    }
    match entries::plan(cx.world, cx.name, cx.now, cx.policy) {
        entries::Plan::Together(entries) => {
            let issues = entries.iter().map(|entry| entry.issue).collect();
            if let Some(base) = branches.bot_head.clone().filter(|_| !is_syncing) {
                acts.push(RepoAct::BuildTrial { number: queue.number + 1, base, entries });
            }
            return Some(TrialStanding::Building { issues });
        }
        entries::Plan::Gathers(until)
        | entries::Plan::Rests(until)
        | entries::Plan::Serial(Some(until)) => decision.look_again(until),
        entries::Plan::Serial(None) | entries::Plan::First(_) | entries::Plan::Drains => {}
    }
    last
}

/// The time until which a change holds the merge slot.
fn slot_until(cx: &RepoContext<'_>) -> Option<Time> {
    let slots = cx.world.queues(cx.name)?.merge_slot.values();
    slots.copied().filter(|until| *until > cx.now).max()
}

/// The acts that clean up trial builds that are over: first the pull request goes, then its branch.
fn leftovers(cx: &RepoContext<'_>) -> Vec<RepoAct> {
    let left = cx.repo.merge_queue.left.iter();
    left.map(|(number, pull)| match pull {
        Some(pull) => RepoAct::CloseTrial { pull: *pull },
        None => RepoAct::DeleteBranch { branch: trial_branch(*number) },
    })
    .collect()
}

fn watch(cx: &RepoContext<'_>, trial: &Trial, pace: Pace, decision: &mut Decision) {
    let pull = trial.pull().map(|open| Resource::Trial(cx.name.clone(), open.number));
    let tree = trial.unread().map(|commit| Resource::Tree(cx.name.clone(), commit.clone()));
    let pull = pull.map(|resource| Watch { resource, pace });
    let tree = tree.map(|resource| Watch { resource, pace: Pace::Soon });
    decision.watch.extend(pull.into_iter().chain(tree));
}

/// The reason why the trial build is over, if it is.
fn end(cx: &RepoContext<'_>, trial: &Trial, branches: &Branches) -> Option<TrialEnd> {
    if let Some(entry) = trial.mismatch() {
        return Some(TrialEnd::TreeDiffers(entry.issue));
    }
    if trial.waiting().is_empty() && trial.unread().is_none() {
        return Some(TrialEnd::Merged);
    }
    let seen = trial.pull().and_then(|open| open.seen.as_ref());
    if let Some(end) = seen.and_then(|seen| meddled(cx, trial, seen)) {
        return Some(end);
    }
    if slot_until(cx).is_some() {
        return Some(TrialEnd::Overtaken);
    }
    if has_moved(trial, branches) {
        // The bot branch may have moved by the merge of the trial build.
        let read_at = |open: &TrialPull| open.seen.as_ref().map_or(open.opened, |it| it.read_at);
        let is_known = |open: &TrialPull| cx.repo.bot.holds_since(read_at(open));
        let is_late = deadline(cx, trial).is_some_and(|at| at <= cx.now);
        let is_over = is_late || trial.pull().is_none_or(is_known);
        return is_over.then_some(TrialEnd::BaseMoved);
    }
    let mut gone =
        trial.waiting().iter().filter(|entry| !entries::is_still_ready(cx.world, cx.name, entry));
    let left = gone.next().map(|entry| TrialEnd::MemberLeft(entry.issue));
    left.or_else(|| late(cx, trial))
}

/// The time by which its checks must report, or its entries be merged.
fn deadline(cx: &RepoContext<'_>, trial: &Trial) -> Option<Time> {
    let since = match &trial.stage {
        TrialStage::Built | TrialStage::Pushed => return None,
        TrialStage::Open(pull) => pull.opened,
        TrialStage::Green { at, .. } => *at,
    };
    Some(since.plus(cx.rules.limits.ci_timeout))
}

/// True if the bot branch is not where the trial build expects it.
fn has_moved(trial: &Trial, branches: &Branches) -> bool {
    branches.bot_head.as_ref().is_some_and(|head| head != trial.expected())
}

/// The end of a trial build whose pull request a person closed, merged or changed.
fn meddled(cx: &RepoContext<'_>, trial: &Trial, seen: &Pull) -> Option<TrialEnd> {
    let is_ours = seen.head == trial.commit && seen.base == cx.rules.bot_branch;
    match seen.state {
        PullState::Closed => Some(TrialEnd::Closed),
        PullState::Merged { .. } if is_ours => Some(TrialEnd::MergedByHand),
        PullState::Merged { .. } => Some(TrialEnd::Changed),
        PullState::Open => (!is_ours).then_some(TrialEnd::Changed),
    }
}

/// The end of a trial build by its checks or its deadline. Checks that were green may still turn red.
fn late(cx: &RepoContext<'_>, trial: &Trial) -> Option<TrialEnd> {
    let is_late = deadline(cx, trial).is_some_and(|at| at <= cx.now);
    let required = entries::required(cx.rules, cx.repo);
    let seen = trial.pull().and_then(|open| open.seen.as_ref());
    let failed = seen.zip(required);
    let failed = failed.map(|(seen, names)| entries::in_state(names, seen, CheckState::Fail));
    if let Some(failed) = failed.filter(|failed| !failed.is_empty()) {
        return Some(TrialEnd::ChecksFailed(failed));
    }
    if matches!(trial.stage, TrialStage::Green { .. }) {
        return is_late.then_some(TrialEnd::Stuck);
    }
    if required.is_some_and(<[String]>::is_empty) {
        return Some(TrialEnd::NothingRequired);
    }
    let names = required.unwrap_or_default();
    let pending = |seen: &Pull| entries::in_state(names, seen, CheckState::Pending);
    let pending = seen.map_or_else(|| names.to_vec(), pending);
    let is_waiting = !pending.is_empty() || required.is_none();
    (is_late && is_waiting).then_some(TrialEnd::ChecksLate(pending))
}

/// True if all required checks passed. Without a required check nothing was tested, so it is not green.
fn is_green(cx: &RepoContext<'_>, open: &TrialPull) -> bool {
    let (Some(seen), Some(required)) = (&open.seen, entries::required(cx.rules, cx.repo)) else {
        return false;
    };
    let passed = entries::in_state(required, seen, CheckState::Pass);
    !required.is_empty() && passed.len() == required.len()
}
