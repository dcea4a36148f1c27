//! The engine: the world in memory, the store behind it, and the four calls that change them: `observe`,
//! `claim`, `settle` and `tick`. One thread owns it.

mod shown;

use crate::agenda::{Agenda, Hint};
use crate::ask::{Question, Reading};
use crate::mark_reads::MarkReads;
use crate::perform::Performed;
use crate::ports::{Refusal, RefusalKind};
use crate::queue::{Change, Queue};
use crate::requests::Requests;
use crate::store::{OpenError, Row, RowState, Store, StoreError, TakeError, WriterProof};
use crate::texts;
use crate::transaction::Input;
use ralph_core::check::{self, Fault};
use ralph_core::decide::{self, Plan};
use ralph_core::effect::Effect;
use ralph_core::fact::{Fact, Settled, Subject, What};
use ralph_core::ids::{IssueKey, Login, RepoName};
use ralph_core::label_book;
use ralph_core::policy::Policy;
use ralph_core::standing::Standing;
use ralph_core::time::{Span, Time};
use ralph_core::watch::Resource;
use ralph_core::words::PromptError;
use ralph_core::world::{Touched, World};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

/// Tries without an answer before an effect counts as refused.
const UNKNOWN_TRIES_MAX: u32 = 12;
/// Shortest pause before such a try: a request from a dead process may still be on its way.
const UNKNOWN_PAUSE_MIN: Span = Span::from_secs(1);
/// Longest pause between such tries.
const UNKNOWN_PAUSE_MAX: Span = Span::from_mins(10);
/// Pause when the forge says "later" without a time.
const LATER_PAUSE: Span = Span::from_secs(60);

/// The two functions that make up the rules. The simulator replaces them to prove that its checkers work.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub decide: fn(&World, &Touched, Time, &Policy) -> Plan,
    pub check: fn(&World, &Plan, &Policy) -> Vec<Fault>,
}

impl Default for Rules {
    fn default() -> Self {
        Self { decide: decide::decide, check: check::check }
    }
}

#[derive(Debug)]
pub struct Engine {
    pub(crate) store: Option<Store>,
    pub(crate) world: World,
    pub(crate) rules: Rules,
    pub(crate) policy: Policy,
    pub(crate) proof: WriterProof,
    pub(crate) queue: Queue,
    pub(crate) agenda: Agenda,
    pub(crate) requests: Requests,
    pub(crate) mark_reads: MarkReads,
    pub(crate) standings: BTreeMap<Subject, Standing>,
    /// Issues whose text a process waits for.
    pub(crate) missing_texts: BTreeSet<IssueKey>,
    pub(crate) faults: Vec<Fault>,
    /// Transactions whose decisions did not converge.
    pub(crate) restless: u32,
    pub(crate) is_broken: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Lease(TakeError),
    #[error(transparent)]
    Open(OpenError),
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error("an earlier turn could not be written; open the store again")]
    Broken,
}

/// A leased effect with everything needed to perform it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leased {
    pub id: i64,
    pub key: String,
    pub effect: Effect,
    /// An earlier try may have left something: look before acting.
    pub looks_first: bool,
    /// It is no longer desired: look, and change nothing.
    pub only_looks: bool,
    /// The texts that go with the effect: a prompt, or the end of a pull request's text.
    pub prompt: String,
    /// Lines for the attempt's log about texts that the prompt could not use.
    pub remarks: Vec<String>,
    /// Our login on the forge.
    pub bot: Login,
    pub token: u64,
    /// From this moment another process may hold the lease, so nothing may be sent.
    pub valid_until: Time,
}

impl Engine {
    /// Takes in facts from our own work.
    pub fn observe(&mut self, now: Time, facts: Vec<Fact>) -> Result<(), EngineError> {
        self.transact(now, Input { facts, ..Input::default() })
    }

    /// Takes in the results of an agent's turn or of a read of the forge, texts included.
    pub fn observe_with_texts(
        &mut self,
        now: Time,
        facts: Vec<Fact>,
        texts: Vec<(ralph_core::digest::Digest, String)>,
    ) -> Result<(), EngineError> {
        self.transact(now, Input { facts, texts, ..Input::default() })
    }

    /// Takes in the answer to a question.
    pub fn take_reading(&mut self, now: Time, mut reading: Reading) -> Result<(), EngineError> {
        self.agenda.was_read(now, &reading);
        self.mark_reads.answered(&reading.resource, reading.failed.is_none());
        let (facts, texts) = (take(&mut reading.facts), take(&mut reading.texts));
        let cursor = self.moved_cursor(reading.cursor.take())?;
        let texts = texts::worth_keeping(&self.world, &self.policy, &facts, texts);
        // A poll that shows nothing new writes nothing.
        let is_news = cursor.is_some()
            || facts.iter().any(|fact| self.world.is_news(now, fact))
            || texts::are_new(self.store.as_ref().ok_or(EngineError::Broken)?, &texts)?;
        if !is_news {
            return Ok(());
        }
        self.transact(now, Input { facts, texts, cursor, ..Input::default() })?;
        self.agenda.goes_on_failing(now, &reading);
        Ok(())
    }

