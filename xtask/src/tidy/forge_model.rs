//! The forge's model is plain Rust: GitHub's JSON begins at its HTTP door, so serde may be named only there.

use super::tree::{Finding, Tree};

const FORGE: &[&str] = &["crates/forge/src/"];
const HTTP_DOOR: &[&str] = &["crates/forge/src/http/", "crates/forge/src/http.rs"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let model =
        tree.rust_files().filter(|file| file.is_under_any(FORGE) && !file.is_under_any(HTTP_DOOR));
    model
        .flat_map(|file| {
            file.code_lines().filter(|(_, line)| line.contains("serde")).map(|(number, _)| {
                file.finding(
                    number,
                    "the forge's model must not know serde; turn it into JSON in crates/forge/src/http/",
                )
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    #[test]
    fn serde_is_found_in_the_model_and_allowed_at_the_door() {
        let text = "//! No serde here.\nuse serde::Serialize;\n";
        let found = findings(&Tree::planted(&[
            ("crates/forge/src/model/issues.rs", text),
            ("crates/forge/src/http/issues.rs", text),
            ("crates/engine/src/ports.rs", text),
        ]));
        assert_eq!(places(&found), ["crates/forge/src/model/issues.rs:2"]);
    }
}
