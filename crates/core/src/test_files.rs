//! The files of a repository that are tests or check definitions: a change is judged by the base's version of them,
//! except for those that its plan names.

mod glob;
mod known;

pub use glob::Patterns;
pub use known::is_data;

use crate::ids::Sha;
use known::{DEFINITIONS, DEFINITIONS_WHEN_NEW, TESTS};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::LazyLock;

static USUAL_TESTS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(TESTS));
static USUAL_DEFINITIONS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(DEFINITIONS));
static NEW_DEFINITIONS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(DEFINITIONS_WHEN_NEW));

/// Most changed paths of a kind that are kept with a head. Git has the rest.
pub const PATHS_MAX: usize = 200;

/// The files that a change touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// The commit that they are compared with.
    pub base: Sha,
    /// Changed or removed.
    pub edited: Vec<String>,
    /// Not in the base.
    pub added: Vec<String>,
    /// There are more than are listed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

/// The part of a file in checking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Test,
    /// A check definition: it says what is checked and how. A new one may change the result of all existing tests.
    Definition,
}

/// Folders of programs that builds and checks call.
const SCRIPT_FOLDERS: [&str; 8] = ["scripts", "script", "bin", "tools", "ci", ".ci", "hack", "dev"];
const SCRIPT_ENDINGS: [&str; 2] = [".sh", ".bash"];

/// Is this a test or a check definition? `globs` are the operator's own patterns of tests.
#[must_use]
pub fn kind_of(path: &str, globs: &Patterns) -> Option<Kind> {
    if USUAL_DEFINITIONS.matches(path) {
        return Some(Kind::Definition);
    }
    (USUAL_TESTS.matches(path) || globs.matches(path)).then_some(Kind::Test)
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

/// Is a file of this name a check definition when it is new, but not when it is edited?
#[must_use]
pub fn is_definition_when_new(path: &str) -> bool {
    NEW_DEFINITIONS.matches(path)
}

/// Is this a test that something may run, so that a new one can end the run of all the others?
#[must_use]
pub fn is_running_test(path: &str, globs: &Patterns) -> bool {
    kind_of(path, globs) == Some(Kind::Test) && !is_data(path)
}

/// Could a base's test or check definition be among the changes, or be kept from its say? No means no; yes is for git
/// to look into.
#[must_use]
pub fn may_touch_tests(changes: &Changes, globs: &[String], commands: &[String]) -> bool {
    let globs = &Patterns::new(globs);
    let is_called = |path: &str| commands.iter().any(|command| mentions(command, path));
    let is_suspect =
        |path: &String| kind_of(path, globs).is_some() || may_be_script(path) || is_called(path);
    let rules = |path: &String| {
        kind_of(path, globs) == Some(Kind::Definition)
            || is_definition_when_new(path)
            || is_running_test(path, globs)
    };
    changes.is_cut || changes.edited.iter().any(is_suspect) || changes.added.iter().any(rules)
}

/// Most files that a plan can name, and the longest name that is one.
const NAMED_MAX: usize = 500;
const NAME_BYTES_MAX: usize = 300;

/// The names of files in a plan's text.
#[must_use]
pub fn named_in(plan: &str) -> Vec<String> {
    let is_name =
        |word: &&str| word.len() <= NAME_BYTES_MAX && !word.contains('*') && looks_like_file(word);
    words_in(plan).map(plain).filter(is_name).map(str::to_owned).take(NAMED_MAX).collect()
}

/// The changed files that the plan names. A name is a whole path, or the end of one if only one of the changed
/// files ends so: who speaks of a `Makefile` does not speak of all there are. A folder's name is not enough.
#[must_use]
pub fn named_among<'a>(paths: &[&'a str], named: &[String]) -> BTreeSet<&'a str> {
    let all: BTreeSet<&str> = paths.iter().copied().collect();
    let meant = |name: &String| match all.get(name.as_str()) {
        Some(path) => Some(*path),
        None => {
            let end = format!("/{name}");
            let mut ending = all.iter().filter(|path| path.ends_with(&end));
            ending.next().filter(|_| ending.next().is_none()).copied()
        }
    };
    named.iter().filter_map(meant).collect()
}

/// Could this text of a source file need that file: does it have the word by which sources call it?
#[must_use]
pub fn may_need(source: &str, path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let is_called_by_folder = ending == "go" || ["mod", "index", "__init__"].contains(&stem);
    let called = if is_called_by_folder { parts.next().unwrap_or(stem) } else { stem };
    source.split(|c: char| !c.is_alphanumeric() && !"_-".contains(c)).any(|word| word == called)
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
            assert_eq!(kind_of(path, &Patterns::new(&["own/**"])), kind, "{path}");
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
        assert!(!touches(&["src/a.py", "go.mod"], &["tests/expected/a.txt", "src/b.py"]));
        assert!(touches(&["src/a.py"], &["tests/test_a.py"]), "it may end the run of the others");
        assert!(touches(&[], &["deep/go.mod"]), "a new one takes its folder out of the module");
        assert!(touches(&["tests/test_a.py"], &[]));
        assert!(touches(&["Makefile"], &[]));
        assert!(touches(&["run/check"], &[]), "the command calls it");
        assert!(touches(&["scripts/lint"], &[]));
        assert!(touches(&[], &["conftest.py"]), "a new one has a say in all tests");
    }

    #[test]
    fn a_plan_names_files_and_not_folders() {
        let plan = "Change `tests/test_a.py`, ./src/b.py:12 and Makefile. Also (deep/c.rs). All of other/ too.";
        let paths = [
            "tests/test_a.py",
            "src/b.py",
            "Makefile",
            "sub/Makefile",
            "very/deep/c.rs",
            "verydeep/c.rs",
            "other/d.rs",
            "tests/test_b.py",
        ];
        let named = named_among(&paths, &named_in(plan));
        let expected = ["Makefile", "src/b.py", "tests/test_a.py", "very/deep/c.rs"];
        assert_eq!(named, expected.into());
    }

    #[test]
    fn the_end_of_a_path_names_a_file_if_there_is_but_one() {
        let plan = named_in("Change conftest.py and the Makefile.");
        for (paths, expected) in [
            (&["a/conftest.py"][..], &["a/conftest.py"][..]),
            (&["a/conftest.py", "b/conftest.py"], &[]),
            (&["conftest.py", "b/conftest.py"], &["conftest.py"]),
            (&["a/Makefile", "b/conftest.py"], &["a/Makefile", "b/conftest.py"]),
            (&["notconftest.py"], &[]),
        ] {
            assert_eq!(named_among(paths, &plan), expected.iter().copied().collect(), "{paths:?}");
        }
    }

    #[test]
    fn a_source_needs_what_it_calls_by_its_name() {
        for (source, path, is) in [
            ("from app.spec import parser", "app/spec/parser.py", true),
            ("from app.spec import lexer", "app/spec/parser.py", false),
            ("#[cfg(test)]\nmod tests;", "src/a/tests.rs", true),
            ("mod spec;", "src/spec/mod.rs", true),
            ("import \"acme.com/x/spec\"", "spec/new.go", true),
            ("import { a } from './test/index'", "src/test/index.ts", true),
            ("def sub(a, b):", "tests/test_a.py", false),
        ] {
            assert_eq!(may_need(source, path), is, "{source} {path}");
        }
    }
}
