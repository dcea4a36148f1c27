//! The agenda: reads that decisions asked for, and times at which to decide again. It is kept in memory only, because
//! it follows from the state rows.

#[cfg(test)]
mod tests;

use crate::ask::Reading;
use crate::ports::Unread;
use ralph_core::fact::Subject;
use ralph_core::ids::{IssueKey, PullNumber, RepoName};
use ralph_core::time::{Span, Time};
use ralph_core::watch::{Pace, Resource, Watch};
use ralph_core::words;
use std::collections::{BTreeMap, BTreeSet};

/// Longest pause after reads that failed.
const RETRY_MAX: Span = Span::from_mins(10);

#[derive(Debug)]
pub(crate) struct Agenda {
    poll_interval: Span,
    watches: BTreeMap<Subject, Vec<Watch>>,
    reads: BTreeMap<Resource, ReadState>,
    due: BTreeSet<(Time, Resource)>,
    timers: BTreeMap<Subject, Time>,
    alarms: BTreeSet<(Time, Subject)>,
}

/// The subject of a webhook. It is only a hint: polling guarantees that the change is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Its text, state, labels or comments. The list of changed issues shows these too.
    Issue(IssueKey),
    /// A label was added or removed, possibly by Ralph itself.
    Label {
        issue: IssueKey,
        label: String,
        is_added: bool,
    },
    /// Its dependencies or sub-issues, which do not show in the list of changed issues.
    Relations(IssueKey),
    Pull(RepoName, PullNumber),
    Labels(RepoName),
    Branches(RepoName),
}

impl Hint {
    /// The time for which the read may wait. Label definitions change many at a time, some by Ralph itself, and one
    /// read afterwards covers them all.
    const fn patience(&self, poll_interval: Span) -> Span {
        match self {
            Self::Labels(_) => Pace::Soon.every(poll_interval),
            Self::Issue(_)
            | Self::Label { .. }
            | Self::Relations(_)
            | Self::Pull(..)
            | Self::Branches(_) => Span::ZERO,
        }
    }

    fn concerns(&self, resource: &Resource) -> bool {
        match (self, resource) {
            (Self::Issue(key) | Self::Label { issue: key, .. }, Resource::Issues(repo)) => {
                key.repo == *repo
            }
            (Self::Label { issue: key, .. }, Resource::Commands(of))
            | (Self::Issue(key), Resource::Commands(of) | Resource::Comments(of))
            | (
                Self::Relations(key),
                Resource::Issue(of) | Resource::Look(of) | Resource::Native(of),
            ) => key == of,
            (Self::Pull(repo, number), Resource::Pull(key, of)) => {
                key.repo == *repo && number == of
            }
            // Another issue may wait for this pull request as if it were an issue.
            (Self::Pull(repo, number), Resource::Issue(key)) => {
                key.repo == *repo && number.0 == key.number
            }
            (
                Self::Pull(repo, number),
                Resource::Rollup(in_repo, of)
                | Resource::Sync(in_repo, of)
                | Resource::Trial(in_repo, of),
            ) => in_repo == repo && number == of,
            (Self::Labels(repo), Resource::Labels(of))
            | (Self::Branches(repo), Resource::Branches(of)) => repo == of,
            (
                Self::Issue(_)
                | Self::Label { .. }
                | Self::Relations(_)
                | Self::Pull(..)
                | Self::Labels(_)
                | Self::Branches(_),
                _,
            ) => false,
        }
    }
}

/// A read that the forge refuses, does not answer, or answers in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadResource {
    pub resource: Resource,
    pub why: String,
    pub since: Time,
    pub next_try: Time,
    /// The forge declined, and only a person can change that.
    pub is_refused: bool,
}

#[derive(Debug)]
struct Trouble {
    why: String,
    since: Time,
    is_refused: bool,
}

#[derive(Debug)]
struct ReadState {
    /// Number of watches for each pace; the fastest pace decides.
    wanted: BTreeMap<Pace, u32>,
    due: Time,
    failures: u32,
    /// The failure of the last read.
    trouble: Option<Trouble>,
    /// Asked and not answered yet. It is not asked a second time until then.
    is_asked: bool,
    /// A hint arrived after the question was sent, so the answer may be older than the hint.
    is_outdated: bool,
}

impl ReadState {
    fn pace(&self) -> Pace {
        self.wanted.keys().next().copied().unwrap_or(Pace::Rarely)
    }
}

