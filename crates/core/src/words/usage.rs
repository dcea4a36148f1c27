//! Sentences about what turns use: windows of accounts, budgets, forecasts.

use super::line;
use crate::books::Amount;
use crate::budget::{DayUse, Exceeded, IssueUse};
use crate::forecast::{Forecast, Range};
use crate::role::Role;
use crate::throttle::{AccountUse, Level, Source, WindowUse};

/// Tokens as people say them: 950, 12.3k, 4.5M.
#[must_use]
pub fn tokens(count: u64) -> String {
    let tenths = |unit: u64| count.saturating_mul(10) / unit;
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}.{}k", tenths(1_000) / 10, tenths(1_000) % 10),
        _ => format!("{}.{}M", tenths(1_000_000) / 10, tenths(1_000_000) % 10),
    }
}

/// Money, from millionths of a dollar.
#[must_use]
pub fn money(micro_usd: u64) -> String {
    let cents = micro_usd.div_ceil(10_000);
    format!("${}.{:02}", cents / 100, cents % 100)
}

/// Tokens, and money if there is any.
#[must_use]
pub fn amount(amount: Amount) -> String {
    match amount.micro_usd {
        0 => format!("{} tokens", tokens(amount.tokens)),
        usd => format!("{} tokens, {}", tokens(amount.tokens), money(usd)),
    }
}

/// The reason why less or nothing is started with an account; `None` if it is free, or held for failures that have their
/// own sentence.
#[must_use]
pub fn throttled(of: &AccountUse) -> Option<String> {
    let level = of.window_level();
    let effect = match level {
        Level::Free => return None,
        Level::Soft => "nothing new is claimed",
        Level::Hard => "no turn is started with it",
    };
    let windows = of.windows.iter().filter(|window| window.level == level).map(window);
    let windows: Vec<_> = windows.collect();
    Some(format!("account {}: {}; {effect}", of.account, windows.join("; ")))
}

fn window(of: &WindowUse) -> String {
    let WindowUse { window, source, used, limit, share_milli, until, probe_at, .. } = of;
    let source = match (source, limit) {
        (Source::Counted, Some(limit)) => {
            format!("{} of {} tokens, counted by Ralph", tokens(*used), tokens(*limit))
        }
        (Source::Counted, None) => "counted by Ralph".to_owned(),
        (Source::Reported, _) => "as its program reports".to_owned(),
    };
    let until = until.map_or_else(String::new, |until| format!(" until {until} at the latest"));
    let probe = probe_at.map_or_else(String::new, |at| format!(", one turn is tried at {at}"));
    format!("{}% of its {window} window is used ({source}){until}{probe}", share_milli / 10)
}

/// The reason why nothing new is claimed because of the day's budget; `None` if something is left of it.
#[must_use]
pub fn budget_day(day: &DayUse) -> Option<String> {
    let limit = limit(day.exceeded?);
    let spent = amount(day.spent);
    let until = day.until.map_or_else(
        || "until turns under way have used less than was reserved for them".to_owned(),
        |until| format!("until {until}"),
    );
    Some(format!(
        "the budget of {limit} a day is used up ({spent} in the last 24 hours); nothing new is claimed {until}"
    ))
}

fn limit(exceeded: Exceeded) -> String {
    match exceeded {
        Exceeded::Tokens { limit } => format!("{} tokens", tokens(limit)),
        Exceeded::MicroUsd { limit } => money(limit),
    }
}

pub(super) fn budget_spent(exceeded: Exceeded) -> String {
    format!("The budget of this issue, {}, has no room for another turn.", limit(exceeded))
}

/// What was spent on what, for the escalation.
pub(super) fn spent_on(used: &IssueUse, reserved: Amount) -> String {
    let mut text = "\n| role | turns | tokens | money |\n|---|---|---|---|\n".to_owned();
    for (role, of) in &used.roles {
        let (tokens, money) = (tokens(of.amount.tokens), money(of.amount.micro_usd));
        line(&mut text, format_args!("| {} | {} | {tokens} | {money} |\n", role.name(), of.turns));
    }
    let (turns, total, took) = used.total();
    line(
        &mut text,
        format_args!(
            "\nIn all {turns} turns, {} and {took} of work. The next turn may use {}, the most that a turn of its role \
             used so far or the default.\n",
            amount(total),
            amount(reserved)
        ),
    );
    if used.granted != Amount::default() {
        let granted = amount(used.granted);
        line(&mut text, format_args!("{granted} of it were used before it was last asked for.\n"));
    }
    text
}

/// What the turns of an issue have used; `None` before anything was told.
#[must_use]
pub fn issue_used(used: &IssueUse) -> Option<String> {
    let (turns, total, took) = used.total();
    (total != Amount::default())
        .then(|| format!("{turns} turns, {}, {took} of work", amount(total)))
}

/// What an issue will cost by the settings alone: turns of these roles, each of this size, with their money if the prices of
/// all of them are known.
#[must_use]
pub fn expected_cost(roles: &[Role], turn_tokens: u64, micro_usd: Option<u64>) -> String {
    let names: Vec<_> = roles.iter().map(|role| role.name()).collect();
    let turns = roles.len();
    let all = tokens(turn_tokens.saturating_mul(u64::try_from(turns).unwrap_or(u64::MAX)));
    let money = micro_usd.map_or_else(
        || "What that costs is not known; `[prices.<model>]` tells it.".to_owned(),
        |usd| format!("That is about {}.", money(usd)),
    );
    format!(
        "An issue takes {turns} turns if none is repeated ({}), about {all} tokens. {money} `[budget]` limits it, and `ralph \
         usage` shows what is used.",
        names.join(", ")
    )
}

/// The expected cost of an issue as one line.
#[must_use]
pub fn forecast(of: &Forecast) -> String {
    let Range { median, most } = of.turns;
    let tokens = format!("{} tokens (90 %: {})", tokens(of.tokens.median), tokens(of.tokens.most));
    let money = of.micro_usd.map_or_else(String::new, |usd| {
        format!(", {} (90 %: {})", money(usd.median), money(usd.most))
    });
    let took = format!("{} of work (90 %: {})", of.took.median, of.took.most);
    format!("{median} turns (90 %: {most}), {tokens}{money}, {took}; from {} issues", of.issues)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_money_is_never_rounded_down() {
        assert_eq!(
            [0, 999, 1_000, 12_345, 4_560_000].map(tokens),
            ["0", "999", "1.0k", "12.3k", "4.5M"]
        );
        assert_eq!([0, 1, 9_999, 1_500_000].map(money), ["$0.00", "$0.01", "$0.01", "$1.50"]);
    }
}
