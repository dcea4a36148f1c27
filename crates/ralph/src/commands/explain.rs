//! `ralph explain`: the story of one issue, and what it waits for now.

mod next;

use super::{CommandContext, paint_of_status, says_without_daemon};
use crate::args::Format;
use crate::daemon_status::{DaemonStatus, DegradedKind};
use crate::error::CliError;
use crate::moment::moment;
use crate::screen::{Paint, plain};
use crate::table::Table;
use crate::writer_lock;
use next::next_step;
use ralph_core::ids::IssueKey;
use ralph_core::standing::Standing;
use ralph_core::words;
use ralph_engine::store::{IssueReport, Link, Report};
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    report: &'a Report,
    /// The next step, in words; `None` when there is none.
    next: Option<String>,
}

pub(super) fn run(
    context: &CommandContext<'_>,
    key: &IssueKey,
    format: Format,
) -> Result<(), CliError> {
    let report = context.reader()?.explain(key)?;
    let mut report = report.ok_or_else(|| CommandContext::unknown_issue(key))?;
    if !writer_lock::is_held(&context.home).unwrap_or(false) {
        says_without_daemon(&mut report.issue);
    }
    if format.json {
        let next = next_step(key, &report.issue);
        return context.answer_json(&Document { report: &report, next });
    }
    context.screen.answer(&for_people(context, key, &report))
}

fn for_people(context: &CommandContext<'_>, key: &IssueKey, report: &Report) -> String {
    let name = context.screen.paint(Paint::Bold, &key.to_string());
    let mut text = format!("{name}  {}\n\n", plain(&report.issue.title));
    text.push_str(&context.screen.table(&facts(context, key, report)));
    if !report.chain.is_empty() {
        text.push_str(&format!("\nIt waits for:\n{}", context.screen.table(&chain(&report.chain))));
    }
    if report.story.is_empty() {
        text.push_str("\nNothing has happened to it yet.\n");
        return text;
    }
    let mut story = Table::bare();
    for line in &report.story {
        let evidence = line.evidence.clone().unwrap_or_default();
        story.text_row([
            (line.at.to_string(), Paint::Faint),
            (line.says.clone(), Paint::Plain),
            (evidence, Paint::Faint),
        ]);
    }
    text.push_str(&format!("\nThe story so far:\n{}", context.screen.table(&story)));
    text
}

/// The reason why nothing is started on this machine, if the daemon gives one.
fn no_sandbox(context: &CommandContext<'_>) -> Option<String> {
    let said = DaemonStatus::read(&context.home).ok().flatten()?;
    let found = said.degraded.into_iter().find(|one| one.kind == DegradedKind::Sandbox)?;
    Some(format!("no sandbox: {}", found.why))
}

/// Does it wait for a process to be started?
fn is_held(issue: &IssueReport) -> bool {
    matches!(issue.standing, Some(Standing::InLine | Standing::WaitsForSlot { .. }))
}

/// Each issue is indented under the one that waits for it.
fn chain(links: &[Link]) -> Table {
    let mut table = Table::bare();
    for link in links {
        let indent = "  ".repeat(link.depth);
        let says = if link.is_circle { "again: they wait for each other" } else { &link.says };
        table.row([
            (format!("{indent}{}", link.issue), Paint::Plain),
            (plain(&link.title), Paint::Plain),
            (says.to_owned(), paint_of_status(link.status.as_deref())),
        ]);
    }
    table
}

fn facts(context: &CommandContext<'_>, key: &IssueKey, report: &Report) -> Table {
    let issue = &report.issue;
    let mut table = Table::bare();
    let mut line = |name: &str, text: String, paint| {
        table.text_row([(name.to_owned(), Paint::Faint), (text, paint)]);
    };
    let status = issue.status.as_deref();
    line("status", status.unwrap_or("-").to_owned(), paint_of_status(status));
    line("priority", issue.priority.clone(), Paint::Plain);
    line("run", issue.run.clone().unwrap_or_else(|| "-".to_owned()), Paint::Plain);
    line("now", issue.says.clone(), Paint::Bold);
    line("since", moment(context.now, issue.since), Paint::Plain);
    if let Some(next) = next_step(key, issue) {
        line("next", next, Paint::Plain);
    }
    if let Some(held) = no_sandbox(context).filter(|_| is_held(issue)) {
        line("held", held, Paint::Bad);
    }
    if let Some(used) = words::issue_used(&report.used) {
        line("used", used, Paint::Plain);
    }
    if let Some(forecast) = &report.forecast {
        line("expected", words::forecast(forecast), Paint::Plain);
    }
    table
}
