//! `ralph gates`: what each gate of the latest run has found, and on which commit.

use super::{CommandContext, word_and_paint};
use crate::args::Format;
use crate::error::CliError;
use crate::screen::{Paint, plain};
use crate::table::Table;
use ralph_core::gate::Gate;
use ralph_core::ids::{IssueKey, Sha};
use ralph_core::time::Time;
use ralph_core::words;
use ralph_engine::store::{GateReport, GateView};
use serde_json::{Map, Value, json};

pub(super) fn run(
    context: &CommandContext<'_>,
    key: &IssueKey,
    format: Format,
) -> Result<(), CliError> {
    let report = context.reader()?.gates(key)?.ok_or_else(|| CommandContext::unknown_issue(key))?;
    if format.json {
        return context.answer_json(&document(&report));
    }
    context.screen.answer(&for_people(context, key, &report))
}

/// Every gate has every field, so that a script need not ask which are there.
fn document(report: &GateReport) -> Value {
    let gates: Map<String, Value> = report
        .gates
        .iter()
        .map(|(name, gate)| {
            let (status, _) = word_and_paint(gate.status);
            let GateView { reason, skip_reason, command, url, head, .. } = gate;
            let millis = |time: Option<Time>| time.map(|time| time.0);
            let fields = json!({
                "status": status, "reason": reason, "skip_reason": skip_reason,
                "command": command, "commands": gate.commands, "url": url, "head": head, "advisory": gate.is_advisory,
                "attempt": gate.attempt.map(|attempt| attempt.0), "started": millis(gate.started),
                "ended": millis(gate.ended), "artifacts": gate.artifacts,
            });
            ((*name).to_owned(), fields)
        })
        .collect();
    json!({
        "repo": report.repo.as_str(), "issue": report.issue, "run": report.run, "gates": gates,
        "ready_for_pr": report.ready_for_pr, "artifacts": report.artifacts, "lanes": report.lanes,
        "red_checks": report.red_checks,
    })
}

fn for_people(context: &CommandContext<'_>, key: &IssueKey, report: &GateReport) -> String {
    let name = context.screen.paint(Paint::Bold, &key.to_string());
    let Some(run) = &report.run else {
        return format!("{name} has had no run yet, so no gate has judged anything.\n");
    };
    let mut table = Table::headed(&["gate", "status", "commit", "note"]);
    for gate in Gate::ALL {
        let Some(view) = report.gates.get(gate.name()) else { continue };
        let (status, paint) = word_and_paint(view.status);
        let head = view.head.as_deref().map(|head| Sha::new(head).short().to_owned());
        table.text_row([
            (gate.name().to_owned(), Paint::Plain),
            (status.to_owned(), paint),
            (head.unwrap_or_else(|| "-".to_owned()), Paint::Faint),
            (note(view), Paint::Plain),
        ]);
    }
    let ready = if report.ready_for_pr { "yes" } else { "no" };
    let mut text = format!("{name}, run {run}\n\n{}", context.screen.table(&table));
    text.push_str(&format!("\nReady for a pull request: {ready}\n"));
    let kept: Vec<_> = report.gates.values().flat_map(|gate| &gate.artifacts).collect();
    if !kept.is_empty() {
        text.push_str("\nWhat the processes said, below Ralph's home:\n");
    }
    for folder in kept {
        text.push_str(&format!("  {folder}\n"));
    }
    for (lane, book) in report.lanes.iter() {
        text.push_str(&format!("\n{lane} attempts:\n"));
        text.push_str(&indented(&words::lane_attempts(book)));
    }
    for artifact in &report.artifacts {
        text.push_str(&format!("\nLatest failure:\n{}", indented(artifact)));
    }
    text
}

fn note(view: &GateView) -> String {
    let GateView { reason, skip_reason, command, url, .. } = view;
    let advisory = view.is_advisory.then(|| "advisory:".to_owned());
    let skipped = skip_reason.as_ref().map(|reason| format!("skipped: {reason}"));
    let command = command.as_ref().map(|command| format!("`{command}`"));
    let parts = [advisory, skipped, command, reason.clone(), url.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {}\n", plain(line))).collect()
}
