//! The books of a repository: what its turns used, by account, by role and by issue. Points in time are merged as they
//! grow old, so that the books stay small. A merged point counts until its latest part is too old, never for less.

use crate::account::AccountName;
use crate::role::Role;
use crate::time::{Span, Time};
use crate::turn_end::Usage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Points up to this age are merged if they lie in the same piece of time of this length. The oldest age is that of the
/// longest window; older points are dropped.
const MERGED: [(Span, Span); 3] = [
    (Span::from_mins(6 * 60), Span::from_mins(1)),
    (Span::from_mins(8 * 24 * 60), Span::from_mins(60)),
    (LONGEST_WINDOW, Span::from_mins(6 * 60)),
];
/// The longest window that usage is counted in: a month.
pub const LONGEST_WINDOW: Span = Span::from_mins(31 * 24 * 60);
/// A day, by which money is limited and what was spent is shown.
pub const DAY: Span = Span::from_mins(24 * 60);
/// Turns remembered of each role, and issues of a repository: enough for a median and nine tenths.
const REMEMBERED_MAX: usize = 30;

/// Tokens and money, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Amount {
    pub tokens: u64,
    pub micro_usd: u64,
}

impl Amount {
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
        }
    }

    /// What is left after this much was taken.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            micro_usd: self.micro_usd.saturating_sub(other.micro_usd),
        }
    }

    /// Each part as large as in either.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.max(other.tokens),
            micro_usd: self.micro_usd.max(other.micro_usd),
        }
    }
}

impl std::iter::Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Self::plus)
    }
}

/// Amounts over time, the latest last.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Track(Vec<Point>);

/// An amount at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(Time, u64, u64)", into = "(Time, u64, u64)")]
pub struct Point {
    pub at: Time,
    pub amount: Amount,
}

impl From<(Time, u64, u64)> for Point {
    fn from((at, tokens, micro_usd): (Time, u64, u64)) -> Self {
        Self { at, amount: Amount { tokens, micro_usd } }
    }
}

impl From<Point> for (Time, u64, u64) {
    fn from(point: Point) -> Self {
        (point.at, point.amount.tokens, point.amount.micro_usd)
    }
}

impl Track {
    fn add(&mut self, now: Time, amount: Amount, kept: Span) {
        // Everything here came before, even if the clock was set back since.
        self.0.iter_mut().for_each(|point| point.at = point.at.min(now));
        self.0.push(Point { at: now, amount });
        let mut merged: Vec<Point> = Vec::with_capacity(self.0.len());
        for point in self.0.drain(..).filter(|point| now.since(point.at) < kept) {
            match merged.last_mut().filter(|last| are_merged(now, last.at, point.at)) {
                Some(last) => {
                    *last = Point { at: point.at, amount: last.amount.plus(point.amount) };
                }
                None => merged.push(point),
            }
        }
        self.0 = merged;
    }

    /// The sum of everything after this time.
    #[must_use]
    pub fn since(&self, time: Time) -> Amount {
        self.after(time).map(|point| point.amount).sum()
    }

    /// The points after this time, the earliest first.
    pub fn after(&self, time: Time) -> impl Iterator<Item = &Point> {
        self.0.iter().skip_while(move |point| point.at <= time)
    }

    pub(crate) fn latest(&self) -> Option<Time> {
        self.0.last().map(|point| point.at)
    }
}

/// Whether two points are so old that they are kept as one.
fn are_merged(now: Time, earlier: Time, later: Time) -> bool {
    let age = now.since(earlier);
    let piece = MERGED.iter().find(|(up_to, _)| age <= *up_to);
    piece.is_some_and(|(_, piece)| earlier.0 / piece.0 == later.0 / piece.0)
}

/// The cost of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnCost {
    #[serde(flatten)]
    pub amount: Amount,
    pub took: Span,
    /// False if its program told nothing, so that it counts as much as was reserved.
    pub is_told: bool,
}

impl TurnCost {
    /// The cost of a turn by what was told of it, and otherwise by what was reserved for it.
    #[must_use]
    pub fn of(told: Option<Usage>, reserved: Option<Amount>, took: Span) -> Self {
        let reserved = reserved.unwrap_or_default();
        let tokens = told.map_or(reserved.tokens, Usage::tokens);
        let micro_usd = told.and_then(|told| told.micro_usd).unwrap_or(reserved.micro_usd);
        Self { amount: Amount { tokens, micro_usd }, took, is_told: told.is_some() }
    }
}

/// The turns of one role.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RoleBook {
    day: Track,
    /// The latest turns, the last one last.
    recent: Vec<TurnCost>,
}

impl RoleBook {
    #[must_use]
    pub fn recent(&self) -> &[TurnCost] {
        &self.recent
    }

    /// The largest turn, in each part by itself, as far as turns are remembered.
    #[must_use]
    pub fn largest(&self) -> Option<Amount> {
        let told = self.recent.iter().filter(|turn| turn.is_told);
        told.map(|turn| turn.amount).reduce(Amount::max)
    }
}

