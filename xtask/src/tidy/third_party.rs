//! Third-party crates: each version stands once, in the workspace, and licences and duplicates are those that `deny.toml`
//! allows.

use super::crate_edges::line_of;
use super::tree::{Finding, SourceFile, Tree};
use serde_json::Value;
use std::collections::BTreeMap;

const RULES: &str = "deny.toml";

/// A crate that a build may fetch.
#[derive(Debug, Clone)]
pub(super) struct Fetched {
    pub(super) name: String,
    pub(super) version: String,
    /// An SPDX expression; empty if the crate names none.
    pub(super) licence: String,
    pub(super) is_ours: bool,
}

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        tree.packages.iter().flat_map(|p| own_versions(tree, p)).collect();
    let Some(file) = tree.file(RULES) else { return found };
    match toml::from_str::<Value>(&file.text) {
        Ok(rules) => found.extend(of_rules(file, &rules, &tree.fetched)),
        Err(error) => found.push(file.finding(1, format!("this is not TOML: {}", error.message()))),
    }
    found
}

/// Dependencies whose version a manifest repeats.
fn own_versions(tree: &Tree, package: &super::metadata::Package) -> Vec<Finding> {
    let Some(file) = tree.file(&package.manifest) else { return Vec::new() };
    let repeats = |name: &str| {
        let line = line_of(tree, &package.manifest, name);
        let text = file.lines().find(|(number, _)| *number == line).map_or("", |(_, text)| text);
        (!text.contains("workspace = true")).then_some(line)
    };
    let says = "write `.workspace = true` here and the version into [workspace.dependencies] of Cargo.toml";
    let lines = package.dependencies.iter().filter_map(|dependency| repeats(&dependency.name));
    lines.map(|line| file.finding(line, says)).collect()
}

fn of_rules(file: &SourceFile, rules: &Value, fetched: &[Fetched]) -> Vec<Finding> {
    let texts = |at: &str| -> Vec<&str> {
        let list = rules.pointer(at).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|item| item.as_str().or_else(|| item.get("crate")?.as_str())).collect()
    };
    let (licences, skipped) = (texts("/licenses/allow"), texts("/bans/skip"));
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut found = Vec::new();
    for Fetched { name, version, licence, .. } in fetched.iter().filter(|it| !it.is_ours) {
        versions.entry(name).or_default().push(version);
        if !is_allowed(licence, &licences) {
            found.push(format!(
                "{name} {version} is under `{licence}`, which [licenses] does not allow"
            ));
        }
    }
    for (name, versions) in &versions {
        let is_skipped = skipped.contains(name);
        if versions.len() > 1 && !is_skipped {
            let versions = versions.join(" and ");
            found.push(format!(
                "{name} is there in {versions}; let one go, or give the reason in `skip`"
            ));
        }
        if versions.len() == 1 && is_skipped {
            found.push(format!("{name} is there in one version only; take it out of `skip`"));
        }
    }
    found.into_iter().map(|message| file.finding(1, message)).collect()
}

/// Is there a way to keep this licence? `A OR B` needs one of them, `A AND B` both; `/` is an older `OR`.
fn is_allowed(licence: &str, allowed: &[&str]) -> bool {
    let licence = licence.replace(" / ", " OR ").replace('/', " OR ");
    split_outside(&licence, " AND ").iter().all(|part| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        split_outside(part, " OR ").iter().any(|name| allowed.contains(&name.trim()))
    })
}

/// The parts between a word, except where it stands within parentheses.
fn split_outside<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let is_outside = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        before.matches('(').count() == before.matches(')').count()
    };
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(word).filter(|(at, _)| is_outside(*at)) {
        parts.extend(text.get(start..at));
        start = at + word.len();
    }
    parts.extend(text.get(start..));
    parts
}

#[cfg(test)]
mod tests {
    use super::super::metadata::{Dependency, Package};
    use super::*;

    #[test]
    fn one_of_several_licences_is_enough_and_joined_ones_are_all_needed() {
        let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"];
        for (licence, is) in [
            ("MIT OR GPL-3.0", true),
            ("GPL-3.0", false),
            ("", false),
            ("MIT/Apache-2.0", true),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("(GPL-3.0 OR Apache-2.0) AND Unicode-3.0", false),
            ("Apache-2.0 WITH LLVM-exception", true),
        ] {
            assert_eq!(is_allowed(licence, &allowed), is, "{licence}");
        }
    }

    #[test]
    fn a_licence_and_a_duplicate_that_are_not_allowed_are_found() {
        let rules = "[licenses]\nallow = [\"MIT\"]\n[bans]\nskip = [{ crate = \"old\" }]\n";
        let mut tree = Tree::planted(&[(RULES, rules)]);
        let fetched = |(name, version, licence): (&str, &str, &str)| Fetched {
            name: name.to_owned(),
            version: version.to_owned(),
            licence: licence.to_owned(),
            is_ours: name.starts_with("ralph-"),
        };
        let crates = [
            ("a", "1", "MIT"),
            ("a", "2", "MIT"),
            ("b", "1", "GPL-3.0"),
            ("old", "1", "MIT"),
            ("ralph-core", "0", ""),
        ];
        tree.fetched = crates.map(fetched).into();
        let says: Vec<String> = findings(&tree).into_iter().map(|found| found.message).collect();
        assert_eq!(
            says,
            [
                "b 1 is under `GPL-3.0`, which [licenses] does not allow",
                "a is there in 1 and 2; let one go, or give the reason in `skip`",
                "old is there in one version only; take it out of `skip`",
            ]
        );
    }

    #[test]
    fn a_version_in_a_crates_manifest_is_found() {
        let manifest = "crates/x/Cargo.toml";
        let text = "[dependencies]\nserde.workspace = true\ntoml = \"1\"\n";
        let mut tree = Tree::planted(&[(manifest, text)]);
        let uses =
            |name: &str| Dependency { name: name.to_owned(), is_for_tests: false, is_ours: false };
        tree.packages = vec![Package {
            name: "x".to_owned(),
            manifest: manifest.to_owned(),
            dependencies: vec![uses("serde"), uses("toml")],
        }];
        assert_eq!(super::super::tree::places(&findings(&tree)), ["crates/x/Cargo.toml:3"]);
    }
}
