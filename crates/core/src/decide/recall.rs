//! Looks up what the forge knows of an issue before anything is done for it, if the store may be older than what was
//! done.

use super::{Context, Decision, decide_issue, is_ours};
use crate::fact::Subject;
use crate::ids::{IssueKey, RepoName};
use crate::policy::Policy;
use crate::repo::Repo;
use crate::standing::Standing;
use crate::time::Time;
use crate::watch::{Pace, Resource, Watch};
use crate::world::{Queues, Touched, World};

/// The number of issues in line that are looked up in advance: each costs a few requests, and one that cannot be looked
/// up must not hold up the others.
const AHEAD: usize = 8;

/// The decision, or the look-up that has to come before it.
pub(super) fn first(cx: &Context<'_>, decision: Decision) -> Decision {
    if cx.repo.mark.is_looked_up(cx.issue.recalled) || !(acts(&decision) || is_next(cx)) {
        return decision;
    }
    let resource = Resource::Recall(cx.key.clone());
    let is_at_rest = decision.moves.is_empty() && decision.effects.is_empty() && !is_next(cx);
    let standing = decision.standing.filter(|it| is_at_rest && it.deadline().is_none());
    Decision {
        standing: Some(standing.unwrap_or(Standing::LooksUp)),
        watch: vec![Watch { resource, pace: Pace::Soon }],
        ..Decision::nothing(Subject::Issue(cx.key.clone()))
    }
}

/// True if the decision does anything but wait.
fn acts(decision: &Decision) -> bool {
    let hears = |watch: &Watch| {
        matches!(watch.resource, Resource::Commands(_) | Resource::Comments(_) | Resource::Reach(_))
    };
    !decision.moves.is_empty() || !decision.effects.is_empty() || decision.watch.iter().any(hears)
}

/// True if the issue is among the next to be claimed or started.
fn is_next(cx: &Context<'_>) -> bool {
    let queues = cx.world.queues(&cx.key.repo);
    queues.is_some_and(|queues| next(queues).any(|number| number == cx.key.number))
}

fn next(queues: &Queues) -> impl Iterator<Item = u64> {
    let (wanting, claimable) = (queues.wanting.iter(), queues.claimable.iter());
    wanting.take(AHEAD).chain(claimable.take(AHEAD)).map(|(_, _, number)| *number)
}

/// The decisions on the next issues in line that have to be looked up and were not touched otherwise.
pub(super) fn in_line(
    world: &World,
    touched: &Touched,
    now: Time,
    policy: &Policy,
) -> Vec<Decision> {
    let due = |(name, queues): (&RepoName, &Queues)| -> Vec<IssueKey> {
        let is_ours = |repo: &&Repo| repo.mark.outdated.is_some() && is_ours(repo, policy);
        let Some(repo) = policy.repo(name).and(world.repo(name)).filter(is_ours) else {
            return Vec::new();
        };
        let keys = next(queues).map(|number| IssueKey::new(name.clone(), number));
        let is_due = |key: &IssueKey| {
            let recalled = world.issue(key).and_then(|issue| issue.recalled);
            !repo.mark.is_looked_up(recalled) && !touched.issues.contains(key)
        };
        keys.filter(is_due).collect()
    };
    let due = world.all_queues().flat_map(due);
    due.map(|key| decide_issue(world, &key, now, policy)).collect()
}

/// The first issues in a line that may be admitted.
pub(super) fn looked_up<'a>(
    world: &World,
    (name, repo): (&RepoName, &Repo),
    line: impl Iterator<Item = &'a u64>,
) -> impl Iterator<Item = u64> {
    let is_known = move |number: &u64| {
        let key = || IssueKey::new(name.clone(), *number);
        repo.mark.outdated.is_none()
            || world.issue(&key()).is_some_and(|issue| repo.mark.is_looked_up(issue.recalled))
    };
    line.take(AHEAD).copied().filter(is_known)
}
