//! The repository works wherever it is cloned: no file names a folder that exists on one machine only.

use super::tree::{Finding, SourceFile, Tree};

/// The folders in which machines keep homes and checkouts.
const MACHINE_FOLDERS: &[&str] =
    &["/root/", "/work/", "/workspace/", "/farm/", "/builds/", "/home/runner/"];

/// Places where such a path is test data: path prefix and reason.
const MAY_NAME_THEM: &[(&str, &str)] = &[
    (OWN_FILE, "names what it looks for"),
    ("crates/core/src/redact", "home paths are what it takes out"),
    ("crates/core/src/signature", "paths are what a failure signature ignores"),
    ("crates/core/tests/logs/", "logs name the folders of the runners that wrote them"),
    ("fuzz/corpus/", "arbitrary text"),
];
const OWN_FILE: &str = "xtask/src/tidy/machine_paths.rs";

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let is_excepted =
        |file: &SourceFile| MAY_NAME_THEM.iter().any(|(prefix, _)| file.path.starts_with(prefix));
    tree.files.iter().filter(|file| !is_excepted(file)).flat_map(of_file).collect()
}

fn of_file(file: &SourceFile) -> Vec<Finding> {
    let mut found = Vec::new();
    for (number, line) in file.lines() {
        for folder in MACHINE_FOLDERS.iter().filter(|folder| begins_with(line, folder)) {
            found.push(file.finding(
                number,
                format!(
                    "{folder} is a folder of one machine; write the path relative to the repository, or take \
                     it as an argument"
                ),
            ));
        }
    }
    found
}

/// Returns whether a path in this line begins with `folder`; inside a longer path the same letters are harmless.
fn begins_with(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|letter| letter.is_alphanumeric() || "._-~/}>".contains(letter))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    #[test]
    fn a_path_of_one_machine_is_found_in_any_file() {
        let found = findings(&Tree::planted(&[
            ("README.md", "Run it in /work/main.\n"),
            ("crates/core/src/ids.rs", "//! Doc.\nlet path = \"/root/.ralph\";\n"),
            (".ci/run", "cd /farm/one\n"),
        ]));
        assert_eq!(places(&found), ["README.md:1", "crates/core/src/ids.rs:2", ".ci/run:1"]);
    }

    #[test]
    fn test_data_and_the_middle_of_a_longer_path_are_fine() {
        let found = findings(&Tree::planted(&[
            ("crates/core/src/redact.rs", "let home = \"/root/.ssh\";\n"),
            (
                "docs/layout.md",
                "Below ~/.ralph/work/ and crates/sim/src/work/ and {home}/work/x.\n",
            ),
        ]));
        assert_eq!(found, []);
    }
}
