//! The guard against floods: requesting the same change over and over while nothing else is seen is a bug, whatever its
//! cause. Such a change stops here, before it reaches the forge, also after a restart.

use ralph_core::digest::Digest;
use ralph_core::effect::{Effect, MachineAct};
use ralph_core::fact::{Fact, RepoObservation, Subject, What};
use ralph_core::time::{Span, Time};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Requests for the same change within the window; the next one is held back.
pub const REQUESTS_MAX: usize = 5;
pub const REQUESTS_WINDOW: Span = Span::from_mins(10);
/// The first pause of a change that is held back; it doubles each time, unless something different was seen.
const HOLD_FIRST: Span = Span::from_mins(60);
const HOLD_MAX: Span = Span::from_mins(24 * 60);

/// A change: its intent and its content.
pub(crate) type RequestKey = (String, Digest);

/// The recent requests for one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) subject: Subject,
    pub(crate) times: Vec<Time>,
    pub(crate) holds: u32,
    pub(crate) until: Time,
}

/// A change that is held back, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flood {
    pub key: String,
    pub since: Time,
    pub until: Time,
}

/// A row to write: the request as it is now, or `None` to delete it.
pub(crate) type RequestChange = (RequestKey, Option<Request>);

/// Every change that was requested recently.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    all: BTreeMap<RequestKey, Request>,
    by_subject: BTreeMap<Subject, BTreeSet<RequestKey>>,
    /// The time at which each is forgotten.
    by_end: BTreeSet<(Time, RequestKey)>,
    /// The last readings of each subject with a request, without the times in them.
    shown: BTreeMap<Subject, BTreeMap<String, Digest>>,
}

impl Requests {
    pub(crate) fn load(rows: impl IntoIterator<Item = (RequestKey, Request)>) -> Self {
        let mut requests = Self::default();
        rows.into_iter().for_each(|(key, request)| requests.put(key, request));
        requests
    }

    /// Changes that are held back at this time.
    pub(crate) fn floods(&self, now: Time) -> impl Iterator<Item = Flood> {
        let held = self.all.iter().filter(move |(_, request)| request.until > now);
        held.map(|((key, _), request)| Flood {
            key: key.clone(),
            since: request.times.first().copied().unwrap_or(request.until),
            until: request.until,
        })
    }

    /// Records a request that was sent and answered, whatever the answer.
    pub(crate) fn note(&mut self, now: Time, effect: &Effect) -> Vec<RequestChange> {
        let mut changes = self.forget_old(now);
        let Some(key) = key_of(effect) else { return changes };
        let new =
            Request { subject: effect.subject(), times: Vec::new(), holds: 0, until: Time(0) };
        let mut request = self.take(&key).unwrap_or(new);
        request.times.retain(|at| at.plus(REQUESTS_WINDOW) > now);
        request.times.push(now);
        // It was let through after a hold, so the next one waits longer.
        if request.holds > 0 {
            request.until = now.plus(HOLD_FIRST.doubled(request.holds, HOLD_MAX));
            request.holds = request.holds.saturating_add(1);
        }
        self.put(key.clone(), request.clone());
        changes.push((key, Some(request)));
        changes
    }

    /// The time until which a desired change is held back.
    pub(crate) fn hold(&self, now: Time, effect: &Effect) -> Option<Time> {
        if self.all.is_empty() {
            return None;
        }
        let request = self.all.get(&key_of(effect)?)?;
        let recent = request.times.iter().filter(|at| at.plus(REQUESTS_WINDOW) > now).count();
        if request.holds == 0 && recent >= REQUESTS_MAX {
            return Some(now.plus(HOLD_FIRST));
        }
        Some(request.until).filter(|until| *until > now)
    }

    /// Records that a change is desired again and held back until then.
    pub(crate) fn hold_back(&mut self, effect: &Effect, until: Time) -> Option<RequestChange> {
        let key = key_of(effect)?;
        let request = self.all.get(&key).filter(|request| request.holds == 0)?.clone();
        self.take(&key);
        let request = Request { until, holds: 1, ..request };
        self.put(key.clone(), request.clone());
        Some((key, Some(request)))
    }

