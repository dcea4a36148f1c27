//! GitHub's JSON has its own names. They stay in the client and in the forge's HTTP layer; past those
//! only our own types exist.

use super::tree::{Finding, SourceFile, Tree};

const HOME: &[&str] =
    &["crates/github/", "crates/forge/src/http/", "crates/forge/tests/", OWN_FILE];
const OWN_FILE: &str = "xtask/src/tidy/wire_names.rs";

/// Names that mean GitHub and nothing else.
const NAMES: &[&str] = &[
    "active_lock_reason",
    "author_association",
    "check_runs",
    "check_suites",
    "html_url",
    "incomplete_results",
    "issue_dependencies_summary",
    "merge_commit_sha",
    "mergeable_state",
    "node_id",
    "per_page",
    "performed_via_github_app",
    "required_status_checks",
    "state_reason",
    "sub_issues_summary",
    "total_count",
];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    tree.rust_files().filter(|file| !file.is_under_any(HOME)).flat_map(of_file).collect()
}

fn of_file(file: &SourceFile) -> Vec<Finding> {
    let mut found = Vec::new();
    for (number, line) in file.lines() {
        for name in NAMES.iter().filter(|name| is_quoted(line, name)) {
            found.push(file.finding(
                number,
                format!(
                    "{name:?} is GitHub's JSON; read and write it in crates/github/ or \
                     crates/forge/src/http/ and pass our own type on"
                ),
            ));
        }
    }
    found
}

/// Returns whether `name` stands between quotation marks, escaped ones included.
fn is_quoted(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        let after = line.get(at + name.len()..).unwrap_or_default();
        before.ends_with('"') && after.starts_with(['"', '\\'])
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    #[test]
    fn a_quoted_name_is_found_outside_the_two_crates_only() {
        let text = "//! Doc.\nlet state = answer.get(\"mergeable_state\");\n";
        let found = findings(&Tree::planted(&[
            ("crates/core/src/decide/merge.rs", text),
            ("crates/forge/src/model/pulls.rs", "let text = \"{\\\"html_url\\\": 1}\";\n"),
            ("crates/github/src/wire.rs", text),
            ("crates/forge/src/http/pulls.rs", text),
        ]));
        let expected = ["crates/core/src/decide/merge.rs:2", "crates/forge/src/model/pulls.rs:1"];
        assert_eq!(places(&found), expected);
    }

    #[test]
    fn a_comment_may_speak_of_a_name() {
        let text = "// `mergeable_state` unknown is read again.\n";
        assert_eq!(findings(&Tree::planted(&[("crates/core/src/decide/merge.rs", text)])), []);
    }
}
