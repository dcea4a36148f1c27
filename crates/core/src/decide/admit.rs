//! Admission: which repository, then which of its issues, gets the next free worker. Within a repository, started work
//! goes before new work.

use super::accounts::Accounts;
use super::{Decision, recall};
use crate::fact::{Move, RunMove, Subject};
use crate::ids::{IssueKey, RepoName};
use crate::issue::{Managed, Phase};
use crate::outage::Outage;
use crate::policy::{Policy, RepoPolicy};
use crate::repo::{Repo, Share};
use crate::run::Run;
use crate::steps::Step;
use crate::time::Time;
use crate::world::{Place, Queues, World};
use std::collections::BTreeSet;

/// The cost of a claim or a started process for a repository with weight 1.0, in virtual time.
const COST_MILLI: u64 = 1_000_000;

/// Admits at most one issue at a time: each admission changes the state for the next.
pub(super) fn admit(world: &World, now: Time, policy: &Policy) -> Option<Decision> {
    // An issue that is read before its first step needs a process next: its worker is reserved.
    let taken = world.busy().saturating_add(world.looked_at());
    if policy.starts_nothing() || taken >= policy.max_workers {
        return None;
    }
    // While the agents' program fails, one start at a time is tried, and only when it is due.
    let outage = world.outage();
    let is_held = |outage: &Outage| outage.probe_at > now || taken > 0;
    if outage.as_ref().is_some_and(is_held) {
        return None;
    }
    let is_probe = outage.is_some();
    let accounts = Accounts::of(world, policy, now);
    let candidates = world.all_queues().filter_map(|(name, queues)| {
        let rules = policy.repo(name)?;
        let repo = world.repo(name)?;
        let is_ours = super::is_ours(repo, policy);
        let accounts = &accounts;
        let candidate = Candidate { world, name, queues, rules, repo, is_ours, is_probe, accounts };
        let may_work = repo.mark.may_work(policy.instance.as_ref(), &repo.refusals);
        (may_work && candidate.has_work()).then_some(candidate)
    });
    let virtual_time = world.virtual_time();
    let start = |candidate: &Candidate<'_>| candidate.repo.share.finish.max(virtual_time);
    let chosen = candidates.min_by_key(|candidate| (start(candidate), candidate.name))?;
    let start = start(&chosen);
    let Some(wanting) = chosen.wanting() else {
        // A claim is free: its first step pays, once the issue was read.
        return chosen.claim(Share { start, finish: start });
    };
    let cost = COST_MILLI / u64::from(chosen.rules.weight_milli.max(1));
    chosen.start(wanting, Share { start, finish: start + cost }, now, policy)
}

/// A repository that Ralph works on.
struct Candidate<'a> {
    world: &'a World,
    name: &'a RepoName,
    queues: &'a Queues,
    rules: &'a RepoPolicy,
    repo: &'a Repo,
    is_ours: bool,
    /// True if the agents' program fails and one turn is tried.
    is_probe: bool,
    accounts: &'a Accounts<'a>,
}

