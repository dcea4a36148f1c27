//! The rules of a step and of a role are in core. Outside of it nothing chooses by which step or role it is: a job
//! carries as data what its runner needs.

use super::tree::{Finding, SourceFile, Tree};

const OWN_FILE: &str = "xtask/src/tidy/step_matches.rs";
/// The embedded forge has its own steps, and does not know these.
const HOME: &[&str] = &["crates/core/", "crates/forge/", OWN_FILE];
const NAMES: &[&str] = &["Step::", "Role::"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let is_source = |file: &&SourceFile| file.path.contains("/src/") && !file.is_under_any(HOME);
    tree.rust_files().filter(is_source).flat_map(of_file).collect()
}

fn of_file(file: &SourceFile) -> Vec<Finding> {
    let mut found = Vec::new();
    for (number, line) in file.code_lines() {
        if NAMES.iter().any(|name| is_pattern(line, name)) {
            let says = "a match on a step or a role outside crates/core; put what differs into the job as data";
            found.push(file.finding(number, says));
        }
    }
    found
}

/// Returns whether a variant of this enum stands in the place of a pattern: before an arrow or a bar, after a bar, or in
/// `matches!`.
fn is_pattern(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let (before, rest) = line.split_at(at);
        let begins_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = rest.get(name.len()..).unwrap_or_default();
        let after = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start();
        let before = before.trim_end().trim_end_matches("crate::").trim_end();
        let is_arm = after.starts_with("=>") || after.starts_with("| ") || after.starts_with("if ");
        let is_alternative = before.ends_with('|') && !before.ends_with("||");
        begins_word && (is_arm || is_alternative || before.contains("matches!("))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    #[test]
    fn every_form_of_a_match_is_found_outside_of_core_alone() {
        for code in [
            "Step::Plan => 1,",
            "| Role::Survey => None,",
            "Role::Plan | Role::Implement => true,",
            "matches!(work.step, Step::Implement)",
            "Some(x) | Step::Merge",
        ] {
            let text = format!("//! Doc.\nfn f() {{\n    {code}\n}}\n");
            let planted = Tree::planted(&[
                ("crates/sim/src/working.rs", &text),
                ("crates/core/src/steps.rs", &text),
                ("crates/sim/tests/seeds.rs", &text),
            ]);
            assert_eq!(places(&findings(&planted)), ["crates/sim/src/working.rs:3"], "{code}");
        }
    }

    #[test]
    fn values_and_comparisons_are_fine() {
        let text = "//! Doc.\nlet a = (Bound::Step(Step::Plan), 1);\nif step == Step::Merge || is_done {}\nlet all = Role::ALL;\n";
        let found = findings(&Tree::planted(&[("crates/sim/src/working.rs", text)]));
        assert_eq!(found, []);
    }
}
