//! Everything known, with the indexes that make a transaction cost what changed and not what is stored.

mod keeping;
mod outside;
mod touching;

use crate::account::AccountHold;
use crate::fact::{Fact, Move, Observation, Outcome, RepoSettled, Settled, Subject, What};
use crate::fold::fold;
use crate::ids::{IssueKey, RepoName};
use crate::issue::{Issue, Native};
use crate::label::Priority;
use crate::label::is_managed;
use crate::outage::Outage;
use crate::policy::{AutoQueue, Policy};
use crate::repo::{Branches, DesiredEffect, Repo};
use crate::time::Time;
pub(crate) use outside::InLine;
use outside::{Claim, Outside, Resolves};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A place in a queue: priority, then time of the request, then number.
pub type Place = (Priority, Time, u64);

#[derive(Debug, Clone, Default)]
pub struct World {
    repos: BTreeMap<RepoName, Repo>,
    issues: BTreeMap<IssueKey, Issue>,
    queues: BTreeMap<RepoName, Queues>,
    dependents: BTreeMap<IssueKey, BTreeSet<IssueKey>>,
    /// The issues whose bodies declare this one blocked by them.
    blocked_from: BTreeMap<IssueKey, BTreeSet<IssueKey>>,
    busy: u32,
    looked_at: u32,
    /// The virtual time of fair queueing: the latest start of any repository.
    virtual_time: u64,
}

/// One repository's issues by what they wait for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Queues {
    /// Waiting to be claimed, with nothing in the way.
    pub claimable: BTreeSet<Place>,
    /// Claimed and in need of a process.
    pub wanting: BTreeSet<Place>,
    /// Issues with a process, by the slot number it uses.
    pub busy: BTreeMap<u64, u32>,
    /// Claimed, and read before their first step: each of them will need a process.
    pub looked_at: BTreeSet<u64>,
    /// Held by Ralph, whatever they wait for.
    pub claimed: BTreeSet<u64>,
    pub in_bot: BTreeSet<u64>,
    /// At the merge step.
    pub ready: BTreeSet<Place>,
    /// The holder of the merge slot, which is tested again before its merge, and until when it holds it.
    pub merge_slot: BTreeMap<u64, Time>,
}

/// The subjects that have to be decided again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Touched {
    pub issues: BTreeSet<IssueKey>,
    pub repos: BTreeSet<RepoName>,
    pub admission: bool,
}

impl Touched {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.issues.is_empty() && self.repos.is_empty() && !self.admission
    }

    pub fn add(&mut self, other: Self) {
        self.issues.extend(other.issues);
        self.repos.extend(other.repos);
        self.admission |= other.admission;
    }
}

impl World {
    /// Loads a stored row.
    pub fn load_issue(&mut self, key: IssueKey, issue: Issue) {
        self.index(&key, &Outside::of(&key, &issue), Direction::In);
        self.issues.insert(key, issue);
    }

    /// Loads a stored row.
    pub fn load_repo(&mut self, name: RepoName, repo: Repo) {
        self.virtual_time = self.virtual_time.max(repo.share.start);
        self.repos.insert(name, repo);
    }

    #[must_use]
    pub fn issue(&self, key: &IssueKey) -> Option<&Issue> {
        self.issues.get(key)
    }

    #[must_use]
    pub fn repo(&self, name: &RepoName) -> Option<&Repo> {
        self.repos.get(name)
    }

    pub fn issues(&self) -> impl Iterator<Item = (&IssueKey, &Issue)> {
        self.issues.iter()
    }

    pub fn repos(&self) -> impl Iterator<Item = (&RepoName, &Repo)> {
        self.repos.iter()
    }

    #[must_use]
    pub fn queues(&self, repo: &RepoName) -> Option<&Queues> {
        self.queues.get(repo)
    }

    pub fn all_queues(&self) -> impl Iterator<Item = (&RepoName, &Queues)> {
        self.queues.iter()
    }

