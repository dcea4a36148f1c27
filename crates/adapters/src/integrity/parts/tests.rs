//! The parts of a file that the base holds, and those that a change may set.

use super::*;

fn mixed(path: &str, base: &str, head: &str) -> Option<String> {
    match held(path, base, head) {
        Held::AsItIs => None,
        Held::Mixed(text) => {
            assert_eq!(held(path, base, &text), Held::AsItIs, "once held it is the base's: {text}");
            Some(text)
        }
        Held::Whole => Some(base.to_owned()),
    }
}

fn value(path: &str, text: &str) -> Value {
    match path {
        "package.json" => serde_json::from_str(text).expect("JSON"),
        _ => toml::from_str(text).expect("TOML"),
    }
}

#[test]
fn dependencies_are_free_in_all_of_them() {
    for (path, base, head) in [
        (
            "package.json",
            r#"{"scripts":{"test":"jest"},"dependencies":{},"workspaces":["a"]}"#,
            r#"{"dependencies":{"left-pad":"1"},"scripts":{"test":"jest"},"workspaces":["a","b"]}"#,
        ),
        (
            "pyproject.toml",
            "[project]\nname = 'a'\n[tool.pytest.ini_options]\naddopts = '-x'\n[tool.poetry]\nname = 'a'\n",
            "[project]\nname = 'a'\ndependencies = ['b']\n[project.scripts]\nx = 'a:b'\n\
             [tool.poetry]\nname = 'a'\n[tool.poetry.dependencies]\nb = '1'\n[tool.pytest.ini_options]\naddopts = '-x'\n",
        ),
        (
            "pyproject.toml",
            "[project]\nname = 'a'\n",
            "[project]\nname = 'a'\n[tool.uv.sources]\nb = { path = 'b' }\n",
        ),
        (
            "Cargo.toml",
            "[package]\nname = 'a'\n[features]\ndefault = []\n[workspace]\nmembers = ['a']\n",
            "[package]\nname = 'a'\nbuild = 'build.rs'\n[features]\ndefault = []\nfast = ['dep:b']\n\
             [workspace]\nmembers = ['a', 'b']\n[dependencies]\nb = { version = '1', optional = true }\n\
             [dev-dependencies]\nc = '1'\n[[bench]]\nname = 'x'\nharness = false\n[[bin]]\nname = 'y'\n",
        ),
        (
            "setup.cfg",
            "[metadata]\nname = a\n[tool:pytest]\naddopts = -x\n",
            "[metadata]\nname = a\n[options]\ninstall_requires =\n    b\n[tool:pytest]\naddopts = -x\n",
        ),
    ] {
        assert_eq!(held(path, base, head), Held::AsItIs, "{path}");
    }
}

