//! `ralph runs` and `ralph runs show`: every claim of an issue, and one of them step by step.

use super::{CommandContext, word_and_paint};
use crate::args::Format;
use crate::error::{CliError, ErrorKind};
use crate::moment::moment;
use crate::screen::{Paint, plain};
use crate::table::Table;
use ralph_core::gate::Gate;
use ralph_core::ids::{RepoName, RunId};
use ralph_engine::store::{RunRecord, RunReport, StepReport};
use serde::Serialize;
use std::path::PathBuf;

/// Runs shown to people; the JSON has all.
const SHOWN_MAX: usize = 50;
/// Artifacts listed of one run; its folder has all.
const FILES_MAX: usize = 200;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    record: &'a RunRecord,
    /// Files in the run's folder: transcripts, prompts, what checks have printed.
    artifacts: Vec<PathBuf>,
}

#[derive(Serialize)]
struct List<'a> {
    runs: &'a [RunReport],
}

pub(super) fn list(context: &CommandContext<'_>, format: Format) -> Result<(), CliError> {
    let runs = context.reader()?.runs()?;
    if format.json {
        return context.answer_json(&List { runs: &runs });
    }
    if runs.is_empty() {
        return context.screen.answer("No issue has been claimed yet, so there is no run.\n");
    }
    let mut table =
        Table::headed(&["run", "issue", "started", "steps", "tokens", "pull", "what became of it"]);
    for run in runs.iter().take(SHOWN_MAX) {
        let paint = if run.is_superseded { Paint::Faint } else { Paint::Plain };
        table.row([
            (run.run.clone(), Paint::Bold),
            (format!("{}#{}", run.repo, run.issue), Paint::Plain),
            (moment(context.now, run.started), Paint::Faint),
            (run.steps.to_string(), Paint::Plain),
            (or_dash(run.tokens), Paint::Plain),
            (or_dash(run.pull.map(|pull| format!("#{pull}"))), Paint::Plain),
            (run.says.clone(), paint),
        ]);
    }
    let mut text = context.screen.table(&table);
    if runs.len() > SHOWN_MAX {
        let more = runs.len() - SHOWN_MAX;
        text.push_str(&format!("\n{more} earlier ones are in `ralph runs --json`.\n"));
    }
    context.screen.answer(&text)
}

pub(super) fn show(
    context: &CommandContext<'_>,
    id: RunId,
    repo: Option<&RepoName>,
    format: Format,
) -> Result<(), CliError> {
    let records = context.reader()?.runs_named(id, repo)?;
    let record = match records.as_slice() {
        [] => {
            let says = format!("there is no run {id} in the state store");
            let hint = "`ralph runs` lists the runs that are known";
            return Err(CliError::new(ErrorKind::Request, says).with_hint(hint));
        }
        [record] => record,
        several => {
            let repos: Vec<_> = several.iter().map(|record| record.report.repo.as_str()).collect();
            let says = format!("several repositories have a run {id}: {}", repos.join(", "));
            let hint = "name the repository with --repo OWNER/NAME";
            return Err(CliError::new(ErrorKind::Request, says).with_hint(hint));
        }
    };
    let artifacts = artifacts(context, &record.report);
    if format.json {
        return context.answer_json(&Document { record, artifacts });
    }
    let mut text = head(context, record);
    text.push_str(&steps(context, record));
    text.push_str(&gates(context, record));
    if let Some(failure) = &record.last_failure {
        let lines: String = failure.lines().map(|line| format!("  {}\n", plain(line))).collect();
        text.push_str(&format!("\nLatest failure:\n{lines}"));
    }
    let files: String = artifacts
        .iter()
        .map(|path| format!("  {}\n", plain(&path.display().to_string())))
        .collect();
    if !files.is_empty() {
        text.push_str(&format!("\nArtifacts:\n{files}"));
    }
    context.screen.answer(&text)
}

fn head(context: &CommandContext<'_>, record: &RunRecord) -> String {
    let run = &record.report;
    let name = context.screen.paint(Paint::Bold, &format!("Run {}", run.run));
    let mut table = Table::bare();
    let mut line = |name: &str, text: Option<String>| {
        if let Some(text) = text {
            table.row([(name.to_owned(), Paint::Faint), (text, Paint::Plain)]);
        }
    };
    line("now", Some(run.says.clone()));
    line("started", Some(run.started.to_string()));
    line("branch", Some(run.branch.clone()));
    line("pull", run.pull.map(|pull| format!("#{pull}")));
    line("worktree", record.worktree.clone());
    line("base", record.base.clone());
    line("head", record.head.clone());
    line("pushed", record.pushed.clone());
    line("session", record.session.clone());
    line("tokens", run.tokens.map(|tokens| tokens.to_string()));
    let work = record.work.as_ref().map(|work| {
        let (step, attempt, state, until) = (work.step, work.attempt, work.state, work.deadline);
        format!("{step} (attempt {attempt}), {state}, until {until} at most")
    });
    line("at work", work);
    let title = plain(&run.title);
    format!("{name} of {}#{}  {title}\n\n{}", run.repo, run.issue, context.screen.table(&table))
}

fn steps(context: &CommandContext<'_>, record: &RunRecord) -> String {
    if record.step_records.is_empty() {
        return "\nNo step has ended yet.\n".to_owned();
    }
    let mut table =
        Table::headed(&["attempt", "step", "started", "took", "tokens", "session", "how it ended"]);
    for step in &record.step_records {
        let StepReport { step, attempt, started, ended, how, session, tokens } = step;
        table.row([
            (attempt.to_string(), Paint::Plain),
            ((*step).to_owned(), Paint::Bold),
            (started.to_string(), Paint::Faint),
            (ended.since(*started).to_string(), Paint::Plain),
            (or_dash(*tokens), Paint::Plain),
            (or_dash(session.as_ref()), Paint::Faint),
            (how.clone(), Paint::Plain),
        ]);
    }
    format!("\n{}", context.screen.table(&table))
}

fn gates(context: &CommandContext<'_>, record: &RunRecord) -> String {
    let mut table = Table::headed(&["gate", "status", "why"]);
    for gate in Gate::ALL {
        let Some(view) = record.gates.get(gate.name()) else { continue };
        let (status, paint) = word_and_paint(view.status);
        let why = view.skip_reason.as_ref().or(view.reason.as_ref());
        table.text_row([
            (gate.name().to_owned(), Paint::Plain),
            (status.to_owned(), paint),
            (why.cloned().unwrap_or_default(), Paint::Plain),
        ]);
    }
    format!("\n{}", context.screen.table(&table))
}

/// The files in the run's folder; none when there is no such folder.
fn artifacts(context: &CommandContext<'_>, run: &RunReport) -> Vec<PathBuf> {
    let folder = context.home.runs().join(&run.run);
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).take(FILES_MAX).collect();
    files.sort();
    files
}

fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}