    fn moved_cursor(
        &self,
        cursor: Option<(RepoName, Time)>,
    ) -> Result<Option<(RepoName, Time)>, EngineError> {
        let store = self.store.as_ref().ok_or(EngineError::Broken)?;
        let Some((repo, to)) = cursor else { return Ok(None) };
        let has_moved = store.cursor(&repo)?.is_none_or(|known| known < to);
        Ok(has_moved.then_some((repo, to)))
    }

    /// Decides again on every subject whose time has come.
    pub fn tick(&mut self, now: Time) -> Result<(), EngineError> {
        let mut also = Touched::default();
        for subject in self.agenda.ring(now) {
            match subject {
                Subject::Issue(key) => also.issues.insert(key),
                Subject::Repo(name) => also.repos.insert(name),
            };
        }
        if also.is_empty() {
            return Ok(());
        }
        // It may be time to try a merge slot again.
        also.admission = !also.repos.is_empty();
        self.transact(now, Input { also, ..Input::default() })
    }

    /// The time of the next thing to do, if nothing arrives before.
    #[must_use]
    pub fn next_time(&self) -> Option<Time> {
        self.agenda.next_time().into_iter().chain(self.queue.next_time()).min()
    }

    /// The next time at which something changes by itself: a deadline, or an effect that was put back.
    #[must_use]
    pub fn next_alarm(&self) -> Option<Time> {
        self.agenda.next_alarm().into_iter().chain(self.queue.next_time()).min()
    }

    /// The time after which a read shows whether an effect without an answer has happened.
    pub(crate) fn look_again_after(&self) -> Span {
        self.policy.read_lag.max(UNKNOWN_PAUSE_MIN)
    }

    /// Returns the next question to the forge that is due.
    pub fn next_question(&mut self, now: Time) -> Result<Option<Question>, EngineError> {
        while let Some(resource) = self.next_read(now) {
            let store = self.store.as_ref().ok_or(EngineError::Broken)?;
            if let Some(question) = Question::about(&resource, &self.world, &self.policy, store)? {
                self.mark_reads.asks(now, &resource);
                return Ok(Some(question));
            }
            self.agenda.needs_no_read(now, &resource);
        }
        Ok(None)
    }

    /// Returns the next read. Texts that a process waits for come first.
    fn next_read(&mut self, now: Time) -> Option<Resource> {
        let wanted = self.missing_texts.pop_first().map(Resource::Issue);
        wanted.or_else(|| self.agenda.next_read(now))
    }

    /// Takes in a hint from the forge. The echo of one of our own writes is left to the poll.
    pub fn hint(&mut self, now: Time, hint: &Hint) {
        if !self.is_echo(hint) {
            self.agenda.hint(now, hint);
        }
    }

    fn is_echo(&self, hint: &Hint) -> bool {
        let Hint::Label { issue, label, is_added } = hint else { return false };
        let managed = self.world.issue(issue).and_then(|issue| issue.managed.as_ref());
        managed.is_some_and(|managed| managed.labels.has_sent(label, *is_added))
    }

    /// Takes in the result of a leased effect.
    pub fn settle(&mut self, now: Time, id: i64, performed: Performed) -> Result<(), EngineError> {
        let Some(row) = self.queue.get(id).cloned() else { return Ok(()) };
        let back = |tries, due, reason| {
            Change::Update(Row { state: RowState::Pending, tries, due, reason, ..row.clone() })
        };
        let (facts, change) = match performed {
            Performed::Happened(facts) => (facts, Change::Delete(id)),
            Performed::Refused(Refusal { kind: RefusalKind::NeverHappened, .. }) => {
                let settled = What::Settled(Settled::NeverHappened { key: row.key.clone() });
                let fact = Fact { subject: row.effect.subject(), what: settled };
                (vec![fact], Change::Delete(id))
            }
            Performed::Refused(Refusal { message, .. }) => {
                (vec![row.effect.refused(&message)], Change::Delete(id))
            }
            Performed::Later { until, why } => {
                let until = until.unwrap_or_else(|| now.plus(LATER_PAUSE));
                self.queue.hold_key(&row.ordering_key, until);
                // An earlier try without an answer may have been sent.
                let unsent = label_book::was_not_sent(&row.effect).filter(|_| row.tries == 0);
                (unsent.into_iter().collect(), back(row.tries, until, why))
            }
            Performed::Unknown { why }
                if row.tries + 1 >= UNKNOWN_TRIES_MAX && !row.effect.is_for_a_person() =>
            {
                let reason = format!("no answer after {UNKNOWN_TRIES_MAX} tries: {why}");
                (vec![row.effect.refused(&reason)], Change::Delete(id))
            }
            Performed::Unknown { why } => {
                let pause = self.look_again_after().doubled(row.tries, UNKNOWN_PAUSE_MAX);
                (Vec::new(), back(row.tries.saturating_add(1), now.plus(pause), why))
            }
        };
        let mut asked = None;
        if matches!(change, Change::Delete(_)) {
            self.queue.release_key(&row.ordering_key);
            asked = Some(row.effect.clone()).filter(|_| row.is_wanted);
        }
        let mut also = Touched::default();
        match self.queue.subject_of(id) {
            Some(Subject::Issue(key)) => also.issues.insert(key),
            Some(Subject::Repo(name)) => also.repos.insert(name),
            None => false,
        };
        self.transact(now, Input { facts, outbox: Some(change), asked, also, ..Input::default() })
    }
}
