//! The crates from outside that core may use. Core decides; whatever could give it a clock, a file, a
//! socket or chance has no place in its manifest.

use super::crate_edges::line_of;
use super::metadata::Dependency;
use super::tree::{Finding, Tree};

const CORE: &str = "ralph-core";
/// Pure functions over text and values, each of them.
const CORE_MAY_USE: &[&str] =
    &["globset", "jiff", "minijinja", "regex", "serde", "serde_json", "sha2"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let is_forbidden = |dependency: &&Dependency| {
        !dependency.is_for_tests
            && !dependency.is_ours
            && !CORE_MAY_USE.contains(&dependency.name.as_str())
    };
    let core = tree.packages.iter().filter(|package| package.name == CORE);
    core.flat_map(|package| {
        package.dependencies.iter().filter(is_forbidden).map(|dependency| Finding {
            path: package.manifest.clone(),
            line: line_of(tree, &package.manifest, &dependency.name),
            message: format!(
                "core must not use {}; it may use {}. Pass in what is needed as an argument, or widen the \
                 list in xtask/src/tidy/dependencies.rs with a decision record",
                dependency.name,
                CORE_MAY_USE.join(", ")
            ),
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::metadata::Package;
    use super::super::tree::places;
    use super::*;

    fn package(name: &str, dependencies: &[(&str, bool)]) -> Package {
        let dependencies = dependencies
            .iter()
            .map(|&(name, is_for_tests)| Dependency {
                name: name.to_owned(),
                is_for_tests,
                is_ours: false,
            })
            .collect();
        Package { name: name.to_owned(), manifest: "m/Cargo.toml".to_owned(), dependencies }
    }

    #[test]
    fn core_may_not_use_tokio_but_its_tests_may_use_what_they_like() {
        let mut tree =
            Tree::planted(&[("m/Cargo.toml", "[dependencies]\nserde = \"1\"\ntokio = \"1\"\n")]);
        tree.packages = vec![package(CORE, &[("serde", false), ("tokio", false), ("insta", true)])];
        assert_eq!(places(&findings(&tree)), ["m/Cargo.toml:3"]);
    }

    #[test]
    fn other_packages_choose_for_themselves() {
        let packages = vec![package("ralph-engine", &[("rusqlite", false)])];
        let tree = Tree { packages, ..Tree::default() };
        assert_eq!(findings(&tree), []);
    }
}
