//! Code that hides a failure until later: tests that do not run, pauses that make them flicker, and holes.

use super::tree::{Finding, SourceFile, Tree};

const OWN_FILE: &str = "xtask/src/tidy/forbidden_code.rs";

/// Code that may not be written, and what to do instead.
const FORBIDDEN: &[(&str, &str)] = &[
    ("#[ignore", "a test that does not run proves nothing; fix it or delete it"),
    ("thread::sleep", "no pauses; take the time as an argument, or wait for the event itself"),
    ("todo!", "no holes; write it, or leave it out until somebody needs it"),
    ("unimplemented!", "no holes; write it, or leave it out until somebody needs it"),
];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    tree.rust_files().filter(|file| file.path != OWN_FILE).flat_map(of_file).collect()
}

fn of_file(file: &SourceFile) -> Vec<Finding> {
    let mut found = Vec::new();
    for (number, line) in file.code_lines() {
        for (code, instead) in FORBIDDEN.iter().filter(|(code, _)| line.contains(code)) {
            found.push(file.finding(number, format!("`{code}`: {instead}")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    #[test]
    fn each_forbidden_word_is_found_in_code_but_not_in_comments() {
        for code in [
            "#[ignore]",
            "#[ignore = \"slow\"]",
            "std::thread::sleep(pause);",
            "todo!()",
            "unimplemented!()",
        ] {
            let text = format!("//! Never {code}.\n    {code}\n");
            let found = findings(&Tree::planted(&[("crates/core/src/fold.rs", &text)]));
            assert_eq!(places(&found), ["crates/core/src/fold.rs:2"], "{code}");
        }
    }
}
