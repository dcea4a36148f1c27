//! Chooses which changes that have to be tested again are tested together, which go alone, and which wait.

use super::{Entry, Member, planner};
use crate::decide::{Context, Next, repo_of};
use crate::effect::IssueAct;
use crate::gate::Gate;
use crate::ids::{IssueKey, RepoName, Sha};
use crate::issue::Phase;
use crate::policy::{Policy, RepoPolicy};
use crate::pull::{CheckState, Pull, Required};
use crate::repo::Repo;
use crate::run::Run;
use crate::standing::Standing;
use crate::steps;
use crate::steps::Step;
use crate::time::Time;
use crate::watch::Pace;
use crate::world::World;

/// The next step for changes whose tests are older than the bot branch.
pub(super) enum Plan {
    /// One by one, in the order of the queue; this may change at this time.
    Serial(Option<Time>),
    /// This issue goes first: it only has to be read or merged, or it is tested alone.
    First(u64),
    Together(Vec<Entry>),
    /// Only one is ready; others may join it until this time.
    Gathers(Time),
    /// Nothing is tested before this time.
    Rests(Time),
    /// Nothing is tested until Ralph starts new work again.
    Drains,
}

/// Chooses the next step. Called only while no change holds the merge slot and no trial build is under way.
pub(super) fn plan(world: &World, name: &RepoName, now: Time, policy: &Policy) -> Plan {
    let Some(rules) = policy.repo(name) else { return Plan::Serial(None) };
    if policy.draining {
        return Plan::Drains;
    }
    let repo = repo_of(world, name);
    let held = repo.refusals.hold(&crate::repo::DesiredEffect::Trials, now);
    let is_checked = required(rules, repo).is_some_and(|names| !names.is_empty());
    if rules.batch_max < 2 || repo.merge_queue.is_strict || held.is_some() || !is_checked {
        return Plan::Serial(held);
    }
    let ready = world.queues(name).into_iter().flat_map(|queues| &queues.ready);
    let (mut entries, mut since) = (Vec::new(), Time(0));
    for (_, _, number) in ready {
        let key = IssueKey::new(name.clone(), *number);
        match ready_of(world, &key, now, policy) {
            Some(Ready::ToMerge | Ready::Unread) => return Plan::First(*number),
            Some(Ready::ToTest(entry, passed)) if !repo.merge_queue.apart.contains(&entry.head) => {
                entries.push(entry);
                since = passed;
            }
            Some(Ready::ToTest(..)) | None => {}
        }
    }
    if let Some(until) = repo.merge_queue.rests_until().filter(|until| *until > now) {
        return Plan::Rests(until);
    }
    let members: Vec<Member> = entries.iter().map(Entry::member).collect();
    match repo.merge_queue.planner.next(&members, rules.batch_max) {
        planner::Next::Nothing => Plan::Serial(None),
        planner::Next::Eject(one) => Plan::First(one.issue),
        planner::Next::Try(some) => match some.as_slice() {
            [one] if entries.len() > 1 || since.plus(rules.batch_wait) <= now => {
                Plan::First(one.issue)
            }
            [_] => Plan::Gathers(since.plus(rules.batch_wait)),
            some => {
                entries.retain(|entry| some.contains(&entry.member()));
                Plan::Together(entries)
            }
        },
    }
}

enum Ready {
    /// It was tested with the bot branch as it is now.
    ToMerge,
    /// It may be merged already: the bot branch moved after it was read.
    Unread,
    /// Its own checks passed at this time, with the bot branch as it was then.
    ToTest(Entry, Time),
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
    Some(Ready::ToTest(Entry { issue: key.number, diff, pull, head }, passed))
}

/// Follows the trial build under way: the next entry is merged, all others wait.
pub(super) fn follow_trial(cx: &Context<'_>, pull: &Pull) -> Option<Next> {
    let trial = cx.repo.merge_queue.trial.as_ref()?;
    let bot_head = cx.repo.branches.as_ref().and_then(|branches| branches.bot_head.as_ref());
    let onto = cx.repo.merge_queue.may_merge(cx.key.number, &pull.head);
    Some(match onto.filter(|onto| bot_head.is_none_or(|head| head == *onto)) {
        Some(onto) => merging(cx, pull, Some(onto)),
        None => {
            let pull_of_trial = trial.pull().map(|open| open.number);
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

/// True if this entry is as it was when its trial build was made.
pub(super) fn is_still_ready(world: &World, name: &RepoName, entry: &Entry) -> bool {
    let issue = world.issue(&IssueKey::new(name.clone(), entry.issue));
    let Some(managed) = issue.and_then(|issue| issue.managed.as_deref()) else { return false };
    let is_as_tried = |run: &Run| {
        let head = run.head.as_ref().map(|head| &head.commit);
        run.pull == Some(entry.pull) && head == Some(&entry.head) && run.merged.is_none()
    };
    let is_ready = !managed.is_paused && managed.phase == (Phase::Running { step: Step::Merge });
    is_ready && managed.run.as_ref().is_some_and(is_as_tried)
}

/// The checks that must be green; `None` while they are not known.
pub(crate) fn required<'a>(rules: &'a RepoPolicy, repo: &'a Repo) -> Option<&'a [String]> {
    if rules.skipped_gates.contains(&Gate::Ci) {
        return Some(&[]);
    }
    match (&rules.required_checks, &repo.required) {
        (Some(names), _) | (None, Required::Names(names)) => Some(names),
        (None, Required::Nothing) => Some(&[]),
        (None, Required::Unknown) => None,
    }
}

pub(crate) fn in_state(required: &[String], pull: &Pull, wanted: CheckState) -> Vec<String> {
    let checks = pull.checks.as_ref();
    let state = |name: &str| checks.map_or(CheckState::Pending, |checks| checks.state_of(name));
    required.iter().filter(|name| state(name) == wanted).cloned().collect()
}
