//! Title and text of a task's pull request. Statements about the change come from the difference between base and head;
//! an agent's words are marked as such.

use super::{harmless_title, line, listed, one_line, quoted_up_to};
use crate::defuse::{defuse, defuse_but};
use crate::gate::{Gate, GateRecord, GateStatus};
use crate::ids::IssueKey;
use crate::run::Run;
use crate::test_files::{Changes, Patterns, kind_of};

#[must_use]
pub fn pull_title(title: &str, key: &IssueKey) -> String {
    harmless_title(title).unwrap_or_else(|| format!("Resolve #{}", key.number))
}

/// The text of a pull request: the checks and the commit on which they ran, the tests of the base that were changed,
/// and the line that ties the pull request to its issue. `globs` are the operator's own patterns of tests.
pub fn pull_body<'a>(
    key: &IssueKey,
    run: &Run,
    globs: &[String],
    gates: impl Iterator<Item = (Gate, &'a GateRecord)>,
) -> String {
    let head = run.head.as_ref().map(|head| format!(" on {}", head.commit.short()));
    let (closing, id, head) = (format!("Fixes #{}", key.number), run.id, head.unwrap_or_default());
    let mut body = format!("{closing}\n\nRun {id}, checked by Ralph{head}:\n");
    for (gate, record) in gates {
        let status = match record.status {
            GateStatus::Pending => "pending",
            GateStatus::Pass => "pass",
            GateStatus::Fail => "fail",
            GateStatus::Skipped => "skipped",
        };
        let advisory = if record.is_advisory { " (advisory: it stops nothing here)" } else { "" };
        line(&mut body, format_args!("\n- {gate}: {status}{advisory}"));
        if let Some(command) = &record.command {
            line(&mut body, format_args!(" (`{}`)", one_line(command)));
        }
        if !record.reason.is_empty() {
            let whose =
                if is_in_reviewers_words(gate, record) { " in the reviewer's words:" } else { "" };
            line(&mut body, format_args!(",{whose} {}", one_line(&record.reason)));
        }
    }
    if let Some((head, changes)) = run.head.as_ref().and_then(|it| Some((it, it.changes.as_ref()?)))
    {
        // The text stays when more commits follow, so it names the commit that it is about.
        let (at, told) = (head.commit.short(), tests_of_the_base(changes, globs));
        line(&mut body, format_args!("\n\nAt {at} it {told}"));
    }
    // A squashed merge may use this text as its message, where markup hides nothing.
    defuse_but(&body, &[closing])
}

/// The longest plan in a pull request, and the longest summary. GitHub takes 65,536 characters in all.
const PLAN_BYTES_MAX: usize = 24 * 1024;
const SUMMARY_BYTES_MAX: usize = 4 * 1024;

/// The part of a pull request's text in agents' words: what was done, and by which plan. Empty without either.
#[must_use]
pub fn pull_words(plan: Option<&str>, summary: Option<&str>) -> String {
    let mut text = String::new();
    let some = |words: Option<&'_ str>, limit| {
        let words = words.filter(|words| !words.trim().is_empty())?;
        Some(quoted_up_to(words.trim(), limit))
    };
    if let Some(summary) = some(summary, SUMMARY_BYTES_MAX) {
        let heading = "What was done, in the words of the agent that did it:";
        line(&mut text, format_args!("\n\n{heading}\n\n{summary}"));
    }
    if let Some(plan) = some(plan, PLAN_BYTES_MAX) {
        let heading = "<details><summary>The plan, in the planner's words</summary>";
        line(&mut text, format_args!("\n\n{heading}\n\n{plan}\n\n</details>"));
    }
    // As above: in the message of a squashed merge no markup hides a closing word.
    defuse(&text)
}

const fn is_in_reviewers_words(gate: Gate, record: &GateRecord) -> bool {
    gate.verdict().is_some() && matches!(record.status, GateStatus::Pass | GateStatus::Fail)
}

/// The changed tests of the base, by the difference between base and head alone, whatever a plan or an agent says.
fn tests_of_the_base(changes: &Changes, globs: &[String]) -> String {
    let globs = Patterns::new(globs);
    let is_of_checks = |path: &&String| kind_of(path, &globs).is_some();
    let touched: Vec<String> = changes.edited.iter().filter(is_of_checks).cloned().collect();
    let is_known = !changes.is_cut;
    match (touched.is_empty(), is_known) {
        (true, true) => "edits or removes no test and no check definition of the base.".to_owned(),
        (true, false) => "changes too many files to list which tests and check definitions of the \
                          base are among them."
            .to_owned(),
        (false, _) => {
            let more =
                if is_known { "" } else { ", and perhaps more: it changes too many files to list" };
            let names = listed(&touched, ", ");
            format!(
                "edits or removes these tests and check definitions of the base: {names}{more}."
            )
        }
    }
}
