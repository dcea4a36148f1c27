//! Title and text of a task's pull request. Statements about the change come from the difference between base and head;
//! an agent's words are marked as such.

use super::{harmless_title, line, listed, one_line};
use crate::defuse::defuse_but;
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
