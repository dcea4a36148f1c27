//! A function named `is_…` or `has_…` asks and changes nothing, so it takes no `&mut self`.

use super::tree::{Finding, SourceFile, Tree};

const OWN_FILE: &str = "xtask/src/tidy/asking_names.rs";
/// Looking at the forge's model counts the request, so it needs `&mut`.
const LOOKS: &str = "looks at the forge's model";
/// Functions that need `&mut self` to read: path, name and reason.
const MAY_BORROW_MUTABLY: &[(&str, &str, &str)] = &[
    ("crates/ralph/benches/figures/process.rs", "has_ended", "`Child::try_wait` takes `&mut`"),
    ("crates/sim/src/faults/script.rs", "is_red_one_open", LOOKS),
    ("crates/sim/src/forge/commits.rs", "has_reached_default", LOOKS),
    ("crates/sim/src/forge/views.rs", "is_commanded", LOOKS),
    ("crates/sim/src/forge/views.rs", "is_green", LOOKS),
    ("crates/sim/src/forge/views.rs", "is_open", LOOKS),
    ("crates/sim/src/oracle/answers.rs", "is_issue", LOOKS),
    ("crates/sim/src/oracle/answers.rs", "is_pull", LOOKS),
    ("crates/sim/src/oracle/liveness.rs", "is_over", LOOKS),
];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let files = tree.rust_files().filter(|file| file.path != OWN_FILE);
    files.flat_map(|file| of_file(file, MAY_BORROW_MUTABLY)).collect()
}

fn of_file(file: &SourceFile, allowed: &[(&str, &str, &str)]) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut lines = file.code_lines().peekable();
    while let Some((number, line)) = lines.next() {
        let Some((name, parameters)) = asking(line) else { continue };
        // rustfmt puts long parameters on their own lines, the first of them alone.
        let next = lines.peek().map_or("", |(_, line)| line.trim_start());
        let first = if parameters.is_empty() { next } else { parameters };
        let is_allowed = allowed.iter().any(|(path, one, _)| *path == file.path && *one == name);
        if first.starts_with("&mut self") && !is_allowed {
            let says = format!(
                "`{name}` takes `&mut self`; a name with `is_` or `has_` changes nothing: name it for what it does"
            );
            found.push(file.finding(number, says));
        }
    }
    found
}

/// Returns the name and the parameters on this line, if it begins a function that asks.
fn asking(line: &str) -> Option<(&str, &str)> {
    let (before, rest) = line.split_once("fn ")?;
    let is_start = before.is_empty() || before.ends_with(' ');
    let (name, parameters) = rest.split_once('(')?;
    let name = name.split('<').next().unwrap_or_default();
    let asks = name.starts_with("is_") || name.starts_with("has_");
    (is_start && asks).then_some((name, parameters.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    const TEXT: &str = "//! Doc.\n    pub(crate) fn is_due(&mut self, now: u64) -> bool {\n    fn has_news(\n        &mut self,\n    ) {}\n    fn is_open(&self) {}\n    fn is_in(all: &mut Vec<u8>) {}\n    fn take(&mut self) {}\n";

    #[test]
    fn a_name_that_asks_is_found_with_a_mutable_receiver_alone() {
        let found = findings(&Tree::planted(&[("crates/a/src/b.rs", TEXT)]));
        assert_eq!(places(&found), ["crates/a/src/b.rs:2", "crates/a/src/b.rs:3"], "{found:?}");
    }

    #[test]
    fn a_listed_function_of_the_same_file_may_stay() {
        let tree = Tree::planted(&[("crates/a/src/b.rs", TEXT), ("crates/a/src/c.rs", TEXT)]);
        let allowed = [("crates/a/src/b.rs", "is_due", "reads only")];
        let found: Vec<_> = tree.files.iter().flat_map(|file| of_file(file, &allowed)).collect();
        let expected = ["crates/a/src/b.rs:3", "crates/a/src/c.rs:2", "crates/a/src/c.rs:3"];
        assert_eq!(places(&found), expected, "{found:?}");
    }
}