    /// Returns the issues whose body declares this one blocked by them.
    pub(crate) fn blocked_from(&self, key: &IssueKey) -> impl Iterator<Item = &IssueKey> {
        self.blocked_from.get(key).into_iter().flatten()
    }

    /// Returns the issues that wait for this one, by their own text or by its.
    fn behind(&self, key: &IssueKey) -> impl Iterator<Item = &IssueKey> {
        let by_its_word = self.issues.get(key).into_iter().flat_map(blocks);
        self.dependents.get(key).into_iter().flatten().chain(by_its_word)
    }

    /// Returns the outage, if the agents' turns fail in a row, on any issues.
    #[must_use]
    pub fn outage(&self) -> Option<Outage> {
        Outage::of(self.repos.iter())
    }

    /// Returns the accounts of agents that are held, because they are limited, refused or overloaded.
    #[must_use]
    pub fn held_accounts(&self) -> Vec<AccountHold> {
        AccountHold::all(self.repos.iter())
    }

    /// Returns the number of our processes that run, start or end, in all repositories.
    #[must_use]
    pub const fn busy(&self) -> u32 {
        self.busy
    }

    /// Returns the number of claimed issues, in all repositories, without a process because they are read first.
    #[must_use]
    pub const fn looked_at(&self) -> u32 {
        self.looked_at
    }

    #[must_use]
    pub const fn virtual_time(&self) -> u64 {
        self.virtual_time
    }

    /// Returns everything that has a decision: every issue that is managed or carries a managed label, or is open in a
    /// repository with an automatic queue, every repository, and admission.
    #[must_use]
    pub fn everything(&self, policy: &Policy) -> Touched {
        let is_ours = |issue: &Issue| issue.managed.is_some() || issue.labels().any(is_managed);
        let may_be_ours = |key: &IssueKey, issue: &Issue| {
            let rules = policy.repo(&key.repo);
            let is_automatic = rules.is_some_and(|it| it.auto_queue != AutoQueue::LabeledOnly);
            is_automatic && issue.is_open()
        };
        let wanted =
            self.issues.iter().filter(|(key, issue)| is_ours(issue) || may_be_ours(key, issue));
        let small_fixes = self.repos.iter().flat_map(|(name, repo)| {
            repo.follow_ups.mechanical().map(|number| IssueKey::new(name.clone(), number))
        });
        let small_fixes = small_fixes.filter(|key| self.issues.contains_key(key));
        Touched {
            issues: wanted.map(|(key, _)| key.clone()).chain(small_fixes).collect(),
            repos: self.repos.keys().cloned().collect(),
            admission: true,
        }
    }

    /// True if this fact would change anything.
    #[must_use]
    pub fn is_news(&self, now: Time, fact: &Fact) -> bool {
        let key = fact.subject.issue();
        let mut issue = key.and_then(|key| self.issues.get(key)).cloned().unwrap_or_default();
        let mut repo = self.repos.get(fact.subject.repo()).cloned().unwrap_or_default();
        fold(now, fact, &mut issue, &mut repo);
        let same_issue = key.is_none_or(|key| self.issues.get(key) == Some(&issue));
        !same_issue || self.repos.get(fact.subject.repo()) != Some(&repo)
    }

    /// Folds one fact in and returns what it touches.
    pub fn apply(&mut self, now: Time, fact: &Fact) -> Touched {
        match &fact.subject {
            Subject::Issue(key) => self.apply_to_issue(now, key, fact),
            Subject::Repo(name) => self.apply_to_repo(now, name, fact),
        }
    }

