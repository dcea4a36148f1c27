//! The mark by which one Ralph shows on the forge that it works in a repository; another one that finds it starts
//! nothing there. It is a separate reference whose commits follow one another, so that one of two simultaneous writes
//! fails.

use super::{DesiredEffect, Refusals};
use crate::fold::READ_LAG;
use crate::ids::{Login, Sha};
use crate::policy::Instance;
use crate::recall::Outdated;
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};

/// A mark is renewed rarely, because that costs three requests.
pub const RENEWED_EVERY: Span = Span::from_mins(60);
/// Bounds of the time for which a read of a mark counts, which is two polls.
const GOOD_FOR_MIN: Span = Span::from_secs(5);
const GOOD_FOR_MAX: Span = Span::from_mins(60);

/// The text of a mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The state store of its writer.
    pub store: String,
    /// The start of Ralph that wrote it.
    pub start: String,
    /// The name of its writer, for people.
    pub name: String,
    /// Grows with every mark of one store.
    pub number: u64,
    /// The time since when that store has held the repository.
    pub since: Time,
    pub renewed: Time,
    /// After this time its writer has seen the mark that replaced it, or does nothing.
    pub sees_within: Span,
}

/// The reference as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenMark {
    pub commit: Sha,
    /// `None`: the text cannot be read.
    pub mark: Option<Mark>,
}

impl SeenMark {
    fn number_of(&self, store: &str) -> Option<u64> {
        self.mark.as_ref().filter(|mark| mark.store == store).map(|mark| mark.number)
    }
}

/// Our own mark, written by this start of Ralph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnMark {
    pub commit: Sha,
    pub mark: Mark,
    /// The mark before it, which a read that lags may still show.
    pub over: Option<SeenMark>,
}

/// The state of a repository's mark.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MarkBook {
    /// The start of Ralph that this is about.
    #[serde(default)]
    pub start: String,
    /// As last read by this start: outer `None`, not yet; inner `None`, there is none.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "twice")]
    pub seen: Option<Option<SeenMark>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnMark>,
    /// The highest number of this store's marks that were sent, over all its starts.
    #[serde(default)]
    pub number: u64,
    /// After a take-over nothing begins before this time, so that the other Ralph has noticed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins: Option<Time>,
    /// The start before this one held the repository a moment ago.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_held: bool,
    /// The person who wants the repository taken over from the Ralph that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub take_over: Option<Login>,
    /// The time at which work here by others, or by a later copy of this store, was found. Older issues are looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated: Option<Outdated>,
}

