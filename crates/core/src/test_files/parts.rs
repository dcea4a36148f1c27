//! Files of which only a part says what is checked: the rest of a `package.json` or a `pyproject.toml` is about
//! dependencies, and a change may well need new ones.

use serde_json::{Map, Value};

/// The entries of a `package.json` that say what is checked.
const PACKAGE_KEYS: [&str; 9] =
    ["scripts", "jest", "mocha", "ava", "vitest", "nyc", "c8", "eslintConfig", "eslintIgnore"];

/// How the sections of a file begin that say what is checked.
const SECTIONS: [(&str, &[&str]); 3] = [
    ("pyproject.toml", &["[tool."]),
    ("setup.cfg", &["[tool:", "[flake8", "[mypy", "[coverage", "[pycodestyle"]),
    (
        "Cargo.toml",
        &["[lints", "[workspace.lints", "[[test]]", "[lib]", "[profile.test", "[features]"],
    ),
];

/// The part of a file that says what is checked; for most files that is all of it.
#[must_use]
pub fn judged_part(path: &str, text: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    if name == "package.json" {
        return serde_json::from_str(text).map_or_else(
            |_| text.to_owned(),
            |package: Map<String, Value>| {
                let judged = PACKAGE_KEYS.iter().filter_map(|key| Some((*key, package.get(*key)?)));
                judged.map(|(key, value)| format!("{key}: {value}\n")).collect()
            },
        );
    }
    match judged_sections(name) {
        None => text.to_owned(),
        Some(judged) => sections(text).filter(|part| is_judged(part, judged)).collect(),
    }
}

/// The text of the head with what says what is checked as the base has it. `None`: the whole file is the base's.
#[must_use]
pub fn with_judged_part_of(path: &str, base: &str, head: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or_default();
    if name == "package.json" {
        let base: Map<String, Value> = serde_json::from_str(base).ok()?;
        let mut mixed: Map<String, Value> = serde_json::from_str(head).ok()?;
        for key in PACKAGE_KEYS {
            mixed.remove(key);
            mixed.extend(base.get(key).map(|value| (key.to_owned(), value.clone())));
        }
        return serde_json::to_string_pretty(&mixed).ok();
    }
    let judged = judged_sections(name)?;
    let others = sections(head).filter(|part| !is_judged(part, judged));
    let own = sections(base).filter(|part| is_judged(part, judged));
    let mut mixed = String::new();
    for part in others.chain(own) {
        mixed.push_str(part);
        if !part.ends_with('\n') {
            mixed.push('\n');
        }
    }
    Some(mixed)
}

fn judged_sections(name: &str) -> Option<&'static [&'static str]> {
    SECTIONS.iter().find(|(file, _)| *file == name).map(|(_, judged)| *judged)
}

fn is_judged(part: &str, judged: &[&str]) -> bool {
    judged.iter().any(|beginning| part.starts_with(beginning))
}

/// A file of sections, each from its heading to the next; what stands before the first is one too.
fn sections(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.match_indices("\n[").next().map_or(rest.len(), |(at, _)| at + 1);
        let (part, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_part_of_a_package_says_what_is_checked() {
        let base = r#"{"scripts":{"test":"jest"},"dependencies":{}}"#;
        let adds = r#"{"scripts":{"test":"jest"},"dependencies":{"left-pad":"1.0.0"}}"#;
        let cheats = r#"{"scripts":{"test":"true"},"dependencies":{"left-pad":"1.0.0"}}"#;
        assert_eq!(judged_part("package.json", base), judged_part("package.json", adds));
        assert_ne!(judged_part("package.json", base), judged_part("package.json", cheats));
        let mixed = with_judged_part_of("a/package.json", base, cheats).unwrap();
        assert_eq!(judged_part("package.json", &mixed), judged_part("package.json", base));
        assert!(mixed.contains("left-pad"), "{mixed}");
        assert_eq!(with_judged_part_of("package.json", base, "no JSON"), None);
    }

    #[test]
    fn only_some_sections_of_a_project_file_say_what_is_checked() {
        let base = "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"-x\"\n";
        let head = "[project]\nname = \"a\"\ndependencies = [\"b\"]\n\
                    [tool.pytest.ini_options]\naddopts = \"--ignore=tests\"\n[tool.more]\nx = 1";
        let mixed = with_judged_part_of("pyproject.toml", base, head).unwrap();
        assert_eq!(
            mixed,
            "[project]\nname = \"a\"\ndependencies = [\"b\"]\n[tool.pytest.ini_options]\naddopts = \"-x\"\n"
        );
        assert_eq!(judged_part("pyproject.toml", &mixed), judged_part("pyproject.toml", base));
        assert_eq!(judged_part("Makefile", "all:\n"), "all:\n");
        assert_eq!(with_judged_part_of("Makefile", "a", "b"), None);
    }
}
