//! Dependencies come from crates.io. A mirror that one machine happens to use must not get into a lock file
//! or a configuration file, because others cannot reach it.

use super::tree::{Finding, SourceFile, Tree};

/// The source that a lock file names for a crate from crates.io.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().flat_map(of_file).collect()
}

fn of_file(file: &SourceFile) -> Vec<Finding> {
    let is_foreign: fn(&str) -> bool = if file.path.ends_with("Cargo.lock") {
        names_foreign_source
    } else if file.has_extension("toml") {
        chooses_registry
    } else {
        return Vec::new();
    };
    let foreign = file.lines().filter(|(_, line)| is_foreign(line));
    foreign
        .map(|(number, _)| {
            file.finding(
                number,
                "names a registry other than crates.io; keep mirrors in your own cargo home, and write the \
                 lock file again without them",
            )
        })
        .collect()
}

fn names_foreign_source(line: &str) -> bool {
    let source = line.trim().strip_prefix("source = ");
    source.is_some_and(|source| source.trim_matches('"') != CRATES_IO)
}

fn chooses_registry(line: &str) -> bool {
    let line = line.trim_start();
    let table = line.starts_with("[source") || line.starts_with("[registr");
    let key = ["registry", "registry-index", "index", "replace-with"].into_iter().any(|key| {
        let rest = line.split(['{', ',']).find_map(|part| part.trim_start().strip_prefix(key));
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    });
    table || key
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    #[test]
    fn a_mirror_in_a_lock_file_is_found() {
        let lock = format!(
            "source = \"{CRATES_IO}\"\nsource = \"registry+https://mirror.example/index\"\n"
        );
        let found = findings(&Tree::planted(&[("fuzz/Cargo.lock", &lock)]));
        assert_eq!(places(&found), ["fuzz/Cargo.lock:2"]);
    }

    #[test]
    fn a_mirror_in_a_configuration_file_is_found() {
        for line in [
            "[source.crates-io]",
            "[registries.mine]",
            "replace-with = \"mine\"",
            "index = \"sparse+https://mirror.example/\"",
            "serde = { version = \"1\", registry = \"mine\" }",
        ] {
            let found = findings(&Tree::planted(&[(".cargo/config.toml", line)]));
            assert_eq!(places(&found), [".cargo/config.toml:1"], "{line}");
        }
    }

    #[test]
    fn ordinary_manifests_are_fine() {
        let text = "[package]\nname = \"registry-of-runs\"\n[dependencies]\nindexmap = \"2\"\n";
        assert_eq!(findings(&Tree::planted(&[("crates/x/Cargo.toml", text)])), []);
    }
}
