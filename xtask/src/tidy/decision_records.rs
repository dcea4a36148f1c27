//! A decision record has its own number, in its name and its title, and says, under fixed headings, what was decided
//! against and what would change our mind.

use super::tree::{Finding, SourceFile, Tree};
use std::collections::BTreeMap;

const FOLDER: &str = "docs/decisions/";
const HEADINGS: &[&str] = &["Context", "Decision", "Rejected", "What would change our mind"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut numbers = BTreeMap::new();
    for (record, name) in tree.files.iter().filter_map(|file| Some((file, record_name(file)?))) {
        found.extend(of_headings(record));
        let Some(number) = number(name) else {
            found
                .push(record.finding(1, "name the record NNNN-title.md with the next free number"));
            continue;
        };
        if !has_title(record, number) {
            found.push(record.finding(1, format!("title the record `# {number}: Title`")));
        }
        if let Some(other) = numbers.insert(number, name) {
            found.push(
                record.finding(1, format!("number {number} is taken by {other}; take the next")),
            );
        }
    }
    found
}

/// The file name, if this is a record.
fn record_name(file: &SourceFile) -> Option<&str> {
    let name = file.path.strip_prefix(FOLDER)?;
    (file.has_extension("md") && name != "README.md").then_some(name)
}

fn number(name: &str) -> Option<&str> {
    let (number, _) = name.split_once('-')?;
    (number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
}

/// Returns whether the first line is the record's number and a title.
fn has_title(record: &SourceFile, number: &str) -> bool {
    let first = record.text.lines().next().unwrap_or_default();
    let title = first.strip_prefix("# ").and_then(|line| line.strip_prefix(number));
    title.and_then(|rest| rest.strip_prefix(": ")).is_some_and(|title| !title.trim().is_empty())
}

fn of_headings(record: &SourceFile) -> Vec<Finding> {
    let has = |heading: &str| {
        record.lines().any(|(_, line)| line.strip_prefix("## ").map(str::trim_end) == Some(heading))
    };
    let missing = HEADINGS.iter().filter(|heading| !has(heading));
    missing.map(|heading| record.finding(1, format!("heading `## {heading}` is missing"))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    const WHOLE: &str = "# 0001: Title\n\n## Context\n\n## Decision\n\n## Rejected\n\n## What would change our mind\n";

    #[test]
    fn a_missing_heading_is_found() {
        let text = WHOLE.replace("## Rejected\n", "");
        let found = findings(&Tree::planted(&[("docs/decisions/0001-a.md", &text)]));
        assert_eq!(places(&found), ["docs/decisions/0001-a.md:1"]);
        assert!(found[0].message.contains("## Rejected"), "{found:?}");
    }

    #[test]
    fn a_title_in_another_form_is_found() {
        for title in ["# Title", "# 1. Title", "# 0001 Title", "# 0002: Title", "# 0001: "] {
            let text = WHOLE.replace("# 0001: Title", title);
            let found = findings(&Tree::planted(&[("docs/decisions/0001-a.md", &text)]));
            assert_eq!(places(&found), ["docs/decisions/0001-a.md:1"], "{title}");
        }
    }

    #[test]
    fn a_number_may_be_used_once_and_must_be_there() {
        let found = findings(&Tree::planted(&[
            ("docs/decisions/0001-a.md", WHOLE),
            ("docs/decisions/0001-b.md", WHOLE),
            ("docs/decisions/c.md", WHOLE),
            ("docs/decisions/README.md", "# All of them\n"),
            ("docs/usage.md", "# Usage\n"),
        ]));
        assert_eq!(places(&found), ["docs/decisions/0001-b.md:1", "docs/decisions/c.md:1"]);
    }
}
