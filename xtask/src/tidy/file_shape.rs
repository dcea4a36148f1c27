//! The shape of every Rust file: it begins with its purpose, it is short enough to read, and it
//! is not called `mod.rs`.

use super::tree::{Finding, SourceFile, Tree};

/// Beyond this a file answers more than one question.
const LINES_MAX: usize = 400;

/// Files that may be longer: path and reason. Empty at best.
const MAY_BE_LONGER: &[(&str, &str)] = &[];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    tree.rust_files().flat_map(|file| of_file(file, MAY_BE_LONGER)).collect()
}

fn of_file(file: &SourceFile, may_be_longer: &[(&str, &str)]) -> Vec<Finding> {
    let mut found = Vec::new();
    if !file.text.starts_with("//!") {
        found.push(file.finding(
            1,
            "no module doc on the first line; begin with `//!` and a sentence or two on what this file is for",
        ));
    }
    if file.path.ends_with("/mod.rs") {
        found.push(file.finding(
            1,
            "no file is called mod.rs, because ten open tabs then have one name; use folder.rs beside folder/",
        ));
    }
    let lines = file.text.lines().count();
    if lines > LINES_MAX && !may_be_longer.iter().any(|(path, _)| *path == file.path) {
        let message =
            format!("{lines} lines, at most {LINES_MAX}; split it by the questions it answers");
        found.push(file.finding(LINES_MAX + 1, message));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    #[test]
    fn a_file_without_a_module_doc_is_found() {
        let found = findings(&Tree::planted(&[
            ("crates/core/src/fold.rs", "use std::fmt;\n"),
            ("crates/core/src/fact.rs", "//! What was observed.\n"),
        ]));
        assert_eq!(places(&found), ["crates/core/src/fold.rs:1"]);
    }

    #[test]
    fn a_file_named_mod_is_found() {
        let found = findings(&Tree::planted(&[("crates/core/src/decide/mod.rs", "//! Doc.\n")]));
        assert_eq!(places(&found), ["crates/core/src/decide/mod.rs:1"]);
    }

    #[test]
    fn a_long_file_is_found_unless_it_is_named_as_an_exception() {
        let longest = format!("//! Doc.\n{}", "//\n".repeat(LINES_MAX - 1));
        let too_long = format!("{longest}//\n");
        let tree = Tree::planted(&[("a.rs", &longest), ("b.rs", &too_long)]);
        assert_eq!(places(&findings(&tree)), ["b.rs:401"]);
        let exceptions = [("b.rs", "a table that reads best in one piece")];
        assert_eq!(of_file(&tree.files[1], &exceptions), []);
    }
}
