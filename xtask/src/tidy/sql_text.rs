//! SQL is written in one module, so that a second database can be added there and nowhere else.

use super::tree::{Finding, SourceFile, Tree};

/// The store, the tests that look into its tables, the embedded forge's own store, and this file, which names
/// what it looks for.
const HOME: &[&str] = &[
    "crates/engine/src/store.rs",
    "crates/engine/src/store/",
    "crates/engine/tests/",
    "crates/forge/src/persist/",
    "crates/forge/tests/server/",
    OWN_FILE,
];
const OWN_FILE: &str = "xtask/src/tidy/sql_text.rs";

/// Upper case only: in lower case these are words of English.
const STATEMENTS: &[&str] =
    &["SELECT ", "INSERT INTO", "INSERT OR ", "DELETE FROM", "CREATE TABLE", "PRAGMA "];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    tree.rust_files().filter(|file| !file.is_under_any(HOME)).flat_map(of_file).collect()
}

fn of_file(file: &SourceFile) -> Vec<Finding> {
    let mut rest = file.text.as_str();
    let mut found = Vec::new();
    for (number, line) in file.lines() {
        if STATEMENTS.iter().any(|statement| line.contains(statement)) || begins_update(rest, line)
        {
            found.push(file.finding(
                number,
                "SQL text outside crates/engine/src/store/; add a function there and call it",
            ));
        }
        rest = rest.split_once('\n').map_or("", |(_, after)| after);
    }
    found
}

/// Returns whether this line begins `UPDATE table SET`; `rest` is the text from this line on, because the statement
/// may go on below.
fn begins_update(rest: &str, line: &str) -> bool {
    let Some((before, _)) = line.split_once("UPDATE ") else { return false };
    let statement = rest.get(before.len()..).unwrap_or_default();
    statement.split_whitespace().nth(2) == Some("SET")
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    #[test]
    fn each_kind_of_statement_is_found_wherever_it_hides() {
        for statement in [
            "let q = \"SELECT 1\";",
            "let q = \"INSERT INTO facts VALUES (1)\";",
            "let q = \"DELETE FROM outbox\";",
            "let q = r#\"CREATE TABLE runs (id)\"#;",
            "let q = \"PRAGMA journal_mode\";",
            "// UPDATE runs SET state = 1",
            "let q = \"UPDATE runs\n   SET state = 1\";",
        ] {
            let text = format!("//! Doc.\n{statement}\n");
            let found = findings(&Tree::planted(&[("crates/ralph/src/main.rs", &text)]));
            assert_eq!(places(&found), ["crates/ralph/src/main.rs:2"], "{statement}");
        }
    }

    #[test]
    fn the_store_its_tests_and_plain_english_are_fine() {
        let sql = "let q = \"SELECT 1\";\n";
        let found = findings(&Tree::planted(&[
            ("crates/engine/src/store.rs", sql),
            ("crates/engine/src/store/outbox.rs", sql),
            ("crates/engine/tests/durable.rs", sql),
            ("crates/core/src/words.rs", "// select one; UPDATE the label and the SET of issues\n"),
        ]));
        assert_eq!(found, []);
    }
}
