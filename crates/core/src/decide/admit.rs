//! Admission: which repository, then which issue, gets the next free worker. Work that was begun goes before
//! work that was not.

use super::{Decision, step};
use crate::fact::{Move, Subject};
use crate::ids::{IssueKey, RepoName};
use crate::issue::{Managed, Phase};
use crate::policy::{Policy, RepoPolicy, grace_of};
use crate::recipe::Step;
use crate::repo::Share;
use crate::time::Time;
use crate::world::{Queues, World};

/// What one claim of a repository with weight 1.0 costs it in virtual time.
const CLAIM_COST_MILLI: u64 = 1_000_000;

/// At most one admission at a time: each changes what the next may look at.
pub(super) fn admit(world: &World, now: Time, policy: &Policy) -> Option<Decision> {
    if policy.draining || world.busy() >= policy.max_workers {
        return None;
    }
    let candidates = world.all_queues().filter_map(|(name, queues)| {
        let rules = policy.repo(name)?;
        let busy = u32::try_from(queues.busy.len()).unwrap_or(u32::MAX);
        (busy < rules.slots).then_some((name, queues, rules))
    });
    let candidates: Vec<_> = candidates.collect();
    start(world, &candidates, now, policy).or_else(|| claim(world, &candidates))
}

type Candidate<'a> = (&'a RepoName, &'a Queues, &'a RepoPolicy);

/// A claimed issue that needs a process, the most urgent of all repositories with a free slot.
fn start(
    world: &World,
    candidates: &[Candidate<'_>],
    now: Time,
    policy: &Policy,
) -> Option<Decision> {
    let waiting = candidates.iter().filter_map(|(name, queues, rules)| {
        Some((queues.wanting.first()?, *name, *queues, *rules))
    });
    let ((_, _, number), name, queues, rules) = waiting.min_by_key(|(place, ..)| **place)?;
    let key = IssueKey::new(name.clone(), *number);
    let managed = world.issue(&key)?.managed.as_deref()?;
    let Phase::Running { step } = managed.phase else { return None };
    let deadline = now.plus(step::time_limit(rules, step)).plus(grace_of(step));
    let (attempt, slot) = (managed.attempt.next(), slot_for(managed, queues));
    let run = managed.run.as_ref().filter(|_| step == Step::Workspace);
    let worktree = run.map(|run| policy.worktrees.worktree(&key, slot, run.id));
    let started = Move::Started { attempt, step, slot, deadline, worktree };
    Some(Decision::moving(Subject::Issue(key), started))
}

/// A run keeps its slot's folder; a new one takes the lowest number that no process uses.
fn slot_for(managed: &Managed, queues: &Queues) -> u32 {
    let known = managed.run.as_ref().filter(|run| run.workspace.is_some()).map(|run| run.slot);
    let is_free = |slot: &u32| !queues.busy.values().any(|used| used == slot);
    known.unwrap_or_else(|| (0..).find(is_free).unwrap_or_default())
}

/// The next issue of the repository whose turn it is.
fn claim(world: &World, candidates: &[Candidate<'_>]) -> Option<Decision> {
    let virtual_time = world.virtual_time();
    let ready = candidates.iter().filter_map(|(name, queues, rules)| {
        let claims = u32::try_from(queues.claimed.len()).unwrap_or(u32::MAX);
        let (_, _, number) = queues.claimable.first().filter(|_| claims < rules.claims_max)?;
        let repo = world.repo(name).filter(|repo| repo.has_bot_branch(rules))?;
        let start = repo.share.finish.max(virtual_time);
        Some((start, *name, *number, *rules))
    });
    let (start, name, number, rules) = ready.min_by_key(|(start, name, ..)| (*start, *name))?;
    let cost = CLAIM_COST_MILLI / u64::from(rules.weight_milli.max(1));
    let key = IssueKey::new(name.clone(), number);
    let is_parked = matches!(world.issue(&key)?.managed.as_deref()?.phase, Phase::Parked { .. });
    let share = Share { start, finish: start + cost };
    let step = if is_parked { Move::Resumed } else { Move::Claimed { share } };
    Some(Decision::moving(Subject::Issue(key), step))
}
