//! No white space at the end of a line: it shows up in reviews as a change that changes nothing.

use super::tree::{Finding, SourceFile, Tree};

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let is_checked = |file: &&SourceFile| file.has_extension("rs") || file.has_extension("md");
    let files = tree.files.iter().filter(is_checked);
    files
        .flat_map(|file| {
            let trailing = file.lines().filter(|(_, line)| line.ends_with(char::is_whitespace));
            trailing.map(|(number, _)| {
                file.finding(number, "white space at the end of the line; remove it")
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    #[test]
    fn trailing_blanks_and_tabs_are_found_in_code_and_documents() {
        let text = "one\ntwo \nthree\t\n";
        let found = findings(&Tree::planted(&[
            ("a.rs", text),
            ("b.md", text),
            ("fuzz/corpus/text/1", text),
        ]));
        assert_eq!(places(&found), ["a.rs:2", "a.rs:3", "b.md:2", "b.md:3"]);
    }
}
