//! The packages of the workspace, what they depend on, and all crates that a build may fetch, from `cargo metadata`.

use super::third_party::Fetched;
use crate::command::Invocation;
use crate::failure::Failure;
use serde_json::Value;
use std::path::Path;

#[derive(Debug)]
pub(super) struct Package {
    pub(super) name: String,
    /// Relative to the root.
    pub(super) manifest: String,
    pub(super) dependencies: Vec<Dependency>,
}

#[derive(Debug)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// Only tests use it.
    pub(super) is_for_tests: bool,
    /// It is a package of this repository.
    pub(super) is_ours: bool,
}

pub(super) fn read(root: &Path) -> Result<(Vec<Package>, Vec<Fetched>), Failure> {
    let command = Invocation::cargo(root, &["metadata", "--format-version", "1"]);
    let answer: Value = serde_json::from_str(&command.stdout()?)
        .map_err(|source| Failure::NotJson { command: command.shown(), source })?;
    let packages = packages(root, &answer);
    // Without packages every check about them would pass, and prove nothing.
    if packages.is_empty() {
        return Err(Failure::Missing {
            what: format!("`{}` names no packages", command.shown()),
            next: "see whether its format has changed".to_owned(),
        });
    }
    let fetched = elements(&answer, "packages").iter().map(|package| Fetched {
        name: text(package, "name"),
        version: text(package, "version"),
        licence: text(package, "license"),
        is_ours: text(package, "source").is_empty(),
    });
    Ok((packages, fetched.collect()))
}

/// The packages of this repository: they alone have no source.
fn packages(root: &Path, answer: &Value) -> Vec<Package> {
    let is_ours = |package: &&Value| text(package, "source").is_empty();
    let ours = elements(answer, "packages").iter().filter(is_ours);
    ours.map(|package| read_package(root, package)).collect()
}

fn read_package(root: &Path, package: &Value) -> Package {
    let manifest = text(package, "manifest_path");
    let relative = Path::new(&manifest).strip_prefix(root).unwrap_or(Path::new(&manifest));
    Package {
        name: text(package, "name"),
        manifest: relative.to_string_lossy().replace('\\', "/"),
        dependencies: elements(package, "dependencies").iter().map(read_dependency).collect(),
    }
}

fn read_dependency(dependency: &Value) -> Dependency {
    Dependency {
        name: text(dependency, "name"),
        is_for_tests: text(dependency, "kind") == "dev",
        is_ours: dependency.get("path").is_some_and(Value::is_string),
    }
}

fn elements<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_come_with_their_manifest_and_the_kind_of_each_dependency() {
        let answer = r#"{"packages":[{"name":"insta","source":"registry+https://r"},{"name":"a","manifest_path":"/r/crates/a/Cargo.toml","dependencies":[
            {"name":"b","kind":null,"path":"/r/crates/b"},{"name":"insta","kind":"dev"}]}]}"#;
        let packages = packages(Path::new("/r"), &serde_json::from_str(answer).unwrap());
        assert_eq!(packages.len(), 1);
        assert_eq!(packages[0].manifest, "crates/a/Cargo.toml");
        let kinds: Vec<_> = packages[0]
            .dependencies
            .iter()
            .map(|found| (found.name.as_str(), found.is_for_tests, found.is_ours))
            .collect();
        assert_eq!(kinds, [("b", false, true), ("insta", true, false)]);
    }
}