    /// Takes note of a fact. Returns true if it differs from what was known when a change was requested; Ralph's own
    /// moves and answers do not count.
    pub(crate) fn notice(&mut self, fact: &Fact) -> bool {
        if !self.by_subject.contains_key(&fact.subject) {
            return false;
        }
        let seen = match &fact.what {
            What::Finished { .. } | What::Interrupted { .. } => return true,
            What::RepoSeen(RepoObservation::TakeOver { .. }) => return true,
            // Ralph's own marks come and go.
            What::RepoSeen(RepoObservation::Mark(_)) => return false,
            What::Seen(seen) => serde_json::to_value(seen),
            What::RepoSeen(seen) => serde_json::to_value(seen),
            What::Used { .. } | What::Suspected { .. } | What::Settled(_) | What::Moved(_) => {
                return false;
            }
        };
        let Ok(seen) = seen else { return false };
        let (kind, content) = match seen {
            Value::Object(fields) if fields.len() == 1 => {
                let (kind, mut content) = fields.into_iter().next().unwrap_or_default();
                forget_times(&mut content);
                (kind, content.to_string())
            }
            other @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_)) => (other.to_string(), String::new()),
        };
        // Every command by a person counts as something new.
        if kind == "command" || (kind == "commands" && !content.contains("\"commands\":{}")) {
            return true;
        }
        let content = Digest::of(&content);
        let shown = self.shown.entry(fact.subject.clone()).or_default();
        shown.insert(kind, content).is_some_and(|before| before != content)
    }

    /// Forgets the requests of a subject, because something different was seen: they may be sent again.
    pub(crate) fn forget(&mut self, subject: &Subject) -> Vec<RequestChange> {
        let keys = self.by_subject.get(subject).cloned().unwrap_or_default();
        let gone = keys.into_iter().filter_map(|key| self.take(&key).map(|_| (key, None)));
        gone.collect()
    }

    fn forget_old(&mut self, now: Time) -> Vec<RequestChange> {
        let mut gone = Vec::new();
        while let Some((at, key)) = self.by_end.first().cloned()
            && at <= now
        {
            self.take(&key);
            gone.push((key, None));
        }
        gone
    }

    fn put(&mut self, key: RequestKey, request: Request) {
        self.by_subject.entry(request.subject.clone()).or_default().insert(key.clone());
        self.by_end.insert((request.end(), key.clone()));
        self.all.insert(key, request);
    }

    fn take(&mut self, key: &RequestKey) -> Option<Request> {
        let request = self.all.remove(key)?;
        self.by_end.remove(&(request.end(), key.clone()));
        if let Some(keys) = self.by_subject.get_mut(&request.subject) {
            keys.remove(key);
            if keys.is_empty() {
                self.by_subject.remove(&request.subject);
                self.shown.remove(&request.subject);
            }
        }
        Some(request)
    }
}

impl Request {
    /// The time at which the request says nothing about the next one and is forgotten.
    fn end(&self) -> Time {
        let last = self.times.last().copied().unwrap_or_default();
        if self.holds > 0 { self.until.plus(HOLD_MAX) } else { last.plus(REQUESTS_WINDOW) }
    }
}

/// Returns the key of a request. Every start of a process has a new number, so no two are the same.
fn key_of(effect: &Effect) -> Option<RequestKey> {
    let is_process = matches!(
        effect,
        Effect::Machine(
            _,
            MachineAct::Start { .. } | MachineAct::End { .. } | MachineAct::Tell { .. }
        )
    );
    let content = serde_json::to_string(effect).ok().filter(|_| !is_process)?;
    Some((effect.key(), Digest::of(&content)))
}

/// Removes times: the moment of a read or a change is not part of what was seen.
fn forget_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields
                .retain(|name, _| !matches!(name.as_str(), "updated" | "read_at" | "at" | "up_to"));
            fields.values_mut().for_each(forget_times);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_times),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::effect::IssueAct;
    use ralph_core::ids::{IssueKey, RepoName};

    fn effect() -> Effect {
        let key = IssueKey::new(RepoName::parse("acme/app").unwrap(), 7);
        Effect::Issue(key, IssueAct::AddLabel { label: "ralph:status:queued".into() })
    }

    /// A change that was requested this many times, once a minute.
    fn asked(times: i64) -> (Requests, Time) {
        let mut requests = Requests::default();
        let now = |minute: i64| Time(0).plus(Span::from_mins(minute));
        (0..times).for_each(|minute| drop(requests.note(now(minute), &effect())));
        (requests, now(times))
    }

    #[test]
    fn five_requests_are_no_flood_until_a_sixth_is_wanted_within_the_window() {
        let (requests, now) = asked(5);
        assert_eq!(requests.floods(now).count(), 0);
        assert_eq!(requests.hold(now, &effect()), Some(now.plus(HOLD_FIRST)));
        assert_eq!(requests.hold(now.plus(Span::from_mins(6)), &effect()), None, "four are left");
        let (requests, now) = asked(4);
        assert_eq!(requests.hold(now, &effect()), None);
    }

    #[test]
    fn a_sixth_that_is_wanted_is_held_back_for_its_whole_time() {
        let (mut requests, now) = asked(5);
        let until = requests.hold(now, &effect()).unwrap();
        assert!(requests.hold_back(&effect(), until).is_some());
        assert_eq!(requests.floods(now).count(), 1);
        assert_eq!(requests.hold(now.plus(Span::from_mins(30)), &effect()), Some(until));
        assert_eq!(requests.hold_back(&effect(), now), None, "once is enough");
    }
}
