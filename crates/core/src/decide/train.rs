//! Which of those that have to be tested again are tried together, who goes alone, and who waits for whom.

use super::{Context, Next, repo_of};
use crate::batch;
use crate::effect::IssueAct;
use crate::gate::Gate;
use crate::ids::{IssueKey, RepoName, Sha};
use crate::issue::Phase;
use crate::policy::{Policy, RepoPolicy};
use crate::pull::{CheckState, Pull, Required};
use crate::repo::{Car, Member, Repo};
use crate::run::Run;
use crate::standing::Standing;
use crate::steps;
use crate::steps::Step;
use crate::time::Time;
use crate::watch::Pace;
use crate::world::World;

/// What comes next for those whose tests are older than the bot branch.
pub(super) enum Plan {
    /// One after the other, as they stand in line; at this time it may be otherwise.
    Serial(Option<Time>),
    /// This one goes first: it only has to be read or merged, or it is tested by itself.
    First(u64),
    Together(Vec<Car>),
    /// One alone is ready; until this time others may join it.
    Gathers(Time),
    /// Nobody is tested before this time.
    Rests(Time),
    /// Nobody is tested until Ralph begins new things again.
    Drains,
}

/// Asked only while nobody has a turn and no trial is under way.
pub(super) fn plan(world: &World, name: &RepoName, now: Time, policy: &Policy) -> Plan {
    let Some(rules) = policy.repo(name) else { return Plan::Serial(None) };
    if policy.draining {
        return Plan::Drains;
    }
    let repo = repo_of(world, name);
    let held = repo.refusals.hold(&crate::repo::RepoWish::Trials, now);
    let is_checked = required(rules, repo).is_some_and(|names| !names.is_empty());
    if rules.batch_max < 2 || repo.train.is_strict || held.is_some() || !is_checked {
        return Plan::Serial(held);
    }
    let ready = world.queues(name).into_iter().flat_map(|queues| &queues.ready);
    let (mut cars, mut since) = (Vec::new(), Time(0));
    for (_, _, number) in ready {
        let key = IssueKey::new(name.clone(), *number);
        match ready_of(world, &key, now, policy) {
            Some(Ready::ToMerge | Ready::Unread) => return Plan::First(*number),
            Some(Ready::ToTest(car, passed)) if !repo.train.apart.contains(&car.head) => {
                cars.push(car);
                since = passed;
            }
            Some(Ready::ToTest(..)) | None => {}
        }
    }
    if let Some(until) = repo.train.rests_until().filter(|until| *until > now) {
        return Plan::Rests(until);
    }
    let members: Vec<Member> = cars.iter().map(Car::member).collect();
    match repo.train.planner.next(&members, rules.batch_max) {
        batch::Next::Nothing => Plan::Serial(None),
        batch::Next::Eject(one) => Plan::First(one.issue),
        batch::Next::Try(some) => match some.as_slice() {
            [one] if cars.len() > 1 || since.plus(rules.batch_wait) <= now => {
                Plan::First(one.issue)
            }
            [_] => Plan::Gathers(since.plus(rules.batch_wait)),
            some => {
                cars.retain(|car| some.contains(&car.member()));
                Plan::Together(cars)
            }
        },
    }
}

enum Ready {
    /// It was tested with what is there now.
    ToMerge,
    /// It may be merged already.
    Unread,
    /// Its own checks passed at this time, with the bot branch as it was then.
    ToTest(Car, Time),
}

fn ready_of(world: &World, key: &IssueKey, now: Time, policy: &Policy) -> Option<Ready> {
    let issue = world.issue(key)?;
    let managed = issue.managed.as_deref()?;
    let (rules, repo) = (policy.repo(&key.repo)?, repo_of(world, &key.repo));
    let cx = Context { world, key, issue, managed, repo, policy, rules, now };
    let run = cx.run().filter(|_| managed.work.is_none())?;
    let pull = steps::ready_to_merge(&cx, run).ok()?;
    if !run.is_tested() || !repo.has_moved_under(run) {
        return Some(Ready::ToMerge);
    }
    if !repo.bot.holds_since(pull.read_at) {
        return Some(Ready::Unread);
    }
    let diff = run.head.as_ref()?.diff.clone();
    let (pull, head) = (pull.number, pull.head.clone());
    let passed = run.gates.get(Gate::Ci).map_or(run.started, |record| record.at);
    Some(Ready::ToTest(Car { issue: key.number, diff, pull, head }, passed))
}

/// A trial is under way: whoever is next in it is merged, everybody else waits.
pub(super) fn ride(cx: &Context<'_>, pull: &Pull) -> Option<Next> {
    let trial = cx.repo.train.trial.as_ref()?;
    let bot_head = cx.repo.branches.as_ref().and_then(|branches| branches.bot_head.as_ref());
    let onto = cx.repo.train.may_merge(cx.key.number, &pull.head);
    Some(match onto.filter(|onto| bot_head.is_none_or(|head| head == *onto)) {
        Some(onto) => merging(cx, pull, Some(onto)),
        None => {
            let pull_of_trial = trial.open.as_ref().map(|open| open.number);
            waits(cx, pull, Standing::WaitsForTrial { pull: pull_of_trial }, None)
        }
    })
}

pub(super) fn merging(cx: &Context<'_>, pull: &Pull, onto: Option<&Sha>) -> Next {
    let (head, method) = (pull.head.clone(), cx.rules.merge_method);
    let (pull, base) = (pull.number, Some(cx.rules.bot_branch.clone()));
    let onto = onto.cloned();
    let merge = cx.on_issue(IssueAct::Merge { pull, head, base, method, onto });
    Next::Act(merge, Standing::Merging { pull })
}

pub(super) fn waits(
    cx: &Context<'_>,
    pull: &Pull,
    standing: Standing,
    until: Option<Time>,
) -> Next {
    let watch = vec![steps::watch_pull(cx, pull, Pace::Normal)];
    match until {
        None => Next::Read(standing, watch),
        Some(until) => Next::Until(standing, watch, until),
    }
}

/// Is this member of a trial still as it was when that was built?
pub(super) fn is_aboard(world: &World, name: &RepoName, car: &Car) -> bool {
    let issue = world.issue(&IssueKey::new(name.clone(), car.issue));
    let Some(managed) = issue.and_then(|issue| issue.managed.as_deref()) else { return false };
    let is_as_tried = |run: &Run| {
        let head = run.head.as_ref().map(|head| &head.commit);
        run.pull == Some(car.pull) && head == Some(&car.head) && run.merged.is_none()
    };
    let is_ready = !managed.is_paused && managed.phase == (Phase::Running { step: Step::Merge });
    is_ready && managed.run.as_ref().is_some_and(is_as_tried)
}

/// What must be green; `None` while that is not known.
pub(super) fn required<'a>(rules: &'a RepoPolicy, repo: &'a Repo) -> Option<&'a [String]> {
    if rules.skipped_gates.contains(&Gate::Ci) {
        return Some(&[]);
    }
    match (&rules.required_checks, &repo.required) {
        (Some(names), _) | (None, Required::Names(names)) => Some(names),
        (None, Required::Nothing) => Some(&[]),
        (None, Required::Unknown) => None,
    }
}

pub(super) fn in_state(required: &[String], pull: &Pull, wanted: CheckState) -> Vec<String> {
    let checks = pull.checks.as_ref();
    let state = |name: &str| checks.map_or(CheckState::Pending, |checks| checks.state_of(name));
    required.iter().filter(|name| state(name) == wanted).cloned().collect()
}
