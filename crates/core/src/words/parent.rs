//! Sentences for an issue whose children are resolved: for the agent that verifies that nothing is left, for the
//! planner of what is left, and on the issue.

use super::{line, marker, one_line, quoted};
use crate::ids::IssueKey;
use crate::issue::Slot;
use crate::parent::ParentBrief;
use crate::parent_verify::{ParentVerify, VERSION};
use crate::verdict::cut;
use serde_json::{Value, json};

pub const VERDICT_UNWRITTEN: &str =
    "nothing is left to do, and the comment that says so cannot be written";

/// The most items of a list in the comment, and bytes of each text: all of it fits the longest comment of GitHub.
const LISTED_MAX: usize = 10;
const LISTED_BYTES_MAX: usize = 500;

/// The comment that ends an issue without a pull request.
#[must_use]
pub fn parent_verified(key: &IssueKey, verdict: &ParentVerify) -> String {
    let marker = marker(key, &Slot::Verify).render();
    let mut body = format!(
        "{marker}\nEvery sub-issue is resolved, and nothing is left to do here: this issue is done without a \
         pull request.\n\nWhy, in the agent's words:\n\n{}\n\nEvidence, read by Ralph:\n",
        quoted(&verdict.why_satisfied)
    );
    for evidence in verdict.evidence.iter().take(LISTED_MAX) {
        let note = one_line(cut(&evidence.note, LISTED_BYTES_MAX));
        line(&mut body, format_args!("- <{}> {note}\n", evidence.url));
    }
    line(&mut body, format_args!("\nRALPH_VERIFY: {}\n", machine(verdict)));
    body
}

/// The agent's reason, and why it is too little to close an issue.
#[must_use]
pub fn parent_weak(verdict: &ParentVerify) -> String {
    let lacks = [
        (verdict.checked.is_empty(), "it does not say what was checked"),
        (verdict.why_satisfied.is_empty(), "it does not say why the issue is satisfied"),
        (
            verdict.evidence.is_empty(),
            "it names no issue, pull request or commit of the sub-issues that Ralph could read",
        ),
    ];
    let lacks: Vec<_> = lacks.iter().filter(|(is_so, _)| *is_so).map(|(_, what)| *what).collect();
    format!("{}\n\nToo little to go by: {}.", verdict.reason, lacks.join("; "))
}

/// The verdict as one line of JSON in which nothing is markup, a mention or a reference.
fn machine(verdict: &ParentVerify) -> String {
    let text = |text: &str| Value::from(cut(text, LISTED_BYTES_MAX));
    let checked: Vec<_> = verdict.checked.iter().take(LISTED_MAX).map(|it| text(it)).collect();
    let evidence = verdict.evidence.iter().take(LISTED_MAX);
    let evidence: Vec<_> =
        evidence.map(|it| json!({ "url": it.url, "note": text(&it.note) })).collect();
    let value = json!({
        "version": VERSION, "work_remains": verdict.work_remains, "reason": text(&verdict.reason),
        "confidence": verdict.confidence, "checked": checked,
        "why_satisfied": text(&verdict.why_satisfied), "evidence": evidence,
    });
    let mut safe = String::new();
    for letter in value.to_string().chars() {
        match letter {
            '@' | '#' | '<' | '>' | '`' | '*' | '~' | '|' => {
                line(&mut safe, format_args!("\\u{:04x}", u32::from(letter)));
            }
            letter => safe.push(letter),
        }
    }
    safe
}

/// The children, as a turn sees them.
pub(super) fn children(brief: &ParentBrief) -> String {
    let mut text = "Its sub-issues, all resolved, titles quoted as data:\n".to_owned();
    for child in &brief.children {
        let (title, how) = (one_line(&child.title), &child.how);
        line(&mut text, format_args!("- {}: {how}", child.issue));
        if let Some(pull) = child.pull {
            line(&mut text, format_args!(", pull request {pull}"));
        }
        line(&mut text, format_args!(" ({title})\n"));
        for address in &child.addresses {
            line(&mut text, format_args!("  {address}\n"));
        }
    }
    if let Some(said) = &brief.said {
        line(&mut text, format_args!("What verification said, in its words:\n{}\n", quoted(said)));
    }
    text
}