    fn apply_to_issue(&mut self, now: Time, key: &IssueKey, fact: &Fact) -> Touched {
        let may_end_a_turn = matches!(
            &fact.what,
            What::Finished { outcome: Outcome::AgentFailed { .. } | Outcome::Turn { .. }, .. }
                | What::Moved(Move::Commanded { .. })
        );
        let outage = may_end_a_turn.then(|| (self.outage(), self.held_accounts()));
        let turn = self.account_at_work(key, &fact.what);
        let keepers = turn.as_ref().map(|account| self.keepers(account));
        let issue = self.issues.entry(key.clone()).or_default();
        let before = Outside::of(key, issue);
        let repo = self.repos.entry(key.repo.clone()).or_default();
        let (bot, follow_ups) = (repo.bot, Arc::clone(&repo.follow_ups));
        fold(now, fact, issue, repo);
        let has_bot_moved = repo.bot != bot;
        let is_followed_up = repo.follow_ups != follow_ups;
        self.virtual_time = self.virtual_time.max(repo.share.start);
        let after = Outside::of(key, issue);
        if before != after {
            self.index(key, &before, Direction::Out);
            self.index(key, &after, Direction::In);
        }

        // An issue that was looked up may be admitted.
        let is_recalled = matches!(fact.what, What::Seen(Observation::Recalled(_)));
        let admission = before.in_queue() != after.in_queue() || is_recalled;
        let mut touched = Touched { admission, ..Touched::default() };
        touched.issues.insert(key.clone());
        // A new edge, or one that counts again, may close a circle anywhere behind this issue; and which issue reports
        // a circle depends on the others that wait in it.
        let counts_again = before.resolves == Resolves::Clear && after.resolves != Resolves::Clear;
        let is_rewired = before.edges != after.edges || before.blocks != after.blocks;
        if is_rewired || counts_again || before.in_line != after.in_line {
            self.touch_all_behind(key, &mut touched);
        } else if before.resolves != after.resolves
            || before.is_pull != after.is_pull
            || before.as_child != after.as_child
        {
            touched.issues.extend(self.behind(key).cloned());
        }
        if before.blocks != after.blocks {
            touched.issues.extend(before.blocks.iter().cloned());
        }
        let joins = matches!(fact.what, What::Moved(Move::Rebatched { .. }));
        if let Some((outage, held)) = outage {
            self.touch_outage(outage, &mut touched);
            self.touch_held(&held, &mut touched);
        }
        if let (Some(account), Some(before)) = (turn, keepers) {
            touched.admission = true;
            touched.repos.extend(before.into_iter().chain(self.keepers(&account)).flatten());
        }
        let sync = self.repos.get(&key.repo).and_then(|repo| repo.sync.open.as_ref());
        let is_sync = sync.is_some_and(|open| open.number.0 == key.number);
        if before.is_in_bot != after.is_in_bot || joins || is_followed_up || is_sync {
            touched.repos.insert(key.repo.clone());
        }
        if has_bot_moved {
            touched.repos.insert(key.repo.clone());
            self.touch_claimed(&key.repo, &mut touched);
        } else if before.merging() != after.merging() || after.ready.is_some() {
            // The entries of a trial build depend on all issues that are ready.
            touched.repos.insert(key.repo.clone());
            let ready = self.queues.get(&key.repo).into_iter().flat_map(|queues| &queues.ready);
            let keys = ready.map(|(_, _, number)| IssueKey::new(key.repo.clone(), *number));
            touched.issues.extend(keys);
        }
        touched
    }

    fn apply_to_repo(&mut self, now: Time, name: &RepoName, fact: &Fact) -> Touched {
        let mut nobody = Issue::default();
        let repo = self.repos.entry(name.clone()).or_default();
        let before = repo.clone();
        fold(now, fact, &mut nobody, repo);
        let mut touched = Touched::default();
        if *repo == before {
            return touched;
        }
        let syncs = [&before, &*repo].map(|repo| Some(repo.sync.open.as_ref()?.number.0));
        let takes_marks = |repo: &Repo| repo.refusals.of(&DesiredEffect::Mark).is_none();
        let has_new_mark = repo.mark != before.mark || takes_marks(repo) != takes_marks(&before);
        let shapes = [repo.branches.as_ref(), before.branches.as_ref()];
        let [now, before] = shapes.map(|branches| branches.map(Branches::shape));
        let has_new_shape = now != before;
        touched.repos.insert(name.clone());
        self.touch_claimed(name, &mut touched);
        let syncs = syncs.into_iter().flatten().map(|open| IssueKey::new(name.clone(), open));
        touched.issues.extend(syncs.filter(|key| self.issues.contains_key(key)));
        // The issue may have been seen before it was known to be a follow-up.
        if let What::Settled(Settled::Repo(RepoSettled::FollowUpTold { issue, .. })) = &fact.what {
            let key = IssueKey::new(name.clone(), *issue);
            touched.issues.extend(Some(key).filter(|key| self.issues.contains_key(key)));
        }
        // The mark decides whether anything may be done here.
        if has_new_mark {
            touched.admission = true;
            let first = IssueKey::new(name.clone(), 0);
            let here = self.issues.range(first..).take_while(|(key, _)| key.repo == *name);
            touched.issues.extend(here.map(|(key, _)| key.clone()));
        }
        // Issues that wait for the bot branch may begin.
        if has_new_shape {
            touched.admission = true;
            let in_line = self.queues.get(name).into_iter().flat_map(|q| &q.claimable);
            let keys = in_line.map(|(_, _, number)| IssueKey::new(name.clone(), *number));
            touched.issues.extend(keys);
        }
        touched
    }