/// A base, what the head makes of it, and what is run.
type Case = (&'static str, &'static str, &'static str);

const PACKAGES: &[Case] = &[
    (
        r#"{"scripts":{"test":"jest"}}"#,
        r#"{"scripts":{"test":"true"},"a":1}"#,
        r#"{"scripts":{"test":"jest"},"a":1}"#,
    ),
    (r#"{"a":1}"#, r#"{"a":1,"jest":{"testMatch":[]}}"#, r#"{"a":1}"#),
    (
        r#"{"workspaces":["a","b"]}"#,
        r#"{"workspaces":["a","!b","c"]}"#,
        r#"{"workspaces":["a","c","b"]}"#,
    ),
    (
        r#"{"workspaces":{"packages":["a"]}}"#,
        r#"{"workspaces":{"packages":[]}}"#,
        r#"{"workspaces":{"packages":["a"]}}"#,
    ),
];

const PYTEST: &str = "[project]\nname = 'a'\n[tool.pytest.ini_options]\naddopts = '-x'\n";
const PROJECT: &str = "[project]\nname = 'a'\n";

const PROJECTS: &[Case] = &[
    (
        PYTEST,
        "[project]\nname = 'a'\n  [tool.pytest.ini_options]\n  addopts = '--ignore=tests'\n",
        PYTEST,
    ),
    (
        PYTEST,
        "[project]\nname = 'a'\n[\"tool\".pytest.ini_options]\naddopts = '--ignore=tests'\n",
        PYTEST,
    ),
    (PYTEST, "tool.pytest.ini_options.addopts = '--ignore=tests'\n[project]\nname = 'a'\n", PYTEST),
    (
        PYTEST,
        "tool = { pytest = { ini_options = { addopts = '-k no' } } }\nproject = { name = 'a' }\n",
        PYTEST,
    ),
    (PYTEST, PROJECT, PYTEST),
    (PROJECT, PYTEST, PROJECT),
    (PROJECT, "[project]\nname = 'a'\n[project.entry-points.pytest11]\nx = 'a'\n", PROJECT),
    (
        "[tool.hatch.envs.a.scripts]\nx = 'pytest'\n",
        "[tool.hatch.b]\n",
        "[tool.hatch]\nb = {}\nenvs.a.scripts.x = 'pytest'\n",
    ),
];

const CRATE: &str = "[package]\nname = 'a'\n";

const CRATES: &[Case] = &[
    (CRATE, "[package]\nname = 'a'\nautotests = false\n", CRATE),
    (CRATE, "package.name = 'a'\npackage.autotests = false\n", CRATE),
    (CRATE, "[package]\nname = 'a'\n[lib]\ntest = false\n", CRATE),
    (
        CRATE,
        "[package]\nname = 'a'\n[lib]\ntest = false\nname = 'b'\n",
        "[package]\nname = 'a'\n[lib]\nname = 'b'\n",
    ),
    (
        "[[bin]]\nname = 'a'\n",
        "[[bin]]\nname = 'b'\n[[bin]]\nname = 'a'\ntest = false\n",
        "[[bin]]\nname = 'b'\n[[bin]]\nname = 'a'\n",
    ),
    (CRATE, "[package]\nname = 'a'\n[[test]]\nname = 'x'\nharness = false\n", CRATE),
    (CRATE, "[package]\nname = 'a'\n[workspace]\n", CRATE),
    (
        "[workspace]\nmembers = ['a', 'b']\n",
        "[workspace]\nmembers = ['a']\nexclude = ['b']\n",
        "[workspace]\nmembers = ['a', 'b']\n",
    ),
    (CRATE, "[package]\nname = 'a'\n[profile.test]\npanic = 'abort'\n", CRATE),
    (
        "[features]\na = ['b']\n",
        "[features]\na = []\nc = []\ndefault = ['c']\n",
        "[features]\na = ['b']\nc = []\n",
    ),
    ("[lints.clippy]\nall = 'deny'\n", "", "[lints.clippy]\nall = 'deny'\n"),
];

#[test]
fn what_switches_tests_off_is_the_bases_however_it_is_written() {
    for (path, cases) in
        [("package.json", PACKAGES), ("pyproject.toml", PROJECTS), ("Cargo.toml", CRATES)]
    {
        for (base, head, expected) in cases {
            let held = mixed(path, base, head).unwrap_or_else(|| panic!("it is free: {head}"));
            assert_eq!(value(path, &held), value(path, expected), "{head}");
        }
    }
}

#[test]
fn a_heading_of_a_section_counts_wherever_it_stands() {
    let base = "[metadata]\nname = a\n[tool:pytest]\naddopts = -x\n";
    let head = "[metadata]\nname = b\n\n  [tool:pytest]\n  addopts = --ignore=tests";
    let expected = "[metadata]\nname = b\n\n[tool:pytest]\naddopts = -x\n";
    assert_eq!(held("setup.cfg", base, head), Held::Mixed(expected.to_owned()));
    let plugin = format!("{base}[options.entry_points]\npytest11 =\n    a = b\n");
    assert_eq!(held("setup.cfg", base, &plugin), Held::Mixed(base.to_owned()));
}

#[test]
fn what_cannot_be_told_apart_is_the_bases_as_a_whole() {
    for (path, base, head) in [
        ("package.json", "{}", "no JSON"),
        ("pyproject.toml", "[a]\n", "[a\n"),
        ("pyproject.toml", "[tool.x]\na = 1\n", "[tool.x]\na = 2\n[project]\nday = 2026-01-01\n"),
        ("Makefile", "a", "b"),
    ] {
        assert_eq!(held(path, base, head), Held::Whole, "{path}: {head}");
    }
    assert!(!has_parts("Makefile") && has_parts("a/Cargo.toml"));
}
