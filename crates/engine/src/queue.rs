//! The outbox in memory: the same rows as in the store, with the indexes that leasing needs.

use crate::store::{Row, RowState};
use ralph_core::effect::{Effect, IssueAct, OrderingKey};
use ralph_core::fact::Subject;
use ralph_core::time::Time;
use ralph_core::words::HELD_BACK;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(crate) struct Queue {
    rows: BTreeMap<i64, Row>,
    by_subject: BTreeMap<Subject, BTreeSet<i64>>,
    /// Waiting rows by ordering key. Only the first of each is looked at, however many there are.
    due: BTreeMap<String, BTreeSet<(Time, i64)>>,
    busy_keys: BTreeSet<String>,
    /// Ordering keys that have to wait, with the time until which.
    held_keys: BTreeMap<String, Time>,
    last_id: i64,
}

/// An ordering key with an effect that has not succeeded yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldKey {
    pub key: OrderingKey,
    /// The reason why the first of them was put back.
    pub why: String,
    /// The time at which it is tried again.
    pub until: Time,
    /// Number of effects with this ordering key that have not succeeded.
    pub effects: usize,
}

/// A change to a stored row that makes the outbox match a decision.
#[derive(Debug)]
pub(crate) enum Change {
    Insert(Row),
    Update(Row),
    Delete(i64),
}

impl Change {
    /// The row, if the guard against floods holds it back.
    pub(crate) fn held_back(&self) -> Option<&Row> {
        match self {
            Self::Insert(row) | Self::Update(row) => {
                Some(row).filter(|row| row.reason == HELD_BACK)
            }
            Self::Delete(_) => None,
        }
    }
}

impl Queue {
    pub(crate) fn load(rows: Vec<Row>) -> Self {
        let mut queue = Self::default();
        for row in rows {
            queue.put(row);
        }
        queue
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.values()
    }

    pub(crate) fn get(&self, id: i64) -> Option<&Row> {
        self.rows.get(&id)
    }

    /// Ordering keys that have to wait, with the time until which.
    pub(crate) fn paused_keys(&self) -> impl Iterator<Item = (&str, Time)> {
        self.held_keys.iter().map(|(lane, until)| (lane.as_str(), *until))
    }

    /// Ordering keys with an effect that was put back and has not succeeded since.
    pub(crate) fn held_keys(&self) -> Vec<HeldKey> {
        let mut held: BTreeMap<&str, (&Row, usize)> = BTreeMap::new();
        // Changes that are held back as a bug have their own list.
        let is_told = |row: &&Row| !row.reason.is_empty() && row.reason != HELD_BACK;
        for row in self.rows.values().filter(is_told) {
            let (first, effects) = held.entry(&row.ordering_key).or_insert((row, 0));
            *effects += 1;
            if row.due < first.due {
                *first = row;
            }
        }
        let held_key = |(name, (row, effects)): (&str, (&Row, usize))| HeldKey {
            key: row.effect.ordering_key(),
            why: row.reason.clone(),
            until: self.held_keys.get(name).map_or(row.due, |until| row.due.max(*until)),
            effects,
        };
        held.into_iter().map(held_key).collect()
    }

    pub(crate) fn apply(&mut self, change: Change) {
        match change {
            Change::Insert(row) | Change::Update(row) => self.put(row),
            Change::Delete(id) => self.remove(id),
        }
    }

    fn put(&mut self, row: Row) {
        self.remove(row.id);
        self.last_id = self.last_id.max(row.id);
        match row.state {
            RowState::Pending => {
                self.due.entry(row.ordering_key.clone()).or_default().insert((row.due, row.id));
            }
            RowState::Leased => {
                self.busy_keys.insert(row.ordering_key.clone());
            }
        }
        self.by_subject.entry(row.effect.subject()).or_default().insert(row.id);
        self.rows.insert(row.id, row);
    }

    fn remove(&mut self, id: i64) {
        let Some(row) = self.rows.remove(&id) else { return };
        match row.state {
            RowState::Pending => {
                if let Some(lane) = self.due.get_mut(&row.ordering_key) {
                    lane.remove(&(row.due, id));
                    if lane.is_empty() {
                        self.due.remove(&row.ordering_key);
                    }
                }
            }
            RowState::Leased => {
                self.busy_keys.remove(&row.ordering_key);
            }
        }
        let subject = row.effect.subject();
        if let Some(ids) = self.by_subject.get_mut(&subject) {
            ids.remove(&id);
            if ids.is_empty() {
                self.by_subject.remove(&subject);
            }
        }
    }

