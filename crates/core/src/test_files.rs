//! Which files of a repository are tests and which say what is checked: a change is judged by the base's version
//! of them. And which of them a plan has named, because these it may change.

mod glob;
mod parts;

pub use parts::{judged_part, with_judged_part_of};

use crate::ids::Sha;
use serde::{Deserialize, Serialize};

/// Most changed paths of a kind that are kept with a head. Whoever needs more asks git.
pub const PATHS_MAX: usize = 200;

/// The files that a change touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// What they are compared with.
    pub base: Sha,
    /// Changed or removed.
    pub edited: Vec<String>,
    /// Not in the base.
    pub added: Vec<String>,
    /// There are more than are listed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

/// What a file has to do with checking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Test,
    /// Says what is checked and how. A new one may change what becomes of all the tests there are.
    Definition,
}

/// Tests, by what is usual in each language.
const TESTS: [&str; 28] = [
    "**/tests/**",
    "**/test/**",
    "**/spec/**",
    "**/__tests__/**",
    "**/__mocks__/**",
    "**/__snapshots__/**",
    "**/testdata/**",
    "**/src/test/**",
    "*.snap",
    "*.bats",
    "*.test.*",
    "*.spec.*",
    "test_*.py",
    "*_test.py",
    "*_test.go",
    "*_test.rs",
    "tests.rs",
    "*_test.rb",
    "*_spec.rb",
    "*_test.exs",
    "*_test.c",
    "*_test.cc",
    "*_test.cpp",
    "*Test.java",
    "*Tests.java",
    "*Test.kt",
    "*Tests.cs",
    "*Test.php",
];

/// What is checked, and how.
const DEFINITIONS: [&str; 44] = [
    ".ralph/checks.toml",
    ".github/workflows/**",
    ".github/actions/**",
    ".gitlab-ci.yml",
    ".circleci/**",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "*.mk",
    "justfile",
    "Justfile",
    "Taskfile.yml",
    "package.json",
    "pytest.ini",
    "conftest.py",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "noxfile.py",
    ".coveragerc",
    "sitecustomize.py",
    "usercustomize.py",
    "jest.config.*",
    "vitest.config.*",
    "karma.conf.*",
    "playwright.config.*",
    "cypress.config.*",
    ".mocharc*",
    ".npmrc",
    "tsconfig*.json",
    ".eslintrc*",
    ".eslintignore",
    "eslint.config.*",
    "biome.json",
    "Cargo.toml",
    ".cargo/**",
    ".config/nextest.toml",
    "clippy.toml",
    ".clippy.toml",
    ".rspec",
    "phpunit.xml*",
    "build.gradle*",
    "pom.xml",
    // It says what the files of a checkout are like.
    ".gitattributes",
];

/// Folders of programs that builds and checks call.
const SCRIPT_FOLDERS: [&str; 8] = ["scripts", "script", "bin", "tools", "ci", ".ci", "hack", "dev"];
const SCRIPT_ENDINGS: [&str; 2] = [".sh", ".bash"];

/// Is this a test or a check definition? `globs` are the operator's own patterns of tests.
#[must_use]
pub fn kind_of(path: &str, globs: &[String]) -> Option<Kind> {
    if DEFINITIONS.iter().any(|glob| glob::matches(glob, path)) {
        return Some(Kind::Definition);
    }
    let mut tests = TESTS.iter().copied().chain(globs.iter().map(String::as_str));
    tests.any(|glob| glob::matches(glob, path)).then_some(Kind::Test)
}

/// Could this be a program that a check definition calls?
#[must_use]
pub fn may_be_script(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    SCRIPT_ENDINGS.iter().any(|ending| path.ends_with(ending))
        || folders.any(|folder| SCRIPT_FOLDERS.contains(&folder))
}

/// Is there a word in this text that names the file?
#[must_use]
pub fn mentions(text: &str, path: &str) -> bool {
    words_in(text).any(|word| plain(word) == path)
}

/// Could a base's test or check definition be among the changes? No means no; yes is for git to look into.
#[must_use]
pub fn may_touch_tests(changes: &Changes, globs: &[String], commands: &[String]) -> bool {
    let is_called = |path: &str| commands.iter().any(|command| mentions(command, path));
    let is_suspect =
        |path: &String| kind_of(path, globs).is_some() || may_be_script(path) || is_called(path);
    let is_rule = |path: &String| {
        kind_of(path, globs) == Some(Kind::Definition) || glob::matches("*_test.go", path)
    };
    changes.is_cut || changes.edited.iter().any(is_suspect) || changes.added.iter().any(is_rule)
}

