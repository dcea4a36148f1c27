//! The forecast of an issue's cost, from what the issues of its repository have cost before.

use crate::books::Books;
use crate::role::Role;
use crate::time::Span;
use serde::Serialize;

/// Issues that have to be merged before a forecast is worth anything.
const ISSUES_MIN: usize = 3;

/// The middle, and the value that nine in ten stay below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Range<T> {
    pub median: T,
    pub most: T,
}

/// The expected cost of an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Forecast {
    /// The number of merged issues that it is drawn from.
    pub issues: usize,
    pub turns: Range<u32>,
    pub tokens: Range<u64>,
    /// In millionths of a dollar; `None` if no money is known.
    pub micro_usd: Option<Range<u64>>,
    /// The time in which agents work.
    pub took: Range<Span>,
    /// A single turn of each role.
    pub roles: Vec<RoleForecast>,
}

/// The expected cost of one turn of a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleForecast {
    pub role: Role,
    /// The number of turns that it is drawn from.
    pub turns: usize,
    pub tokens: Range<u64>,
    pub took: Range<Span>,
}

impl Forecast {
    /// The forecast for the next issue; `None` while too few were merged.
    #[must_use]
    pub fn of(books: &Books) -> Option<Self> {
        let issues = books.issues();
        if issues.len() < ISSUES_MIN {
            return None;
        }
        let money = range(issues.iter().map(|issue| issue.amount.micro_usd))?;
        Some(Self {
            issues: issues.len(),
            turns: range(issues.iter().map(|issue| issue.turns))?,
            tokens: range(issues.iter().map(|issue| issue.amount.tokens))?,
            micro_usd: Some(money).filter(|money| money.most > 0),
            took: range(issues.iter().map(|issue| issue.took))?,
            roles: Role::ALL.into_iter().filter_map(|role| of_role(books, role)).collect(),
        })
    }
}

fn of_role(books: &Books, role: Role) -> Option<RoleForecast> {
    let turns = books.role(role)?.recent();
    Some(RoleForecast {
        role,
        turns: turns.len(),
        tokens: range(turns.iter().map(|turn| turn.amount.tokens))?,
        took: range(turns.iter().map(|turn| turn.took))?,
    })
}

fn range<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<Range<T>> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    let last = values.len().checked_sub(1)?;
    Some(Range { median: *values.get(last / 2)?, most: *values.get((last * 9).div_ceil(10))? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::{Amount, IssueCost};

    #[test]
    fn a_forecast_is_the_middle_and_nine_tenths_of_what_was_merged() {
        let mut books = Books::default();
        for tokens in 1..=11 {
            let forecast = Forecast::of(&books);
            assert_eq!(forecast.is_some(), tokens > 3, "with {} issues", tokens - 1);
            let amount = Amount { tokens: tokens * 100, micro_usd: 0 };
            books.merged(IssueCost { turns: 4, amount, took: Span::from_mins(3) });
        }
        let forecast = Forecast::of(&books).unwrap();
        assert_eq!(forecast.tokens, Range { median: 600, most: 1_000 });
        assert_eq!(forecast.turns, Range { median: 4, most: 4 });
        assert_eq!(forecast.micro_usd, None);
    }
}
