//! The outbox in memory: the same rows as in the store, with the indexes that claiming needs.

use crate::store::{Row, RowState};
use ralph_core::effect::{Effect, IssueAct, Lane};
use ralph_core::fact::Subject;
use ralph_core::time::Time;
use ralph_core::words::HELD_BACK;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(crate) struct Queue {
    rows: BTreeMap<i64, Row>,
    by_subject: BTreeMap<Subject, BTreeSet<i64>>,
    /// Waiting rows by lane; only the heads are looked at, however long a lane is.
    due: BTreeMap<String, BTreeSet<(Time, i64)>>,
    busy_lanes: BTreeSet<String>,
    /// Lanes that were told to wait, and until when.
    held_lanes: BTreeMap<String, Time>,
    last_id: i64,
}

/// A lane with an effect that did not get through yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldLane {
    pub lane: Lane,
    /// Why the first of them was put back.
    pub why: String,
    /// When that one is tried again.
    pub until: Time,
    /// Effects in the lane that did not get through.
    pub effects: usize,
}

/// What has to change in the store for the outbox to match a decision.
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

    /// Lanes that were told to wait, and until when.
    pub(crate) fn paused_lanes(&self) -> impl Iterator<Item = (&str, Time)> {
        self.held_lanes.iter().map(|(lane, until)| (lane.as_str(), *until))
    }

    /// Lanes in which something was put back and has not got through since.
    pub(crate) fn held_lanes(&self) -> Vec<HeldLane> {
        let mut held: BTreeMap<&str, (&Row, usize)> = BTreeMap::new();
        // Changes that are held back as a bug have a list for themselves.
        let is_told = |row: &&Row| !row.reason.is_empty() && row.reason != HELD_BACK;
        for row in self.rows.values().filter(is_told) {
            let (first, effects) = held.entry(&row.lane).or_insert((row, 0));
            *effects += 1;
            if row.due < first.due {
                *first = row;
            }
        }
        let lane = |(name, (row, effects)): (&str, (&Row, usize))| HeldLane {
            lane: row.effect.lane(),
            why: row.reason.clone(),
            until: self.held_lanes.get(name).map_or(row.due, |until| row.due.max(*until)),
            effects,
        };
        held.into_iter().map(lane).collect()
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
                self.due.entry(row.lane.clone()).or_default().insert((row.due, row.id));
            }
            RowState::Claimed => {
                self.busy_lanes.insert(row.lane.clone());
            }
        }
        self.by_subject.entry(row.effect.subject()).or_default().insert(row.id);
        self.rows.insert(row.id, row);
    }

    fn remove(&mut self, id: i64) {
        let Some(row) = self.rows.remove(&id) else { return };
        match row.state {
            RowState::Pending => {
                if let Some(lane) = self.due.get_mut(&row.lane) {
                    lane.remove(&(row.due, id));
                    if lane.is_empty() {
                        self.due.remove(&row.lane);
                    }
                }
            }
            RowState::Claimed => {
                self.busy_lanes.remove(&row.lane);
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

    /// What brings the rows of a subject to what is wanted of it now. What was asked for too often waits until it is
    /// `held` no more. A row that may already have taken
    /// place is not dropped but looked up; a row in somebody's hands is left as it is.
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
                (None, RowState::Pending | RowState::Claimed) if row.is_wanted => {
                    // What is on the issue has to be known before another label is written.
                    let due = if is_label(&row.effect) { now.min(row.due) } else { row.due };
                    changes.push(Change::Update(Row { is_wanted: false, due, ..row.clone() }));
                }
                (None, RowState::Pending | RowState::Claimed) => {}
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
                (Some(_), RowState::Claimed) if !row.is_wanted => {
                    changes.push(Change::Update(Row { is_wanted: true, ..row.clone() }));
                }
                (Some(_), RowState::Pending | RowState::Claimed) => {}
            }
        }
        for (id, (key, effect)) in (self.last_id + 1..).zip(missing) {
            let (due, reason) = waiting(now, held(&effect));
            changes.push(Change::Insert(Row {
                id,
                key,
                lane: effect.lane().name(),
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

    /// The oldest row that is due in a lane that is free.
    pub(crate) fn next(&self, now: Time) -> Option<&Row> {
        let (at, id) = self.heads().min()?;
        (at <= now).then(|| self.rows.get(&id))?
    }

    /// When a row may be claimed next, as far as time decides it.
    pub(crate) fn next_time(&self) -> Option<Time> {
        self.heads().map(|(at, _)| at).min()
    }

    /// The first row of every lane that nobody is busy in, and when its time comes.
    fn heads(&self) -> impl Iterator<Item = (Time, i64)> {
        let free = self.due.iter().filter(|(lane, _)| !self.busy_lanes.contains(*lane));
        free.filter_map(|(lane, rows)| {
            let (due, id) = rows.first()?;
            let held = self.held_lanes.get(lane).unwrap_or(due);
            Some((*due.max(held), *id))
        })
    }

    pub(crate) fn hold_lane(&mut self, lane: &str, until: Time) {
        let held = self.held_lanes.entry(lane.to_owned()).or_insert(until);
        *held = until.max(*held);
    }

    pub(crate) fn release_lane(&mut self, lane: &str) {
        self.held_lanes.remove(lane);
    }

    /// The subject of a row, to decide on it again.
    pub(crate) fn subject_of(&self, id: i64) -> Option<Subject> {
        self.rows.get(&id).map(|row| row.effect.subject())
    }
}

/// When a row is due, and why if not now.
fn waiting(now: Time, held: Option<Time>) -> (Time, String) {
    held.map_or_else(|| (now, String::new()), |until| (until, HELD_BACK.to_owned()))
}

/// Does it put a label on an issue or take one off?
const fn is_label(effect: &Effect) -> bool {
    matches!(effect, Effect::Issue(_, IssueAct::AddLabel { .. } | IssueAct::RemoveLabel { .. }))
}
