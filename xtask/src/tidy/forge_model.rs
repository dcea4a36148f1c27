//! The forge's model is plain Rust: GitHub's JSON begins at its HTTP layer. The model is stored whole, so it may
//! derive serde, but it makes no JSON and gives nothing another name.

use super::tree::{Finding, Tree};

const MODEL: &[&str] = &["crates/forge/src/model/", "crates/forge/src/model.rs"];

/// The traits and macros that turn a model into JSON.
const JSON: &[&str] = &["serde_json", "serde(rename"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let model = tree.rust_files().filter(|file| file.is_under_any(MODEL));
    model
        .flat_map(|file| {
            let is_json = |line: &str| JSON.iter().any(|name| line.contains(name));
            file.code_lines().filter(move |(_, line)| is_json(line)).map(|(number, _)| {
                file.finding(
                    number,
                    "the forge's model must not know JSON; turn it into JSON in crates/forge/src/http/",
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
    fn json_is_found_in_the_model_and_allowed_in_the_http_layer() {
        let text = "//! No serde_json here.\nuse serde_json::Value;\nuse serde::Serialize;\n";
        let found = findings(&Tree::planted(&[
            ("crates/forge/src/model/issues.rs", text),
            ("crates/forge/src/http/issues.rs", text),
            ("crates/engine/src/ports.rs", text),
        ]));
        assert_eq!(places(&found), ["crates/forge/src/model/issues.rs:2"]);
    }
}
