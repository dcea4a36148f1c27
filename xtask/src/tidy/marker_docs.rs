//! The operator's guide lists every hidden marker that Ralph writes.

use super::tree::{Finding, Tree};

/// The table of markers in the code, and the guide.
const MARKERS: &str = "crates/core/src/hidden_marker.rs";
const GUIDE: &str = "docs/operations.md";
/// The text of every marker begins so and ends before its id.
const BEGINNING: &str = "\"ralph-";

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let (Some(markers), Some(guide)) = (tree.file(MARKERS), tree.file(GUIDE)) else {
        return Vec::new();
    };
    let mut texts = markers.code_lines().filter_map(|(_, line)| marker(line)).peekable();
    if texts.peek().is_none() {
        return vec![markers.finding(1, "no marker found; adapt xtask/src/tidy/marker_docs.rs")];
    }
    let rows = texts.map(|text| format!("| `<!-- {text}… -->` |"));
    let missing = rows.filter(|row| !guide.text.contains(row.as_str()));
    missing.map(|row| guide.finding(1, format!("the table of markers has no row {row}"))).collect()
}

/// Returns the text of the marker that is on this line: from its name to the sign before its id.
fn marker(line: &str) -> Option<&str> {
    let (_, arm) = line.split_once("=> ")?;
    arm.starts_with(BEGINNING).then(|| arm.trim_matches(['"', ',']))
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    const CODE: &str = "//! Doc.\n            Self::Command => \"ralph-cmd:id=\",\n            Self::Verify => \"ralph-verify:v1 id=\",\n";

    #[test]
    fn a_marker_that_the_guide_does_not_list_is_found() {
        let guide = "| `<!-- ralph-cmd:id=… -->` | the result of a command |\n";
        let found = findings(&Tree::planted(&[(MARKERS, CODE), (GUIDE, guide)]));
        assert_eq!(places(&found), [format!("{GUIDE}:1")]);
        assert!(found[0].message.contains("ralph-verify:v1 id="), "{found:?}");
    }

    #[test]
    fn a_table_that_cannot_be_read_is_found() {
        let found = findings(&Tree::planted(&[(MARKERS, "//! Doc.\n"), (GUIDE, "")]));
        assert_eq!(places(&found), [format!("{MARKERS}:1")]);
    }
}
