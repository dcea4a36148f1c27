//! `ralph status`: every managed issue with its verdict, the effects that wait, and whether somebody writes.

use super::{Scene, paint_of_status};
use crate::args::Format;
use crate::error::CliError;
use crate::moment::moment;
use crate::screen::Paint;
use crate::table::Table;
use ralph_core::time::Time;
use ralph_engine::store::{InboxReport, IssueReport, OutboxReport, StatusReport};

/// Longest title in the table; the verdict beside it is never cut.
const TITLE_CHARS_MAX: usize = 36;

pub(super) fn run(scene: &Scene<'_>, format: Format) -> Result<(), CliError> {
    let report = scene.reader()?.status()?;
    if format.json {
        let document = serde_json::to_value(&report).map_err(CliError::NotJson)?;
        return scene.answer_json(&document);
    }
    let mut text = issues(scene, &report);
    text.push_str(&inbox(scene.now, &report.inbox));
    text.push_str(&outbox(scene, &report.outbox));
    text.push_str(&writer(scene.now, report.writer_until));
    scene.screen.answer(&text)
}

fn issues(scene: &Scene<'_>, report: &StatusReport) -> String {
    if report.issues.is_empty() {
        return "No issue is managed yet.\n".to_owned();
    }
    let mut table =
        Table::headed(&["issue", "status", "priority", "since", "title", "where it stands"]);
    for issue in &report.issues {
        table.row(row(scene.now, issue));
    }
    let counts = report.by_status.iter().map(|(status, count)| format!("{count} {status}"));
    let counts: Vec<_> = counts.collect();
    let total = match report.issues.len() {
        1 => "1 issue".to_owned(),
        many => format!("{many} issues"),
    };
    format!("{}\n{total}: {}\n", scene.screen.table(&table), counts.join(", "))
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

/// Nothing at all while nothing waits: it is the ordinary case.
fn inbox(now: Time, posted: &[InboxReport]) -> String {
    let line = |posted: &InboxReport| {
        let InboxReport { issue, command, at } = posted;
        format!("Waits for a daemon: {command} {issue}, given {}\n", moment(now, *at))
    };
    posted.iter().map(line).collect()
}

fn outbox(scene: &Scene<'_>, rows: &[OutboxReport]) -> String {
    if rows.is_empty() {
        return "The outbox is empty.\n".to_owned();
    }
    let mut table = Table::headed(&["effect", "state", "tries", "due", "put back because"]);
    for row in rows {
        table.row([
            (row.key.clone(), Paint::Plain),
            (row.state.clone(), Paint::Plain),
            (row.tries.to_string(), Paint::Plain),
            (moment(scene.now, row.due), Paint::Faint),
            (row.reason.clone(), Paint::Plain),
        ]);
    }
    format!("\nIn the outbox:\n{}\n", scene.screen.table(&table))
}

/// A lease is renewed by writing, so one that ran out means that nobody has written for a while.
fn writer(now: Time, until: Option<Time>) -> String {
    match until {
        None => "Nobody has written to this store yet.\n".to_owned(),
        Some(until) if until > now => {
            format!("A writer holds this store; its lease ends {}.\n", moment(now, until))
        }
        Some(until) => {
            format!("No writer holds this store; the last lease ended {}.\n", moment(now, until))
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