/// The holder of the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold<'a> {
    /// Ours: this start's mark is there, or no marks are kept.
    Ours,
    /// Not read yet, or our mark is being written.
    Open,
    /// The same, and the start before held it: work on this machine continues, and nothing is written.
    Remembered,
    /// Ours, once the Ralph that had it before has noticed.
    Begins { at: Time, from: Option<&'a Mark> },
    /// Another Ralph's, or a later start with a copy of this store.
    Theirs(&'a SeenMark),
}

impl MarkBook {
    #[must_use]
    pub fn hold(&self, me: Option<&Instance>, refusals: &Refusals) -> Hold<'_> {
        let Some(me) = me else { return Hold::Ours };
        if self.start != me.start {
            return Hold::Open;
        }
        match (&self.own, self.theirs(&me.store)) {
            (_, Some(theirs)) => Hold::Theirs(theirs),
            (Some(own), None) => match self.begins {
                Some(at) => {
                    let from = own.over.as_ref().and_then(|over| over.mark.as_ref());
                    Hold::Begins { at, from }
                }
                None => Hold::Ours,
            },
            // Without the right to write marks the work continues unprotected, and `status` says so.
            (None, None) if self.seen.is_some() && refusals.of(&DesiredEffect::Mark).is_some() => {
                Hold::Ours
            }
            (None, None) if self.was_held => Hold::Remembered,
            (None, None) => Hold::Open,
        }
    }

    /// True if work may be started and the forge written to.
    #[must_use]
    pub fn is_ours(&self, me: Option<&Instance>, refusals: &Refusals) -> bool {
        self.hold(me, refusals) == Hold::Ours
    }

    /// True if processes on this machine may continue the work under way.
    #[must_use]
    pub fn may_work(&self, me: Option<&Instance>, refusals: &Refusals) -> bool {
        matches!(self.hold(me, refusals), Hold::Ours | Hold::Remembered)
    }

    /// Begins a new start of Ralph.
    pub(crate) fn begin(&mut self, start: &str, was_away: bool) {
        let held = match &self.own {
            Some(own) => self.begins.is_none() && self.theirs(&own.mark.store).is_none(),
            None => self.was_held,
        };
        self.was_held = held && !was_away;
        start.clone_into(&mut self.start);
        (self.seen, self.own, self.begins) = (None, None, None);
    }

    /// Records that from now on the store may lack work that was done, or certainly does.
    pub(crate) fn doubt(&mut self, now: Time, is_certain: bool) {
        self.was_held &= !is_certain;
        let was_certain = self.outdated.and_then(Outdated::certain_since);
        self.outdated = Some(Outdated { since: now, is_certain, was_certain });
    }

    /// True if the work for an issue is known, given the time of its last look-up.
    #[must_use]
    pub fn is_looked_up(&self, recalled: Option<Time>) -> bool {
        self.outdated.is_none_or(|outdated| recalled.is_some_and(|at| at >= outdated.since))
    }

    /// Returns the mark of another Ralph that is in force. Before this start has its own, every mark of the same store
    /// is from an earlier start; after that, one with a higher number is from a copy that was started later.
    fn theirs(&self, store: &str) -> Option<&SeenMark> {
        let seen = self.seen.as_ref()?.as_ref()?;
        let is_ours = match &self.own {
            None => seen.number_of(store).is_some(),
            Some(own) => {
                seen.commit == own.commit
                    || seen.mark.as_ref().is_some_and(|mark| mark.start == self.start)
                    || seen.number_of(store).is_some_and(|number| number <= own.mark.number)
                    || own.over.as_ref().is_some_and(|over| is_no_newer(seen, over))
            }
        };
        (!is_ours).then_some(seen)
    }

    /// Returns the number of a mark that this store has written and does not remember.
    #[must_use]
    pub fn forgotten(&self, me: &Instance) -> Option<u64> {
        let seen = self.seen.as_ref()?.as_ref().filter(|_| self.own.is_none())?;
        seen.number_of(&me.store).filter(|number| *number > self.number)
    }

    /// Returns the mark to write now, and the one it replaces.
    #[must_use]
    pub fn wanted(
        &self,
        (me, sees_within): (&Instance, Span),
        now: Time,
    ) -> Option<(Mark, Option<SeenMark>)> {
        let seen = self.seen.as_ref()?;
        let theirs = self.theirs(&me.store);
        let over = match (&self.own, theirs, seen) {
            (_, Some(theirs), _) => Some(self.take_over.as_ref().map(|_| theirs.clone())?),
            (None, None, seen) => seen.clone(),
            // A person deleted it; the guard gives lagging reads time to show it.
            (Some(own), None, None) if own.mark.renewed.plus(READ_LAG) <= now => None,
            (Some(own), None, _)
                if own.mark.renewed.plus(RENEWED_EVERY) <= now
                    || own.mark.sees_within != sees_within =>
            {
                Some(SeenMark { commit: own.commit.clone(), mark: Some(own.mark.clone()) })
            }
            (Some(_), None, _) => return None,
        };
        let known = over.as_ref().and_then(|over| over.number_of(&me.store)).unwrap_or(0);
        let since = over.as_ref().and_then(|over| over.mark.as_ref());
        let since = since.filter(|mark| mark.store == me.store).map(|mark| mark.since);
        let mark = Mark {
            store: me.store.clone(),
            start: me.start.clone(),
            name: me.name.clone(),
            number: self.number.max(known) + 1,
            since: since.unwrap_or_default(),
            renewed: Time::default(),
            sees_within,
        };
        Some((mark, over))
    }

    /// The next time to act although nothing happened.
    #[must_use]
    pub fn looks_again(&self) -> Option<Time> {
        let own = self.own.as_ref()?;
        let is_gone = self.seen == Some(None);
        let after = if is_gone { READ_LAG } else { RENEWED_EVERY };
        let renewal = own.mark.renewed.plus(after);
        Some(self.begins.map_or(renewal, |begins| begins.min(renewal)))
    }

    /// Records that a person wants it taken over. With this start's mark in place there is nothing to take over.
    pub(crate) fn ask_for(&mut self, by: &Login) {
        let seen = self.seen.as_ref().and_then(|seen| seen.as_ref()?.mark.as_ref());
        let is_own = self.own.is_some() && seen.is_none_or(|mark| mark.start == self.start);
        if !is_own {
            self.take_over = Some(by.clone());
        }
    }

    /// Takes in a read of the reference. A mark of this start may be one whose answer was lost.
    pub(crate) fn read(&mut self, now: Time, seen: Option<&SeenMark>) {
        let before = self.seen.clone().flatten();
        self.seen = Some(seen.cloned());
        let Some(SeenMark { commit, mark: Some(mark) }) = seen else { return };
        let is_known = self.own.as_ref().is_some_and(|own| own.mark.number >= mark.number);
        if mark.start == self.start && !is_known {
            let (commit, mark) = (commit.clone(), mark.clone());
            self.written(now, &OwnMark { commit, mark, over: before });
        }
    }

    /// Records that our mark is written.
    pub(crate) fn written(&mut self, now: Time, own: &OwnMark) {
        self.number = self.number.max(own.mark.number);
        if own.mark.start != self.start {
            return;
        }
        let is_taken = |over: &&SeenMark| {
            self.take_over.is_some() || over.number_of(&own.mark.store).is_none()
        };
        if let Some(over) = own.over.as_ref().filter(is_taken) {
            let theirs = over.mark.as_ref().unwrap_or(&own.mark);
            self.begins = Some(now.plus(theirs.sees_within.min(GOOD_FOR_MAX.plus(READ_LAG))));
            self.doubt(now, true);
        }
        let commit = own.commit.clone();
        self.seen = Some(Some(SeenMark { commit, mark: Some(own.mark.clone()) }));
        self.own = Some(own.clone());
        self.take_over = None;
    }
}

/// The time for which a read of the mark counts; after it nothing may be done without another read.
#[must_use]
pub fn mark_good_for(poll_interval: Span) -> Span {
    Span(poll_interval.0.saturating_mul(2)).clamp(GOOD_FOR_MIN, GOOD_FOR_MAX)
}

/// True for the same mark, or an earlier one of the same store.
fn is_no_newer(seen: &SeenMark, than: &SeenMark) -> bool {
    let numbers = seen.mark.as_ref().zip(than.mark.as_ref());
    seen.commit == than.commit
        || numbers
            .is_some_and(|(seen, than)| seen.store == than.store && seen.number <= than.number)
}

/// Serialises two levels of absence; JSON has only one.
mod twice {
    use super::SeenMark;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "the signature that serde asks for")]
    pub(super) fn serialize<S: Serializer>(
        seen: &Option<Option<SeenMark>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        seen.as_ref()
            .map(|seen| seen.as_ref().map_or_else(Vec::new, |one| vec![one]))
            .serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Option<SeenMark>>, D::Error> {
        let list: Option<Vec<SeenMark>> = Option::deserialize(deserializer)?;
        Ok(list.map(|list| list.into_iter().next()))
    }
}
