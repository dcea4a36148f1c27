//! The packages of the workspace and what they depend on, from `cargo metadata`.

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

pub(super) fn read(root: &Path) -> Result<Vec<Package>, Failure> {
    let command = Invocation::cargo(root, &["metadata", "--format-version", "1", "--no-deps"]);
    let answer = command.stdout()?;
    let packages = packages(root, &answer)
        .map_err(|source| Failure::NotJson { command: command.shown(), source })?;
    // Without packages every check about them would pass, and prove nothing.
    if packages.is_empty() {
        return Err(Failure::Missing {
            what: format!("`{}` names no packages", command.shown()),
            next: "see whether its format has changed".to_owned(),
        });
    }
    Ok(packages)
}

fn packages(root: &Path, answer: &str) -> Result<Vec<Package>, serde_json::Error> {
    let answer: Value = serde_json::from_str(answer)?;
    Ok(elements(&answer, "packages").iter().map(|package| read_package(root, package)).collect())
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
        let answer = r#"{"packages":[{"name":"a","manifest_path":"/r/crates/a/Cargo.toml","dependencies":[
            {"name":"b","kind":null,"path":"/r/crates/b"},{"name":"insta","kind":"dev"}]}]}"#;
        let packages = packages(Path::new("/r"), answer).unwrap();
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