    fn index(&mut self, key: &IssueKey, outside: &Outside, direction: Direction) {
        for (on, _) in &outside.edges {
            enter(self.dependents.entry(on.clone()).or_default(), key.clone(), direction);
        }
        for other in &outside.blocks {
            enter(self.blocked_from.entry(other.clone()).or_default(), key.clone(), direction);
        }
        if !outside.is_managed {
            return;
        }
        let queues = self.queues.entry(key.repo.clone()).or_default();
        let Outside { claimable, wanting, ready, .. } = outside;
        for (queue, place) in [
            (&mut queues.claimable, claimable),
            (&mut queues.wanting, wanting),
            (&mut queues.ready, ready),
        ] {
            place.iter().for_each(|place| enter(queue, *place, direction));
        }
        for (numbers, belongs) in [
            (&mut queues.claimed, outside.claim.is_some()),
            (&mut queues.in_bot, outside.is_in_bot),
        ] {
            if belongs {
                enter(numbers, key.number, direction);
            }
        }
        if outside.claim == Some(Claim::LookedAt) {
            enter(&mut queues.looked_at, key.number, direction);
            match direction {
                Direction::In => self.looked_at += 1,
                Direction::Out => self.looked_at -= 1,
            }
        }
        match (direction, outside.slot_until) {
            (Direction::In, Some(until)) => queues.merge_slot.insert(key.number, until),
            (Direction::In, None) | (Direction::Out, _) => queues.merge_slot.remove(&key.number),
        };
        match (direction, outside.slot) {
            (Direction::In, Some(slot)) => {
                queues.busy.insert(key.number, slot);
                self.busy += 1;
            }
            (Direction::Out, Some(_)) => {
                queues.busy.remove(&key.number);
                self.busy -= 1;
            }
            (Direction::In | Direction::Out, None) => {}
        }
    }
}

fn enter<T: Ord>(index: &mut BTreeSet<T>, one: T, direction: Direction) {
    match direction {
        Direction::In => index.insert(one),
        Direction::Out => index.remove(&one),
    };
}

#[derive(Clone, Copy)]
enum Direction {
    In,
    Out,
}

/// Returns every issue that this one may wait for.
pub(crate) fn edges(issue: &Issue) -> impl Iterator<Item = &IssueKey> {
    let body = issue.seen.iter().flat_map(|seen| seen.blocked_by.iter().map(|edge| &edge.on));
    let (blocked_by, children) = match &issue.native {
        Native::Read { blocked_by, children, .. } => (Some(blocked_by), Some(children)),
        Native::Unread | Native::Unavailable => (None, None),
    };
    body.chain(blocked_by.into_iter().flatten()).chain(children.into_iter().flatten())
}

/// Returns every issue that waits for this one by this one's own text.
fn blocks(issue: &Issue) -> impl Iterator<Item = &IssueKey> {
    let edges = issue.seen.iter().flat_map(|seen| &seen.blocks);
    edges.filter(|edge| !edge.ticked).map(|edge| &edge.on)
}
