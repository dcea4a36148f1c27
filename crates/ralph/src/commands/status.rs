//! `ralph status`: every managed issue with what it waits for, the effects that wait, and what the daemon says
//! of itself.

mod daemon;

use super::{CommandContext, paint_of_status, says_without_daemon};
use crate::args::Format;
use crate::error::CliError;
use crate::moment::moment;
use crate::screen::{Paint, plain};
use crate::table::Table;
use daemon::{Daemon, Worker};
use ralph_core::time::Time;
use ralph_core::words;
use ralph_engine::store::{Drain, InboxReport, IssueReport, OutboxReport, Outcome, StatusReport};
use serde::Serialize;

/// Longest title in the table; the verdict beside it is never cut.
const TITLE_CHARS_MAX: usize = 36;
/// Issues that have come to their end, shown for each way to end: more of them say nothing new.
const ENDED_SHOWN_MAX: usize = 20;
/// Refused commands shown of the last day.
const REFUSED_SHOWN_MAX: usize = 10;
/// Effects shown; more of them wait for the same thing.
const OUTBOX_SHOWN_MAX: usize = 30;

/// Issues that need a person first, closed ones last.
const ORDER: [&str; 7] =
    ["escalated", "in-progress", "queued", "paused", "in-bot", "stopped", "done"];

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    report: &'a StatusReport,
    #[serde(flatten)]
    daemon: &'a Daemon,
}

pub(super) fn run(context: &CommandContext<'_>, format: Format) -> Result<(), CliError> {
    let mut report = context.reader()?.status()?;
    let daemon = Daemon::look(&context.home, &report, context.now);
    if !daemon.is_running() {
        report.issues.iter_mut().for_each(says_without_daemon);
    }
    if format.json {
        return context.answer_json(&Document { report: &report, daemon: &daemon });
    }
    let mut text = issues(context, &report);
    text.extend(report.repos.iter().map(|repo| format!("{}: {}\n", repo.repo, repo.says)));
    text.push_str(&drain(context.now, report.draining.as_ref()));
    if let Some(outage) = &report.outage {
        text.push_str(&format!("Agents: {}.\n", words::outage(outage)));
    }
    text.extend(
        report.held_accounts.iter().map(|hold| format!("Agents: {}.\n", words::account_hold(hold))),
    );
    text.extend(report.refused.iter().take(REFUSED_SHOWN_MAX).map(|it| refused(context.now, it)));
    text.push_str(&inbox(context.now, &report.inbox, daemon.is_running()));
    text.push_str(&outbox(context, &report.outbox));
    text.push_str(&workers(&daemon));
    text.push_str(&daemon.for_people(context.now));
    if daemon.is_unknown() {
        text.push_str(&writer(context.now, report.writer_until));
    }
    context.screen.answer(&text)
}

fn issues(context: &CommandContext<'_>, report: &StatusReport) -> String {
    if report.issues.is_empty() {
        return "No issue is managed yet.\n".to_owned();
    }
    let mut table =
        Table::headed(&["issue", "status", "priority", "since", "title", "where it stands"]);
    let mut left_out = 0;
    for (place, status) in ORDER.into_iter().map(Some).chain([None]).enumerate() {
        let shown_max = if place + 2 < ORDER.len() { usize::MAX } else { ENDED_SHOWN_MAX };
        let mut of_status: Vec<_> =
            report.issues.iter().filter(|issue| issue.status.as_deref() == status).collect();
        if of_status.len() > shown_max {
            of_status.sort_by_key(|issue| std::cmp::Reverse(issue.since));
            left_out += of_status.len() - shown_max;
            of_status.truncate(shown_max);
        }
        for issue in of_status {
            table.row(row(context.now, issue));
        }
    }
    let counts = report.by_status.iter().map(|(status, count)| format!("{count} {status}"));
    let counts: Vec<_> = counts.collect();
    let total = match report.issues.len() {
        1 => "1 issue".to_owned(),
        many => format!("{many} issues"),
    };
    let more = match left_out {
        0 => String::new(),
        many => format!("{many} more that have ended are in `ralph status --json`.\n"),
    };
    let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    format!("{}\n{more}{total}{counts}\n", context.screen.table(&table))
}

