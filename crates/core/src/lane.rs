//! Recovery lanes: the failure, the repair attempts so far, and the end of trying. An attempt in a dedicated run is a
//! run with another recipe; the record of attempts outlives the runs.

use crate::bound::Bound;
use crate::ids::{RunId, Sha};
use crate::recipe::Recipe;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Attempts of one lane since a person last queued the issue, whatever they repaired: a failure that keeps coming back
/// is for a person to look at. An operator who allows many attempts at one failure allows more in total.
pub const ATTEMPTS_IN_ALL: u32 = 20;
const ATTEMPTS_IN_ALL_PER_LIMIT: u32 = 4;

/// Checks or files kept of one failure; the rest are only counted.
pub const FINDINGS_MAX: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// Makes red required checks green.
    CiDebug,
    /// Resolves a conflict with the bot branch.
    MergeConflict,
}

impl Lane {
    pub const ALL: [Self; 2] = [Self::CiDebug, Self::MergeConflict];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CiDebug => "CI-debug",
            Self::MergeConflict => "merge-conflict",
        }
    }

    /// The bound on its attempts.
    #[must_use]
    pub const fn bound(self) -> Bound {
        match self {
            Self::CiDebug => Bound::CI_DEBUG,
            Self::MergeConflict => Bound::MERGE_CONFLICT,
        }
    }

    #[must_use]
    pub const fn recipe(self) -> Recipe {
        match self {
            Self::CiDebug => Recipe::CiDebug,
            Self::MergeConflict => Recipe::MergeConflict,
        }
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The failure that brought a run into a lane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trigger {
    pub head: Sha,
    /// The commit that the branch was last brought up to.
    pub base: Option<Sha>,
    /// The signature by which the same failure is recognised.
    pub signature: String,
    /// Failing checks or conflicting files, the first [`FINDINGS_MAX`] of them.
    pub found: Vec<Finding>,
    /// The number of all of them.
    pub count: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub name: String,
    /// The address where a person can look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A repair attempt that begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub lane: Lane,
    pub how: How,
    pub trigger: Trigger,
    /// The instructions for the repairing turn.
    pub told: String,
}

/// The way a repair is attempted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// In the run that made the change: its session, its worktree.
    Resume,
    /// In a dedicated run, with a fresh worktree and session.
    Spawn,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneAttempt {
    pub run: RunId,
    pub at: Time,
    pub how: How,
    /// The failure that it is to repair, which is also the result of the attempt before it.
    #[serde(flatten)]
    pub trigger: Trigger,
    /// It repaired its failure: whatever breaks later is another failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_green: bool,
}

/// The reason why a lane stops trying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneEnd {
    /// It has used up its attempts at this failure.
    Attempts,
    /// Two attempts in a row ended with the same failure.
    Repeats,
    /// It has used up its attempts in total, including repairs that held for a while.
    Total,
}

/// The attempts of one lane since a person last queued the issue, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LaneBook {
    pub attempts: Vec<LaneAttempt>,
}

impl LaneBook {
    /// Returns the end of the lane, if its last attempt ended with this failure and no other may follow.
    #[must_use]
    pub fn ends_with(&self, signature: &str, limit: u32) -> Option<LaneEnd> {
        let in_vain = self.in_vain();
        let last = self.attempts.last().filter(|_| in_vain >= 2);
        if last.is_some_and(|last| last.trigger.signature == signature) {
            return Some(LaneEnd::Repeats);
        }
        if in_vain >= limit {
            return Some(LaneEnd::Attempts);
        }
        let in_all = u32::try_from(self.attempts.len()).unwrap_or(u32::MAX);
        (in_all >= in_all_max(limit)).then_some(LaneEnd::Total)
    }

    /// Returns the number of attempts since something was last repaired.
    #[must_use]
    pub fn in_vain(&self) -> u32 {
        let attempts = self.attempts.iter().rev().take_while(|attempt| !attempt.is_green);
        u32::try_from(attempts.count()).unwrap_or(u32::MAX)
    }

