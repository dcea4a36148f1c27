//! `ralph usage`: what agents have used, of which limits, and what follows from it.

use super::CommandContext;
use crate::args::{ConfigArguments, Format};
use crate::error::CliError;
use crate::moment::moment;
use crate::screen::Paint;
use crate::table::Table;
use ralph_core::throttle::{Level, Source, WindowUse};
use ralph_core::time::Time;
use ralph_core::words;
use ralph_engine::store::{AccountReport, RepoUsage, UsageReport};

pub(super) fn run(
    context: &CommandContext<'_>,
    config: &ConfigArguments,
    format: Format,
) -> Result<(), CliError> {
    let policy = context.policy(config.config.as_deref())?;
    let report = context.reader()?.usage(&policy, context.now)?;
    if format.json {
        return context.answer_json(&report);
    }
    context.screen.answer(&for_people(context, &report))
}

fn for_people(context: &CommandContext<'_>, report: &UsageReport) -> String {
    let now = context.now;
    let mut accounts = Table::headed(&["account", "window", "used", "limit", "state", "until"]);
    for account in &report.accounts {
        of_account(&mut accounts, now, account);
    }
    let mut text = context.screen.table(&accounts);
    for account in &report.accounts {
        let why = words::throttled(&account.state);
        let hold = account.state.hold.as_ref().map(words::account_hold);
        text.extend(why.into_iter().chain(hold).map(|why| format!("{why}.\n")));
    }
    text.push_str(&format!("\nLast 24 hours: {}{}\n", words::amount(report.day.spent), of(report)));
    text.extend(words::budget_day(&report.day).map(|why| format!("Budget: {why}.\n")));
    if report.repos.is_empty() {
        text.push_str("No turn has ended yet.\n");
        return text;
    }
    let mut repos = Table::headed(&["repository", "role", "tokens", "money"]);
    for repo in &report.repos {
        of_repo(&mut repos, repo);
    }
    text.push_str(&format!("\n{}", context.screen.table(&repos)));
    text
}

/// The budgets that the last day is held against.
fn of(report: &UsageReport) -> String {
    let money = report.day_usd_max.map(words::money);
    let tokens = report.day_tokens_max.map(|max| format!("{} tokens", words::tokens(max)));
    let limits: Vec<_> = money.into_iter().chain(tokens).collect();
    if limits.is_empty() { String::new() } else { format!(" of {}", limits.join(" and ")) }
}

fn of_account(table: &mut Table, now: Time, account: &AccountReport) {
    let name = account.state.account.to_string();
    let day = words::amount(account.day);
    let (state, paint) = level(account.state.level);
    let until = account.state.until.map_or_else(|| "-".to_owned(), |at| moment(now, at));
    table.row([
        (name.clone(), Paint::Bold),
        ("24 hours".to_owned(), Paint::Plain),
        (day, Paint::Plain),
        ("-".to_owned(), Paint::Faint),
        (state.to_owned(), paint),
        (until, Paint::Faint),
    ]);
    for window in &account.state.windows {
        table.row(of_window(now, &name, window));
    }
}

fn of_window(now: Time, account: &str, window: &WindowUse) -> [(String, Paint); 6] {
    let (state, paint) = level(window.level);
    let percent = format!("{}%", window.share_milli / 10);
    let used = match window.source {
        Source::Counted => format!("{percent}, {} tokens", words::tokens(window.used)),
        Source::Reported => format!("{percent}, as reported"),
    };
    let limit = window.limit.map_or_else(|| "-".to_owned(), words::tokens);
    let until = window.until.map_or_else(|| "-".to_owned(), |at| moment(now, at));
    [
        (account.to_owned(), Paint::Faint),
        (window.window.clone(), Paint::Plain),
        (used, Paint::Plain),
        (limit, Paint::Plain),
        (state.to_owned(), paint),
        (until, Paint::Faint),
    ]
}

const fn level(level: Level) -> (&'static str, Paint) {
    match level {
        Level::Free => ("free", Paint::Good),
        Level::Soft => ("soft", Paint::Waiting),
        Level::Hard => ("hard", Paint::Bad),
    }
}

fn of_repo(table: &mut Table, repo: &RepoUsage) {
    let mut row = |role: &str, day: ralph_core::books::Amount, paint| {
        table.row([
            (repo.repo.to_string(), paint),
            (role.to_owned(), Paint::Plain),
            (words::tokens(day.tokens), Paint::Plain),
            (words::money(day.micro_usd), Paint::Plain),
        ]);
    };
    row("all", repo.day, Paint::Bold);
    repo.roles.iter().for_each(|role| row(role.role, role.day, Paint::Faint));
}