fn row(now: Time, issue: &IssueReport) -> [(String, Paint); 6] {
    let status = issue.status.as_deref();
    [
        (format!("{}#{}", issue.repo, issue.number), Paint::Bold),
        (status.unwrap_or("-").to_owned(), paint_of_status(status)),
        (issue.priority.clone(), Paint::Plain),
        (moment(now, issue.since), Paint::Faint),
        (shortened(&issue.title), Paint::Plain),
        (issue.says.clone(), Paint::Plain),
    ]
}

fn shortened(title: &str) -> String {
    if title.chars().count() <= TITLE_CHARS_MAX {
        return title.to_owned();
    }
    let kept: String = title.chars().take(TITLE_CHARS_MAX - 1).collect();
    format!("{}…", kept.trim_end())
}

fn drain(now: Time, drain: Option<&Drain>) -> String {
    drain.map_or_else(String::new, |drain| {
        let (by, since) = (&drain.by, moment(now, drain.since));
        format!(
            "Draining: nothing new is started, as {by} asked {since}. `ralph resume` ends it.\n"
        )
    })
}

fn refused(now: Time, outcome: &Outcome) -> String {
    let Outcome { issue, command, at, refused, .. } = outcome;
    let why = plain(refused.as_deref().unwrap_or_default());
    format!("Refused: {command} {issue}, {}: {why}\n", moment(now, *at))
}

/// Nothing at all while nothing waits: it is the ordinary case.
fn inbox(now: Time, posted: &[InboxReport], is_running: bool) -> String {
    let line = |posted: &InboxReport| {
        let InboxReport { issue, command, at } = posted;
        let given = moment(now, *at);
        if is_running {
            // A daemon that runs takes everything but what it can do nothing about for now.
            format!("Waits until its repository can be used: {command} {issue}, given {given}\n")
        } else {
            format!("Waits for a daemon: {command} {issue}, given {given}\n")
        }
    };
    posted.iter().map(line).collect()
}

fn outbox(context: &CommandContext<'_>, rows: &[OutboxReport]) -> String {
    if rows.is_empty() {
        return "The outbox is empty.\n".to_owned();
    }
    let mut table = Table::headed(&["effect", "state", "tries", "due", "put back because"]);
    for row in rows.iter().take(OUTBOX_SHOWN_MAX) {
        table.row([
            (row.key.clone(), Paint::Plain),
            (row.state.clone(), Paint::Plain),
            (row.tries.to_string(), Paint::Plain),
            (moment(context.now, row.due), Paint::Faint),
            (row.reason.clone(), Paint::Plain),
        ]);
    }
    let more = match rows.len().saturating_sub(OUTBOX_SHOWN_MAX) {
        0 => String::new(),
        many => format!("{many} more are in `ralph status --json`.\n"),
    };
    format!("\nIn the outbox:\n{}{more}\n", context.screen.table(&table))
}

fn workers(daemon: &Daemon) -> String {
    let line = |worker: &Worker| {
        let Worker { issue, step, state, until } = worker;
        let until = until.map_or_else(String::new, |until| format!(", until {until} at most"));
        format!("At work: {issue} {step}, {state}{until}\n")
    };
    daemon.workers.running.iter().map(line).collect()
}

/// A lease is renewed by writing, so one that ran out means that there was no write for a while.
fn writer(now: Time, until: Option<Time>) -> String {
    match until {
        None => "No daemon runs, and none has ever written to this store.\n".to_owned(),
        Some(until) if until > now => {
            format!("A writer holds this store; its lease ends {}.\n", moment(now, until))
        }
        Some(until) => {
            format!("No daemon runs; the last writer's lease ended {}.\n", moment(now, until))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_cut_between_letters() {
        assert_eq!(shortened("short"), "short");
        let cut = shortened(&"ä".repeat(50));
        assert_eq!(cut, format!("{}…", "ä".repeat(35)));
    }
}