impl Agenda {
    pub(crate) const fn new(poll_interval: Span) -> Self {
        Self {
            poll_interval,
            watches: BTreeMap::new(),
            reads: BTreeMap::new(),
            due: BTreeSet::new(),
            timers: BTreeMap::new(),
            alarms: BTreeSet::new(),
        }
    }

    /// Sets a new poll interval. A read that is under way is not repeated for it.
    pub(crate) fn set_poll_interval(&mut self, now: Time, poll_interval: Span) {
        self.poll_interval = poll_interval;
        for (resource, state) in &mut self.reads {
            let soonest = now.plus(state.pace().every(poll_interval));
            let waits_by_pace = state.failures == 0 && !state.is_asked;
            if waits_by_pace && soonest < state.due {
                self.due.remove(&(state.due, resource.clone()));
                self.due.insert((soonest, resource.clone()));
                state.due = soonest;
            }
        }
    }

    /// Replaces the reads that a subject needs, and the time at which to decide on it again.
    pub(crate) fn set(
        &mut self,
        now: Time,
        subject: &Subject,
        watch: Vec<Watch>,
        again: Option<Time>,
    ) {
        if let Some(at) = self.timers.remove(subject) {
            self.alarms.remove(&(at, subject.clone()));
        }
        if let Some(at) = again {
            self.timers.insert(subject.clone(), at);
            self.alarms.insert((at, subject.clone()));
        }
        if self.watches.get(subject).map_or(&[][..], Vec::as_slice) == watch {
            return;
        }
        for wanted in &watch {
            self.want(now, wanted);
        }
        let before = if watch.is_empty() {
            self.watches.remove(subject)
        } else {
            self.watches.insert(subject.clone(), watch)
        };
        for dropped in before.into_iter().flatten() {
            self.drop_one(&dropped);
        }
    }

    fn want(&mut self, now: Time, watch: &Watch) {
        let (due, resource, pace) = (&mut self.due, &watch.resource, watch.pace);
        let first = now.plus(watch.first_after(self.poll_interval));
        let state = self.reads.entry(resource.clone()).or_insert_with(|| {
            due.insert((first, resource.clone()));
            ReadState {
                wanted: BTreeMap::new(),
                due: first,
                failures: 0,
                trouble: None,
                is_asked: false,
                is_outdated: false,
            }
        });
        if pace < state.pace() {
            let sooner = state.due.min(now.plus(watch.hurried_after(self.poll_interval)));
            if due.remove(&(state.due, resource.clone())) {
                due.insert((sooner, resource.clone()));
            }
            state.due = sooner;
        }
        *state.wanted.entry(pace).or_default() += 1;
    }

    fn drop_one(&mut self, dropped: &Watch) {
        let resource = &dropped.resource;
        let Some(state) = self.reads.get_mut(resource) else { return };
        if let Some(wanted) = state.wanted.get_mut(&dropped.pace) {
            *wanted -= 1;
        }
        state.wanted.retain(|_, wanted| *wanted > 0);
        if state.wanted.is_empty() {
            self.due.remove(&(state.due, resource.clone()));
            self.reads.remove(resource);
        }
    }

    /// Returns the read that is due first and marks it as asked.
    pub(crate) fn next_read(&mut self, now: Time) -> Option<Resource> {
        let (at, resource) = self.due.first().filter(|(at, _)| *at <= now)?.clone();
        self.due.remove(&(at, resource.clone()));
        if let Some(state) = self.reads.get_mut(&resource) {
            state.is_asked = true;
        }
        Some(resource)
    }

    /// Records that a read came back. The next one is due after its pace, or later after failures.
    pub(crate) fn was_read(&mut self, now: Time, reading: &Reading) {
        let Reading { resource, failed, .. } = reading;
        let Some(state) = self.reads.get_mut(resource) else { return };
        self.due.remove(&(state.due, resource.clone()));
        state.is_asked = false;
        // A limit that the forge sets for all requests says nothing about this resource.
        let is_limited = failed.as_ref().is_some_and(Unread::is_limit);
        if !is_limited || !reading.missed.is_empty() {
            let since = state.trouble.as_ref().map_or(now, |trouble| trouble.since);
            state.trouble = trouble(since, reading);
        }
        state.due = match failed {
            None => {
                state.failures = 0;
                let pause = state.pace().every(self.poll_interval);
                if state.is_outdated { now } else { now.plus(pause) }
            }
            Some(unread) => {
                let pause =
                    state.pace().every(self.poll_interval).doubled(state.failures, RETRY_MAX);
                state.failures = state.failures.saturating_add(1);
                unread.until.unwrap_or(now).max(now.plus(pause))
            }
        };
        state.is_outdated = false;
        self.due.insert((state.due, resource.clone()));
    }

