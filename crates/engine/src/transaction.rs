//! One transaction: folds facts, decides on everything they touch until nothing moves, and writes all of it.

use crate::engine::{Engine, EngineError};
use crate::local_command::{LocalCommand, Order};
use crate::queue::Change;
use crate::store::Transaction;
use crate::store::{Answer, Posted, put_outcome, request_write};
use crate::store::{
    StoreError, inbox_take, journal_append, lease_claim, lease_release, lease_verify,
};
use crate::store::{outbox_write, put_blob, put_cursor, put_issue, put_repo, put_verdict};
use ralph_core::decide::Decision;
use ralph_core::digest::Digest;
use ralph_core::effect::Effect;
use ralph_core::fact::{Fact, Move, Subject, What};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::Issue;
use ralph_core::repo::Repo;
use ralph_core::time::Time;
use ralph_core::world::{Touched, World};
use std::collections::BTreeMap;

/// Maximum rounds of deciding in one transaction. A handful is usual; more means that two rules undo each other.
const ROUNDS_MAX: usize = 200;

/// The input of a transaction.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pub(crate) facts: Vec<Fact>,
    pub(crate) texts: Vec<(Digest, String)>,
    pub(crate) cursor: Option<(RepoName, Time)>,
    /// Commands taken from the inbox, with the answer if it needs no decision.
    pub(crate) inbox: Vec<(Posted, Option<Answer>)>,
    /// A change that was requested from the forge and answered.
    pub(crate) asked: Option<Effect>,
    /// A change of the outbox that belongs to this transaction.
    pub(crate) outbox: Option<Change>,
    /// Subjects to decide on even if no fact touches them.
    pub(crate) also: Touched,
}

/// Rows as they were before the transaction, for everything that it changes.
#[derive(Default)]
struct Before {
    issues: BTreeMap<IssueKey, Option<Issue>>,
    repos: BTreeMap<RepoName, Option<Repo>>,
}

impl Before {
    /// Keeps the rows that are about to change for the first time. Rows that have already changed are returned as they
    /// are now.
    fn note(&mut self, world: &World, subject: &Subject) -> Changed {
        let mut changed = Changed::default();
        if let Subject::Issue(key) = subject {
            let is = world.issue(key).cloned();
            if self.issues.contains_key(key) {
                changed.issue = Some(is);
            } else {
                self.issues.insert(key.clone(), is);
            }
        }
        let name = subject.repo();
        let is = world.repo(name).cloned();
        if self.repos.contains_key(name) {
            changed.repo = Some(is);
        } else {
            self.repos.insert(name.clone(), is);
        }
        changed
    }

    fn is_same(&self, world: &World, subject: &Subject, changed: &Changed) -> bool {
        let name = subject.repo();
        let repo = changed.repo.as_ref().or_else(|| self.repos.get(name));
        let is_same_issue = subject.issue().is_none_or(|key| {
            let issue = changed.issue.as_ref().or_else(|| self.issues.get(key));
            issue.is_some_and(|issue| issue.as_ref() == world.issue(key))
        });
        is_same_issue && repo.is_some_and(|repo| repo.as_ref() == world.repo(name))
    }
}

/// Rows as they were before a fact, if the transaction had already changed them.
#[derive(Default)]
struct Changed {
    issue: Option<Option<Issue>>,
    repo: Option<Option<Repo>>,
}

impl Engine {
    pub(crate) fn transact(&mut self, now: Time, input: Input) -> Result<(), EngineError> {
        if self.is_broken {
            return Err(EngineError::Broken);
        }
        let mut store = self.store.take().ok_or(EngineError::Broken)?;
        let done = store.transact(|tx| self.turn_in(tx, now, input));
        self.store = Some(store);
        // Memory may be ahead of the disk now, and only opening again reconciles them.
        self.is_broken = done.is_err();
        done.map_err(EngineError::Store)
    }

    fn turn_in(&mut self, tx: &Transaction<'_>, now: Time, input: Input) -> Result<(), StoreError> {
        lease_verify(tx, now, &mut self.proof)?;
        if let Some(change) = input.outbox {
            outbox_write(tx, &change)?;
            self.queue.apply(change);
        }
        for (posted, answer) in &input.inbox {
            let LocalCommand { key, order, .. } = &posted.command;
            inbox_take(tx, posted.id)?;
            put_outcome(tx, now, posted.id, (key.as_deref(), order), answer.as_ref())?;
        }
        for change in input.asked.iter().flat_map(|effect| self.requests.note(now, effect)) {
            request_write(tx, &change)?;
        }
        if let Some((repo, since)) = input.cursor {
            put_cursor(tx, &repo, since)?;
        }
        let mut before = Before::default();
        let mut touched = input.also;
        for fact in &input.facts {
            touched.add(self.take_in(tx, now, fact, &mut before)?);
        }
        for (digest, text) in &input.texts {
            put_blob(tx, *digest, text)?;
        }
        let finals = self.decide(tx, now, touched, &mut before)?;
        self.write_rows(tx, &before)?;
        for decision in finals.into_values() {
            self.carry(tx, now, decision)?;
        }
        Ok(())
    }

