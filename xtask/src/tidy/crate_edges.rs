//! The crates of this repository that each of them may use. A crate exists only where Cargo should enforce an absence;
//! this is the table of those absences.

use super::metadata::{Dependency, Package};
use super::tree::{Finding, Tree};

/// A package, and the packages of this repository that it may use. All others are forbidden.
const MAY_USE: &[(&str, &[&str])] = &[
    ("ralph-core", &[]),
    ("ralph-contain", &[]),
    ("ralph-engine", &["ralph-core"]),
    ("ralph-github", &["ralph-core", "ralph-engine"]),
    ("ralph-adapters", &["ralph-contain", "ralph-core", "ralph-engine", "ralph-github"]),
    ("ralph-forge", &["ralph-contain"]),
    ("ralph-sim", &["ralph-core", "ralph-engine", "ralph-forge", "ralph-github"]),
    (
        "ralph-cli",
        &[
            "ralph-contain",
            "ralph-core",
            "ralph-engine",
            "ralph-github",
            "ralph-adapters",
            "ralph-forge",
        ],
    ),
    ("ralph-model", &[]),
    ("ralph-xtask", &[]),
];

/// The packages that a package may use in its tests as well. The client's answers have to come from something that
/// cannot be told apart from GitHub, and a second imitation would be a second model of it. Likewise, real agents get
/// their answers from the one scripted model.
const MAY_USE_IN_TESTS: &[(&str, &[&str])] = &[
    ("ralph-github", &["ralph-forge"]),
    ("ralph-adapters", &["ralph-model"]),
    ("ralph-cli", &["ralph-model"]),
];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    tree.packages.iter().flat_map(|package| of_package(tree, package)).collect()
}

fn of_package(tree: &Tree, package: &Package) -> Vec<Finding> {
    let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == package.name) else {
        let message = format!(
            "package {} is not in the table of crate edges; add it to MAY_USE in \
             xtask/src/tidy/crate_edges.rs and to the table in ARCHITECTURE.md",
            package.name
        );
        return vec![Finding { path: package.manifest.clone(), line: 1, message }];
    };
    let in_tests = MAY_USE_IN_TESTS.iter().find(|(name, _)| *name == package.name);
    let in_tests = in_tests.map_or(&[][..], |(_, allowed)| allowed);
    let is_forbidden = |dependency: &&Dependency| {
        let name = dependency.name.as_str();
        let is_allowed_in_tests = dependency.is_for_tests && in_tests.contains(&name);
        dependency.is_ours && !allowed.contains(&name) && !is_allowed_in_tests
    };
    let forbidden = package.dependencies.iter().filter(is_forbidden);
    forbidden.map(|dependency| of_edge(tree, package, dependency, allowed)).collect()
}

fn of_edge(tree: &Tree, package: &Package, used: &Dependency, allowed: &[&str]) -> Finding {
    let allowed =
        if allowed.is_empty() { "no crate of ours".to_owned() } else { allowed.join(", ") };
    let message = format!(
        "{} must not use {}; it may use {allowed}. Move the code to where it belongs, or change the table \
         with a decision record",
        package.name, used.name
    );
    Finding {
        path: package.manifest.clone(),
        line: line_of(tree, &package.manifest, &used.name),
        message,
    }
}

/// The line of a manifest that names a dependency; the first line if none does.
pub(super) fn line_of(tree: &Tree, manifest: &str, dependency: &str) -> usize {
    let names_it = |line: &str| {
        line.trim_start()
            .strip_prefix(dependency)
            .is_some_and(|rest| rest.starts_with([' ', '=', '.']))
    };
    let file = tree.file(manifest);
    file.and_then(|file| file.lines().find(|(_, line)| names_it(line)))
        .map_or(1, |(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    fn workspace(name: &str, used: &str) -> Tree {
        let manifest = "crates/x/Cargo.toml".to_owned();
        let text = format!("[package]\n\n[dependencies]\n{used} = {{ path = \"../y\" }}\n");
        let mut tree = Tree::planted(&[(&manifest, &text)]);
        let dependency = Dependency { name: used.to_owned(), is_for_tests: false, is_ours: true };
        tree.packages =
            vec![Package { name: name.to_owned(), manifest, dependencies: vec![dependency] }];
        tree
    }

    #[test]
    fn edges_in_the_table_are_fine_and_all_others_are_found() {
        assert_eq!(findings(&workspace("ralph-engine", "ralph-core")), []);
        assert_eq!(findings(&workspace("ralph-sim", "ralph-github")), []);
        for (package, used) in [
            ("ralph-core", "ralph-engine"),
            ("ralph-contain", "ralph-core"),
            ("ralph-forge", "ralph-core"),
            ("ralph-engine", "ralph-forge"),
            ("ralph-cli", "ralph-sim"),
            ("ralph-sim", "ralph-adapters"),
            ("ralph-cli", "ralph-model"),
            ("ralph-model", "ralph-core"),
            ("ralph-xtask", "ralph-core"),
        ] {
            let found = findings(&workspace(package, used));
            assert_eq!(places(&found), ["crates/x/Cargo.toml:4"], "{package} -> {used}");
        }
    }

    #[test]
    fn what_only_tests_may_use_is_found_elsewhere() {
        let mut tree = workspace("ralph-github", "ralph-forge");
        assert_eq!(places(&findings(&tree)), ["crates/x/Cargo.toml:4"]);
        for dependency in tree.packages.iter_mut().flat_map(|package| &mut package.dependencies) {
            dependency.is_for_tests = true;
        }
        assert_eq!(findings(&tree), []);
    }

    #[test]
    fn a_package_nobody_thought_about_is_found() {
        let found = findings(&workspace("ralph-helpers", "ralph-core"));
        assert_eq!(places(&found), ["crates/x/Cargo.toml:1"]);
    }
}
