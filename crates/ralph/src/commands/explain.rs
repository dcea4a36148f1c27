//! `ralph explain`: the story of one issue, and what it waits for now.

use super::{Scene, paint_of_status};
use crate::args::Format;
use crate::error::CliError;
use crate::moment::moment;
use crate::screen::{Paint, plain};
use crate::table::Table;
use ralph_core::ids::IssueKey;
use ralph_core::issue::StopReason;
use ralph_core::standing::Standing;
use ralph_engine::store::{IssueReport, Report};

pub(super) fn run(scene: &Scene<'_>, key: &IssueKey, format: Format) -> Result<(), CliError> {
    let report =
        scene.reader()?.explain(key)?.ok_or_else(|| CliError::UnknownIssue(key.clone()))?;
    if format.json {
        let document = serde_json::to_value(&report).map_err(CliError::NotJson)?;
        return scene.answer_json(&document);
    }
    scene.screen.answer(&for_people(scene, key, &report))
}

fn for_people(scene: &Scene<'_>, key: &IssueKey, report: &Report) -> String {
    let name = scene.screen.paint(Paint::Bold, &key.to_string());
    let mut text = format!("{name}  {}\n\n", plain(&report.issue.title));
    text.push_str(&scene.screen.table(&facts(scene, key, &report.issue)));
    if report.story.is_empty() {
        text.push_str("\nNothing has happened to it yet.\n");
        return text;
    }
    let mut story = Table::bare();
    for line in &report.story {
        story.row([(line.at.to_string(), Paint::Faint), (line.says.clone(), Paint::Plain)]);
    }
    text.push_str(&format!("\nThe story so far:\n{}", scene.screen.table(&story)));
    text
}

fn facts(scene: &Scene<'_>, key: &IssueKey, issue: &IssueReport) -> Table {
    let mut table = Table::bare();
    let mut line = |name: &str, text: String, paint| {
        table.row([(name.to_owned(), Paint::Faint), (text, paint)]);
    };
    let status = issue.status.as_deref();
    line("status", status.unwrap_or("-").to_owned(), paint_of_status(status));
    line("priority", issue.priority.clone(), Paint::Plain);
    line("run", issue.run.clone().unwrap_or_else(|| "-".to_owned()), Paint::Plain);
    line("now", issue.says.clone(), Paint::Bold);
    line("since", moment(scene.now, issue.since), Paint::Plain);
    if let Some(next) = next_step(key, issue) {
        line("next", next, Paint::Plain);
    }
    table
}

/// What a person can do about an issue that nothing else will move.
fn next_step(key: &IssueKey, issue: &IssueReport) -> Option<String> {
    let queue = format!("`ralph queue {} {}`", key.repo, key.number);
    match issue.standing.as_ref()? {
        Standing::Escalated { .. } => Some(format!("settle it, then {queue}")),
        Standing::Paused { .. }
        | Standing::Stopped { why: StopReason::Command | StopReason::Adopted } => {
            Some(format!("{queue} sets it going again"))
        }
        Standing::Stopped { why: StopReason::Closed } => Some(format!("reopen it, then {queue}")),
        Standing::Stopped { why: StopReason::Gone }
        | Standing::Out
        | Standing::InLine
        | Standing::Blocked { .. }
        | Standing::WaitsForSlot { .. }
        | Standing::Starting { .. }
        | Standing::Working { .. }
        | Standing::Ending { .. }
        | Standing::Pushing
        | Standing::OpeningPull
        | Standing::WaitsForPull
        | Standing::WaitsForRequiredChecks
        | Standing::WaitsForChecks { .. }
        | Standing::WaitsForMergeable
        | Standing::Merging { .. }
        | Standing::InBot { .. }
        | Standing::Done => None,
    }
}