    /// True if the last attempt repaired its failure.
    #[must_use]
    pub fn is_repaired(&self) -> bool {
        self.attempts.last().is_some_and(|last| last.is_green)
    }
}

/// Returns the limit of all attempts of a lane that allows this many at one failure.
#[must_use]
pub fn in_all_max(limit: u32) -> u32 {
    limit.saturating_mul(ATTEMPTS_IN_ALL_PER_LIMIT).max(ATTEMPTS_IN_ALL)
}

/// The attempts of an issue, by lane. Only `queue` clears them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lanes(BTreeMap<Lane, LaneBook>);

impl Lanes {
    /// Records that the last attempt of this lane succeeded.
    pub(crate) fn note_green(&mut self, lane: Lane) {
        let last = self.0.get_mut(&lane).and_then(|book| book.attempts.last_mut());
        last.into_iter().for_each(|last| last.is_green = true);
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (Lane, &LaneBook)> {
        self.0.iter().map(|(lane, book)| (*lane, book))
    }

    #[must_use]
    pub fn book(&self, lane: Lane) -> Option<&LaneBook> {
        self.0.get(&lane)
    }

    #[must_use]
    pub fn attempts(&self, lane: Lane) -> &[LaneAttempt] {
        self.book(lane).map_or(&[], |book| &book.attempts)
    }

    /// Returns the attempt that this run makes: the latest of a lane, if it is this run's.
    #[must_use]
    pub fn under_way(&self, run: RunId) -> Option<(Lane, &LaneAttempt)> {
        let last = self.iter().filter_map(|(lane, book)| Some((lane, book.attempts.last()?)));
        last.filter(|(_, attempt)| attempt.run == run).max_by_key(|(_, attempt)| attempt.at)
    }

    pub(crate) fn enter(&mut self, lane: Lane, attempt: LaneAttempt) {
        self.0.entry(lane).or_default().attempts.push(attempt);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(signatures: &[&str]) -> LaneBook {
        let attempt = |(number, signature): (u32, &&str)| LaneAttempt {
            is_green: false,
            run: RunId { issue: 7, run: number },
            at: Time(0),
            how: How::Spawn,
            trigger: Trigger {
                head: Sha::new("a"),
                base: None,
                signature: (*signature).to_owned(),
                found: Vec::new(),
                count: 0,
            },
        };
        LaneBook { attempts: (1..).zip(signatures).map(attempt).collect() }
    }

    #[test]
    fn what_was_repaired_does_not_count_against_what_breaks_later() {
        let mut book = book(&["x", "y"]);
        assert_eq!((book.in_vain(), book.is_repaired()), (2, false));
        book.attempts.last_mut().unwrap().is_green = true;
        assert_eq!((book.in_vain(), book.is_repaired()), (0, true));
        assert_eq!(book.ends_with("y", 2), None, "repaired, so this is another one");
        let mut all = self::book(&["x"; 20]);
        all.attempts.iter_mut().for_each(|attempt| attempt.is_green = true);
        assert_eq!(all.ends_with("y", 2), Some(LaneEnd::Total));
    }

    #[test]
    fn a_lane_ends_at_its_bound_or_when_two_attempts_in_a_row_end_alike() {
        for (begun_with, ended_with, end) in [
            (&[][..], "x", None),
            (&["x"], "x", None),
            (&["x"], "y", None),
            (&["x", "y"], "y", Some(LaneEnd::Repeats)),
            (&["x", "y"], "x", None),
            (&["x", "y"], "z", None),
            (&["x", "y", "z"], "w", Some(LaneEnd::Attempts)),
        ] {
            assert_eq!(book(begun_with).ends_with(ended_with, 3), end, "{begun_with:?}");
        }
        assert_eq!(book(&["x"]).ends_with("x", 1), Some(LaneEnd::Attempts));
    }
}