    /// Keeps showing a failure when the reading itself was the reason to watch the resource again, or for another
    /// subject.
    pub(crate) fn goes_on_failing(&mut self, now: Time, reading: &Reading) {
        let is_new = |state: &ReadState| state.trouble.is_none() && !state.is_asked;
        let is_forgotten = self.reads.get(&reading.resource).is_some_and(is_new);
        if is_forgotten && trouble(now, reading).is_some() {
            self.was_read(now, reading);
        }
    }

    /// Records that there is nothing to ask now.
    pub(crate) fn needs_no_read(&mut self, now: Time, resource: &Resource) {
        let Some(state) = self.reads.get_mut(resource) else { return };
        self.due.remove(&(state.due, resource.clone()));
        (state.is_asked, state.is_outdated, state.failures) = (false, false, 0);
        state.trouble = None;
        state.due = now.plus(state.pace().every(self.poll_interval));
        self.due.insert((state.due, resource.clone()));
    }

    /// Makes a read due in a moment because something waits for it. A read that failed keeps its pause.
    pub(crate) fn hurry(&mut self, now: Time, resource: &Resource) {
        let soon = now.plus(Span(1));
        let Some(state) = self.reads.get_mut(resource) else { return };
        if !state.is_asked && state.failures == 0 && state.due > soon {
            self.due.remove(&(state.due, resource.clone()));
            self.due.insert((soon, resource.clone()));
            state.due = soon;
        }
    }

    /// The number of failures in a row, and the reason for the last one.
    pub(crate) fn failures(&self, resource: &Resource) -> (u32, Option<&str>) {
        let state = self.reads.get(resource);
        let why = state.and_then(|state| state.trouble.as_ref()).map(|trouble| &*trouble.why);
        (state.map_or(0, |state| state.failures), why)
    }

    pub(crate) fn wants(&self, resource: &Resource) -> bool {
        self.reads.contains_key(resource)
    }

    /// Every watched resource whose last read failed or was incomplete.
    pub(crate) fn unread(&self) -> impl Iterator<Item = UnreadResource> {
        self.reads.iter().filter_map(|(resource, state)| {
            let trouble = state.trouble.as_ref()?;
            Some(UnreadResource {
                resource: resource.clone(),
                why: trouble.why.clone(),
                since: trouble.since,
                next_try: state.due,
                is_refused: trouble.is_refused,
            })
        })
    }

    /// Makes every watched resource that the hint may concern due now.
    pub(crate) fn hint(&mut self, now: Time, hint: &Hint) {
        let at = now.plus(hint.patience(self.poll_interval));
        for (resource, state) in &mut self.reads {
            if !hint.concerns(resource) {
                continue;
            }
            if state.is_asked {
                state.is_outdated = true;
            } else if state.due > at {
                self.due.remove(&(state.due, resource.clone()));
                self.due.insert((at, resource.clone()));
                state.due = at;
            }
        }
    }

    /// Removes and returns the subjects whose time has come.
    pub(crate) fn ring(&mut self, now: Time) -> Vec<Subject> {
        let mut rung = Vec::new();
        while let Some((at, subject)) = self.alarms.first().filter(|(at, _)| *at <= now).cloned() {
            self.alarms.remove(&(at, subject.clone()));
            self.timers.remove(&subject);
            rung.push(subject);
        }
        rung
    }

    /// The time at which something becomes due.
    pub(crate) fn next_time(&self) -> Option<Time> {
        let read = self.due.first().map(|(at, _)| *at);
        let alarm = self.alarms.first().map(|(at, _)| *at);
        read.into_iter().chain(alarm).min()
    }

    /// The time of the next decision, reads not included.
    pub(crate) fn next_alarm(&self) -> Option<Time> {
        self.alarms.first().map(|(at, _)| *at)
    }
}

/// The reason why a reading failed, or the first reason why it is incomplete.
fn trouble(since: Time, reading: &Reading) -> Option<Trouble> {
    let Reading { failed, missed, .. } = reading;
    let own = failed.as_ref().filter(|unread| !unread.is_limit());
    if let Some(unread) = own {
        let (why, is_refused) = (unread.why.clone(), unread.is_refused);
        return Some(Trouble { why, since, is_refused });
    }
    let why = match missed.as_slice() {
        [] => return None,
        [one] => one.clone(),
        [first, more @ ..] => words::and_more(first, more.len()),
    };
    Some(Trouble { why, since, is_refused: true })
}
