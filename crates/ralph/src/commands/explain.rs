//! `ralph explain`: the story of one issue, and what it waits for now.

use super::{Scene, paint_of_status};
use crate::args::Format;
use crate::error::CliError;
use crate::moment::moment;
use crate::screen::{Paint, plain};
use crate::table::Table;
use ralph_core::ids::IssueKey;
use ralph_core::standing::Standing;
use ralph_engine::store::{IssueReport, Report};

pub(super) fn run(scene: &Scene<'_>, key: &IssueKey, format: Format) -> Result<(), CliError> {
    let report = scene.reader()?.explain(key)?.ok_or_else(|| CliError::UnknownIssue(key.clone()))?;
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
    if waits_for_a_command(issue) {
        let next = format!("`ralph queue {} {}` sets it going again", key.repo, key.number);
        line("next", next, Paint::Plain);
    }
    table
}

fn waits_for_a_command(issue: &IssueReport) -> bool {
    matches!(
        issue.standing,
        Some(Standing::Escalated { .. } | Standing::Paused { .. } | Standing::Stopped { .. })
    )
}