impl Candidate<'_> {
    /// True if there is something to start or to claim, and room for it.
    fn has_work(&self) -> bool {
        let taken = self.queues.busy.len() + self.queues.looked_at.len();
        let has_room = count(taken) < self.rules.slots;
        has_room && (self.first(&self.queues.wanting).is_some() || self.claimable().is_some())
    }

    /// The next started work, which goes before new claims. To show whether the program fails for all issues, an issue
    /// that it has not failed for goes first, even a new one.
    fn wanting(&self) -> Option<u64> {
        let wanting = self.first(&self.queues.wanting)?;
        let failed_at = |number: u64| self.repo.turns.failed_at(number);
        let is_later = |claimable: u64| failed_at(claimable) < failed_at(wanting);
        let yields = self.is_probe && self.claimable().is_some_and(is_later);
        (!yields).then_some(wanting)
    }

    fn claimable(&self) -> Option<u64> {
        let may_claim = count(self.queues.claimed.len()) < self.rules.claims_max
            && self.is_ours
            && self.accounts.may_claim()
            && self.repo.has_bot_branch(self.rules);
        may_claim.then(|| self.first(&self.queues.claimable)).flatten()
    }

    fn first(&self, line: &BTreeSet<Place>) -> Option<u64> {
        let line = line.iter().map(|(_, _, number)| number);
        let line = line.filter(|number| self.may_start(**number));
        let mut line = recall::looked_up(self.world, (self.name, self.repo), line);
        if self.is_probe {
            return line.min_by_key(|number| self.repo.turns.failed_at(*number));
        }
        line.next()
    }

    /// False for an issue that waits for a turn whose accounts may not be used now.
    fn may_start(&self, number: u64) -> bool {
        let key = IssueKey::new(self.name.clone(), number);
        let managed = self.world.issue(&key).and_then(|issue| issue.managed.as_deref());
        managed.is_none_or(|managed| self.accounts.may_start(managed))
    }

    /// Starts the process that a claimed issue needs.
    fn start(&self, number: u64, share: Share, now: Time, policy: &Policy) -> Option<Decision> {
        let key = IssueKey::new(self.name.clone(), number);
        let managed = self.world.issue(&key)?.managed.as_deref()?;
        let Phase::Running { step } = managed.phase else { return None };
        let recipe = managed.run.as_ref()?.recipe;
        let limit = step.time_limit(self.rules, recipe);
        let deadline = now.plus(limit).plus(step.grace());
        let slot = slot_for(&key, managed, (self.queues, policy));
        let attempt = managed.attempt.next();
        let run = managed.run.as_ref().filter(|_| step == Step::Workspace);
        let worktree = run.map(|run| policy.worktrees.worktree(&key, slot, run.id));
        let share = Some(share);
        let turn = match self.accounts.turn(managed, self.repo) {
            Some(Ok(turn)) => Some(turn),
            Some(Err(cause)) => {
                // Nobody is asked for the sake of a survey.
                let is_survey = step == Step::Survey;
                let passed_over = Move::Run(RunMove::SurveyPassedOver);
                let next = if is_survey { passed_over } else { Move::Escalated { cause } };
                return Some(Decision::moving(Subject::Issue(key), next));
            }
            None => None,
        };
        let is_probe = turn.as_ref().is_some_and(|turn| turn.is_probe);
        let reserved = turn.as_ref().and_then(|turn| turn.reserved);
        let account = turn.map(|turn| turn.account);
        let started = Move::Started {
            attempt,
            step,
            slot,
            deadline,
            worktree,
            share,
            account,
            reserved,
            is_probe,
        };
        Some(Decision::moving(Subject::Issue(key), started))
    }

    /// Claims the next issue in line, or resumes it.
    fn claim(&self, share: Share) -> Option<Decision> {
        let key = IssueKey::new(self.name.clone(), self.claimable()?);
        let phase = &self.world.issue(&key)?.managed.as_deref()?.phase;
        let is_parked = matches!(phase, Phase::Parked { .. });
        let step = if is_parked { Move::Resumed } else { Move::Claimed { share } };
        Some(Decision::moving(Subject::Issue(key), step))
    }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// The slot of a run. A run keeps its slot from its first start on: a workspace that was being made when Ralph died
/// lies in it, whole or not. A new run takes the lowest number that no process uses.
fn slot_for(key: &IssueKey, managed: &Managed, (queues, policy): (&Queues, &Policy)) -> u32 {
    let is_taken = |run: &&Run| {
        let place = policy.worktrees.worktree(key, run.slot, run.id);
        run.workspace.is_some() || managed.worktrees.contains(&place)
    };
    let known = managed.run.as_ref().filter(is_taken).map(|run| run.slot);
    let is_free = |slot: &u32| !queues.busy.values().any(|used| used == slot);
    known.unwrap_or_else(|| (0..).find(is_free).unwrap_or_default())
}