    /// Returns the changes that make the rows of a subject match its desired effects. An effect that was requested too
    /// often waits while `held`. A row that may already have happened is not dropped but looked up; a leased row stays
    /// as it is.
    pub(crate) fn reconcile(
        &self,
        now: Time,
        subject: &Subject,
        wanted: Vec<Effect>,
        held: impl Fn(&Effect) -> Option<Time>,
    ) -> Vec<Change> {
        let mut changes = Vec::new();
        let ids = self.by_subject.get(subject);
        let known = ids.into_iter().flatten().filter_map(|id| self.rows.get(id));
        let mut missing: BTreeMap<String, Effect> =
            wanted.into_iter().map(|effect| (effect.key(), effect)).collect();
        for row in known {
            let effect = missing.remove(&row.key);
            match (effect, row.state) {
                (None, RowState::Pending) if row.tries == 0 => changes.push(Change::Delete(row.id)),
                (None, RowState::Pending | RowState::Leased) if row.is_wanted => {
                    // The labels on the issue must be known before another one is written.
                    let due = if is_label(&row.effect) { now.min(row.due) } else { row.due };
                    changes.push(Change::Update(Row { is_wanted: false, due, ..row.clone() }));
                }
                (None, RowState::Pending | RowState::Leased) => {}
                (Some(effect), RowState::Pending) if row.reason == HELD_BACK => {
                    let (due, reason) = waiting(now, held(&effect));
                    if effect != row.effect || due != row.due || !row.is_wanted {
                        let row = Row { effect, due, reason, is_wanted: true, ..row.clone() };
                        changes.push(Change::Update(row));
                    }
                }
                (Some(effect), RowState::Pending) if effect != row.effect || !row.is_wanted => {
                    changes.push(Change::Update(Row { effect, is_wanted: true, ..row.clone() }));
                }
                (Some(_), RowState::Leased) if !row.is_wanted => {
                    changes.push(Change::Update(Row { is_wanted: true, ..row.clone() }));
                }
                (Some(_), RowState::Pending | RowState::Leased) => {}
            }
        }
        for (id, (key, effect)) in (self.last_id + 1..).zip(missing) {
            let (due, reason) = waiting(now, held(&effect));
            changes.push(Change::Insert(Row {
                id,
                key,
                ordering_key: effect.ordering_key().name(),
                effect,
                state: RowState::Pending,
                is_wanted: true,
                tries: 0,
                due,
                reason,
            }));
        }
        changes
    }

    /// The oldest row that is due and whose ordering key is free.
    pub(crate) fn next(&self, now: Time) -> Option<&Row> {
        let (at, id) = self.heads().min()?;
        (at <= now).then(|| self.rows.get(&id))?
    }

    /// The earliest time at which a row can be leased.
    pub(crate) fn next_time(&self) -> Option<Time> {
        self.heads().map(|(at, _)| at).min()
    }

    /// The first row of every ordering key without a leased row, with the time at which it is due.
    fn heads(&self) -> impl Iterator<Item = (Time, i64)> {
        let free = self.due.iter().filter(|(lane, _)| !self.busy_keys.contains(*lane));
        free.filter_map(|(lane, rows)| {
            let (due, id) = rows.first()?;
            let held = self.held_keys.get(lane).unwrap_or(due);
            Some((*due.max(held), *id))
        })
    }

    pub(crate) fn hold_key(&mut self, lane: &str, until: Time) {
        let held = self.held_keys.entry(lane.to_owned()).or_insert(until);
        *held = until.max(*held);
    }

    pub(crate) fn release_key(&mut self, lane: &str) {
        self.held_keys.remove(lane);
    }

    /// The subject of a row, for deciding on it again.
    pub(crate) fn subject_of(&self, id: i64) -> Option<Subject> {
        self.rows.get(&id).map(|row| row.effect.subject())
    }
}

/// The time at which a row is due, with the reason if it is not now.
fn waiting(now: Time, held: Option<Time>) -> (Time, String) {
    held.map_or_else(|| (now, String::new()), |until| (until, HELD_BACK.to_owned()))
}

/// True if the effect adds or removes a label of an issue.
const fn is_label(effect: &Effect) -> bool {
    matches!(effect, Effect::Issue(_, IssueAct::AddLabel { .. } | IssueAct::RemoveLabel { .. }))
}
