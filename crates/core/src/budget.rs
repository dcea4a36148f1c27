//! Budgets of tokens and money: what an issue may use, what a day may cost, and the part that is reserved before a turn.

use crate::books::{Amount, Books, DAY, Point, RoleBook, TurnCost};
use crate::repo::Repo;
use crate::role::Role;
use crate::throttle::Level;
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The operator's budgets. What is not set has no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub issue: Limits,
    /// For all repositories together, in any 24 hours.
    pub day: Limits,
    /// The amount that is reserved for a turn of a role that has taken none yet.
    pub first_turn: Amount,
}

/// Limits of tokens and of money, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    pub tokens: Option<u64>,
    pub micro_usd: Option<u64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            issue: Limits::default(),
            day: Limits::default(),
            // A middling turn of a strong model.
            first_turn: Amount { tokens: 200_000, micro_usd: 1_000_000 },
        }
    }
}

impl Limits {
    #[must_use]
    pub const fn is_set(self) -> bool {
        self.tokens.is_some() || self.micro_usd.is_some()
    }

    /// The limit that this amount is above, if it is above one.
    #[must_use]
    pub fn exceeded_by(self, amount: Amount) -> Option<Exceeded> {
        let of = |limit: Option<u64>, amount: u64| limit.filter(|limit| amount > *limit);
        let money = of(self.micro_usd, amount.micro_usd).map(|limit| Exceeded::MicroUsd { limit });
        money.or_else(|| of(self.tokens, amount.tokens).map(|limit| Exceeded::Tokens { limit }))
    }
}

/// The limit that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exceeded {
    Tokens { limit: u64 },
    MicroUsd { limit: u64 },
}

impl Budget {
    #[must_use]
    pub const fn is_set(&self) -> bool {
        self.issue.is_set() || self.day.is_set()
    }

    /// The amount that is reserved for a turn: the largest of its role in this repository so far.
    #[must_use]
    pub fn reserve(&self, books: &Books, role: Role) -> Amount {
        books.role(role).and_then(RoleBook::largest).unwrap_or(self.first_turn)
    }

    /// The day's budget as it is used now.
    #[must_use]
    pub fn day<'a>(
        &self,
        repos: impl Iterator<Item = &'a Repo>,
        reserved: Amount,
        now: Time,
    ) -> DayUse {
        let since = now.minus(DAY);
        let tracks = repos.flat_map(|repo| repo.books.accounts().map(|(_, track)| track));
        let mut points: Vec<Point> = tracks.flat_map(|track| track.after(since)).copied().collect();
        points.sort_by_key(|point| point.at);
        let spent: Amount = points.iter().map(|point| point.amount).sum();
        let exceeded = self.day.exceeded_by(spent.plus(reserved));
        DayUse {
            spent,
            reserved,
            level: if exceeded.is_some() { Level::Soft } else { Level::Free },
            exceeded,
            until: self.within_again(&points, spent),
        }
    }

    /// The time at which enough of the day is over; `None` if nothing is exceeded by what was spent.
    fn within_again(&self, points: &[Point], spent: Amount) -> Option<Time> {
        self.day.exceeded_by(spent)?;
        let mut left = spent;
        let over = points.iter().find(|point| {
            left = left.minus(point.amount);
            self.day.exceeded_by(left).is_none()
        });
        over.map(|point| point.at.plus(DAY))
    }
}

/// The use of the day's budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DayUse {
    pub spent: Amount,
    /// For turns under way.
    pub reserved: Amount,
    pub level: Level,
    pub exceeded: Option<Exceeded>,
    /// The time at which enough of what was spent is a day old.
    pub until: Option<Time>,
}

/// The turns of one role and their cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RoleUse {
    pub turns: u32,
    #[serde(flatten)]
    pub amount: Amount,
    pub took: Span,
}

/// What the turns of an issue have used.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct IssueUse {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<Role, RoleUse>,
    /// The part that was used before the issue was last claimed. A person has asked for more since.
    #[serde(default)]
    pub granted: Amount,
}

impl IssueUse {
    pub(crate) fn add(&mut self, role: Role, cost: &TurnCost) {
        let of = self.roles.entry(role).or_default();
        of.turns = of.turns.saturating_add(1);
        of.amount = of.amount.plus(cost.amount);
        of.took = of.took.plus(cost.took);
    }

    /// Turns, cost and working time of all roles.
    #[must_use]
    pub fn total(&self) -> (u32, Amount, Span) {
        self.roles.values().fold((0, Amount::default(), Span::ZERO), |(turns, sum, took), of| {
            (turns.saturating_add(of.turns), sum.plus(of.amount), took.plus(of.took))
        })
    }

    /// Begins a new budget: a person asked for the issue again.
    pub(crate) fn grant(&mut self) {
        self.granted = self.total().1;
    }

    /// What was used of the present budget.
    #[must_use]
    pub fn of_budget(&self) -> Amount {
        self.total().1.minus(self.granted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_767_603_600_000);

    #[test]
    fn the_day_is_within_its_budget_again_once_enough_of_it_is_a_day_old() {
        let budget =
            Budget { day: Limits { tokens: Some(100), micro_usd: None }, ..Budget::default() };
        let at = |minutes: i64, tokens: u64| Point {
            at: NOW.plus(Span::from_mins(minutes)),
            amount: Amount { tokens, micro_usd: 0 },
        };
        let points = [at(0, 10), at(60, 30), at(120, 90)];
        let until = budget.within_again(&points, Amount { tokens: 130, micro_usd: 0 });
        assert_eq!(until, Some(NOW.plus(Span::from_mins(60)).plus(DAY)));
        assert_eq!(budget.within_again(&points[..2], Amount { tokens: 40, micro_usd: 0 }), None);
    }

    #[test]
    fn money_is_looked_at_before_tokens() {
        let limits = Limits { tokens: Some(1), micro_usd: Some(1) };
        let both = Amount { tokens: 2, micro_usd: 2 };
        assert_eq!(limits.exceeded_by(both), Some(Exceeded::MicroUsd { limit: 1 }));
        assert_eq!(limits.exceeded_by(Amount { tokens: 1, micro_usd: 1 }), None);
    }
}