/// The cost of an issue up to its merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct IssueCost {
    pub turns: u32,
    #[serde(flatten)]
    pub amount: Amount,
    /// The time in which agents worked on it.
    pub took: Span,
}

/// The books of one repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Books {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    accounts: BTreeMap<AccountName, Track>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    roles: BTreeMap<Role, RoleBook>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    issues: Vec<IssueCost>,
}

impl Books {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.accounts.is_empty() && self.roles.is_empty() && self.issues.is_empty()
    }

    /// Counts a part of what a turn uses.
    pub(crate) fn count(
        &mut self,
        now: Time,
        (account, role): (&AccountName, Role),
        amount: Amount,
    ) {
        self.accounts.entry(account.clone()).or_default().add(now, amount, LONGEST_WINDOW);
        self.roles.entry(role).or_default().day.add(now, amount, DAY);
    }

    /// Remembers a turn that is over.
    pub(crate) fn remember(&mut self, role: Role, cost: TurnCost) {
        remember(&mut self.roles.entry(role).or_default().recent, cost);
    }

    /// Remembers an issue that was merged.
    pub(crate) fn merged(&mut self, cost: IssueCost) {
        remember(&mut self.issues, cost);
    }

    #[must_use]
    pub fn account(&self, name: &AccountName) -> Option<&Track> {
        self.accounts.get(name)
    }

    pub fn accounts(&self) -> impl Iterator<Item = (&AccountName, &Track)> {
        self.accounts.iter()
    }

    #[must_use]
    pub fn role(&self, role: Role) -> Option<&RoleBook> {
        self.roles.get(&role)
    }

    /// The issues that were merged last, the latest last.
    #[must_use]
    pub fn issues(&self) -> &[IssueCost] {
        &self.issues
    }

    /// Each role's sum of the last day.
    pub fn day(&self, now: Time) -> impl Iterator<Item = (Role, Amount)> {
        let since = now.minus(DAY);
        self.roles.iter().map(move |(role, book)| (*role, book.day.since(since)))
    }

    /// The time of the last turn.
    pub(crate) fn latest(&self) -> Option<Time> {
        self.accounts.values().filter_map(Track::latest).max()
    }
}

fn remember<T>(list: &mut Vec<T>, one: T) {
    list.push(one);
    let more = list.len().saturating_sub(REMEMBERED_MAX);
    list.drain(..more);
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_767_603_600_000);

    fn tokens(tokens: u64) -> Amount {
        Amount { tokens, micro_usd: 0 }
    }

    #[test]
    fn weeks_of_turns_every_minute_leaves_small_books_that_never_count_too_little() {
        let (mut track, minutes) = (Track::default(), 40 * 24 * 60);
        for minute in 0..minutes {
            track.add(NOW.plus(Span::from_mins(minute)), tokens(1), LONGEST_WINDOW);
        }
        assert!(track.0.len() < 660, "{}", track.0.len());
        let last = NOW.plus(Span::from_mins(minutes - 1));
        for (window, most) in [(5 * 60, 1), (24 * 60, 61), (7 * 24 * 60, 61)] {
            let counted = track.since(last.minus(Span::from_mins(window))).tokens;
            let exact = u64::try_from(window).unwrap();
            assert!((exact..=exact + most).contains(&counted), "{window}: {counted}");
        }
    }

    #[test]
    fn a_clock_that_was_set_back_leaves_nothing_in_the_future() {
        let mut track = Track::default();
        track.add(NOW.plus(DAY), tokens(1), LONGEST_WINDOW);
        track.add(NOW, tokens(2), LONGEST_WINDOW);
        assert_eq!(track.since(NOW), tokens(0));
        assert_eq!(track.since(NOW.minus(DAY)), tokens(3));
    }

    #[test]
    fn books_are_read_as_they_were_written() {
        let mut books = Books::default();
        let cost = TurnCost::of(Usage::total(7), None, Span::from_secs(3));
        let (account, role) = (AccountName::default(), Role::Plan);
        books.count(NOW, (&account, role), cost.amount);
        books.remember(role, cost);
        books.merged(IssueCost { turns: 1, amount: tokens(7), took: Span::from_secs(3) });
        let text = serde_json::to_string(&books).unwrap();
        assert_eq!(serde_json::from_str::<Books>(&text).unwrap(), books);
        assert_eq!(books.role(role).and_then(RoleBook::largest), Some(tokens(7)));
    }

    #[test]
    fn a_turn_of_which_nothing_was_told_costs_what_was_reserved() {
        let reserved = Some(Amount { tokens: 100, micro_usd: 9 });
        let cost = |told| TurnCost::of(told, reserved, Span::ZERO).amount;
        assert_eq!(cost(None), Amount { tokens: 100, micro_usd: 9 });
        assert_eq!(cost(Usage::total(5)), Amount { tokens: 5, micro_usd: 9 });
    }
}