    /// Folds a fact and, if it changed anything, journals it.
    fn take_in(
        &mut self,
        tx: &Transaction<'_>,
        now: Time,
        fact: &Fact,
        before: &mut Before,
    ) -> Result<Touched, StoreError> {
        let changed = before.note(&self.world, &fact.subject);
        self.note_outcome(tx, now, fact)?;
        let is_different = self.requests.notice(fact);
        let touched = self.world.apply(now, fact);
        if is_different {
            self.forget_requests(tx, &fact.subject, &touched)?;
        }
        if !before.is_same(&self.world, &fact.subject, &changed) {
            journal_append(tx, now, fact)?;
        }
        Ok(touched)
    }

    /// Records the answer to a command given on this machine.
    fn note_outcome(&self, tx: &Transaction<'_>, now: Time, fact: &Fact) -> Result<(), StoreError> {
        let (What::Moved(Move::Commanded { id, refused }), Subject::Issue(key)) =
            (&fact.what, &fact.subject)
        else {
            return Ok(());
        };
        let managed = self.world.issue(key).and_then(|issue| issue.managed.as_ref());
        let given = managed.and_then(|managed| managed.commands.pending.get(id));
        match given.filter(|_| id.is_local) {
            Some(given) => {
                let (issue, command, manner) = (key.clone(), given.command, given.manner);
                let order = Order::Issue { issue, command, manner };
                let answer = Answer::of(refused.clone());
                put_outcome(tx, now, id.id, (None, &order), Some(&answer))
            }
            None => Ok(()),
        }
    }

    /// Forgets requests for a subject and everything that depends on it: something different was seen, which may
    /// justify requesting the same again.
    fn forget_requests(
        &mut self,
        tx: &Transaction<'_>,
        subject: &Subject,
        touched: &Touched,
    ) -> Result<(), StoreError> {
        let issues = touched.issues.iter().cloned().map(Subject::Issue);
        let repos = touched.repos.iter().cloned().map(Subject::Repo);
        for concerned in issues.chain(repos).chain([subject.clone()]) {
            for change in self.requests.forget(&concerned) {
                request_write(tx, &change)?;
            }
        }
        Ok(())
    }

    /// Decides until nothing moves. Only the last decision on each subject counts.
    fn decide(
        &mut self,
        tx: &Transaction<'_>,
        now: Time,
        mut touched: Touched,
        before: &mut Before,
    ) -> Result<BTreeMap<Subject, Decision>, StoreError> {
        let mut finals = BTreeMap::new();
        for _ in 0..ROUNDS_MAX {
            if touched.is_empty() {
                break;
            }
            let plan = (self.rules.decide)(&self.world, &touched, now, &self.policy);
            let faults = (self.rules.check)(&self.world, &plan, &self.policy);
            let is_faulty = |of: &Subject| faults.iter().any(|fault| fault.subject == *of);
            // Admission compares all issues, so it waits until none of them moves.
            let is_moving = plan.decisions.iter().any(|decision| !decision.moves.is_empty());
            let mut next =
                Touched { admission: touched.admission && is_moving, ..Touched::default() };
            for mut decision in plan.decisions {
                if is_faulty(&decision.subject) {
                    decision.effects.clear();
                }
                for fact in decision.facts() {
                    next.add(self.take_in(tx, now, &fact, before)?);
                }
                if decision.moves.is_empty() {
                    finals.insert(decision.subject.clone(), decision);
                }
            }
            touched = next;
            self.faults.extend(faults);
        }
        if !touched.is_empty() {
            self.restless += 1;
        }
        Ok(finals)
    }

    fn write_rows(&self, tx: &Transaction<'_>, before: &Before) -> Result<(), StoreError> {
        for (key, was) in &before.issues {
            let is = self.world.issue(key);
            if let Some(is) = is.filter(|is| was.as_ref() != Some(*is)) {
                put_issue(tx, key, is)?;
            }
            let claimed = |issue: Option<&Issue>| {
                issue.and_then(|i| i.managed.as_ref()).is_some_and(|m| m.is_claimed())
            };
            match (claimed(was.as_ref()), claimed(is)) {
                (false, true) => lease_claim(tx, key, &self.proof)?,
                (true, false) => lease_release(tx, key)?,
                (true, true) | (false, false) => {}
            }
        }
        for (name, was) in &before.repos {
            if let Some(is) = self.world.repo(name).filter(|is| was.as_ref() != Some(*is)) {
                put_repo(tx, name, is)?;
            }
        }
        Ok(())
    }

    /// Brings outbox, status and agenda of one subject in line with the decision.
    fn carry(
        &mut self,
        tx: &Transaction<'_>,
        now: Time,
        decision: Decision,
    ) -> Result<(), StoreError> {
        let Decision { subject, effects, standing, watch, again, .. } = decision;
        let requests = &self.requests;
        let changes = self.queue.reconcile(now, &subject, effects, |it| requests.hold(now, it));
        for change in changes {
            let held = change.held_back();
            if let Some(change) = held.and_then(|row| self.requests.hold_back(&row.effect, row.due))
            {
                request_write(tx, &change)?;
            }
            outbox_write(tx, &change)?;
            self.queue.apply(change);
        }
        if self.standings.get(&subject) != standing.as_ref() {
            put_verdict(tx, &subject, standing.as_ref(), now)?;
            match standing {
                Some(standing) => self.standings.insert(subject.clone(), standing),
                None => self.standings.remove(&subject),
            };
        }
        self.agenda.set(now, &subject, watch, again);
        Ok(())
    }
}