/// Most files that a plan can name, and the longest name that is one.
const NAMED_MAX: usize = 500;
const NAME_BYTES_MAX: usize = 300;

/// What in a plan's text names a file.
#[must_use]
pub fn named_in(plan: &str) -> Vec<String> {
    let is_name =
        |word: &&str| word.len() <= NAME_BYTES_MAX && !word.contains('*') && looks_like_file(word);
    words_in(plan).map(plain).filter(is_name).map(str::to_owned).take(NAMED_MAX).collect()
}

/// Has the plan named this file: by its whole path, or by the end of it? A folder's name is not enough.
#[must_use]
pub fn is_named(path: &str, named: &[String]) -> bool {
    let ends_with = |name: &str| {
        path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    named.iter().any(|name| ends_with(name))
}

fn looks_like_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    let has_ending = name.rsplit_once('.').is_some_and(|(_, ending)| !ending.is_empty());
    !name.is_empty() && (has_ending || word.contains('/') || DEFINITIONS.contains(&name))
}

fn words_in(text: &str) -> impl Iterator<Item = &str> {
    let parts = |c: char| c.is_whitespace() || "`'\"()[]{}<>,;|&=$".contains(c);
    text.split(parts).filter(|word| !word.is_empty())
}

/// A word without what is not part of a path: a dot at its end, a line number, `./` before it.
fn plain(word: &str) -> &str {
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    let word = match word.rsplit_once(':') {
        Some((path, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => path,
        Some(_) | None => word,
    };
    word.strip_prefix("./").unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_check_definitions_are_known_by_their_path() {
        for (path, kind) in [
            ("tests/cli.rs", Some(Kind::Test)),
            ("crates/core/tests/decisions/run.rs", Some(Kind::Test)),
            ("src/calc_test.go", Some(Kind::Test)),
            ("app/button.spec.tsx", Some(Kind::Test)),
            ("test_calc.py", Some(Kind::Test)),
            ("pkg/tests/conftest.py", Some(Kind::Definition)),
            ("Makefile", Some(Kind::Definition)),
            ("lib/Makefile", Some(Kind::Definition)),
            (".github/workflows/ci.yml", Some(Kind::Definition)),
            ("src/main.rs", None),
            ("src/latest.rs", None),
            ("docs/testing.md", None),
            ("own/check.data", Some(Kind::Test)),
        ] {
            assert_eq!(kind_of(path, &["own/**".to_owned()]), kind, "{path}");
        }
    }

    #[test]
    fn a_change_that_cannot_touch_the_bases_tests_needs_no_look() {
        let touches = |edited: &[&str], added: &[&str]| {
            let owned = |paths: &[&str]| paths.iter().map(|&path| path.to_owned()).collect();
            let (edited, added) = (owned(edited), owned(added));
            let changes = Changes { base: Sha::new("b"), edited, added, is_cut: false };
            may_touch_tests(&changes, &[], &["sh run/check --all".to_owned()])
        };
        assert!(!touches(&["src/a.py"], &["tests/test_a.py", "src/b.py"]));
        assert!(touches(&["tests/test_a.py"], &[]));
        assert!(touches(&["Makefile"], &[]));
        assert!(touches(&["run/check"], &[]), "the command calls it");
        assert!(touches(&["scripts/lint"], &[]));
        assert!(touches(&[], &["conftest.py"]), "a new one has a say in all tests");
    }

    #[test]
    fn a_plan_names_files_and_not_folders() {
        let plan = "Change `tests/test_a.py`, ./src/b.py:12 and Makefile. Also (deep/c.rs). All of other/ too.";
        let named = named_in(plan);
        for (path, is) in [
            ("tests/test_a.py", true),
            ("src/b.py", true),
            ("Makefile", true),
            ("sub/Makefile", true),
            ("very/deep/c.rs", true),
            ("verydeep/c.rs", false),
            ("other/d.rs", false),
            ("tests/test_b.py", false),
        ] {
            assert_eq!(is_named(path, &named), is, "{path} in {named:?}");
        }
    }
}
