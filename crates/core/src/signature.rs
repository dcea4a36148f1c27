//! What two failures have in common when they are the same failure. A lane stops early when a signature
//! repeats, so nothing in it may differ from run to run: no time, duration, id, count or line number.

use crate::digest::Digest;
use crate::excerpt::clean;
use crate::redact::redact;
use crate::verdict::cut;
use regex::{Captures, Regex};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

/// The end of a log that is looked at; what failed is said there.
const LOG_BYTES_MAX: usize = 256 * 1024;
/// Matches of one pattern that are compared; the first in the alphabet stands for all of them, because
/// tests that run in parallel fail in any order.
const MATCHES_MAX: usize = 100;
const MESSAGE_BYTES_MAX: usize = 300;
const HASH_CHARS: usize = 16;

/// Equal for two failures that a person would call the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Signature {
    /// Stands for all the rest.
    pub hash: String,
    pub check: String,
    pub test: Option<String>,
    /// What kind of error it is, such as `E0308` or `AssertionError`.
    pub class: String,
    /// What was said, with everything that changes from run to run taken out.
    pub message: String,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hash)
    }
}

/// The signature of a failed check, read from its log.
#[must_use]
pub fn signature(check: &str, log: &str) -> Signature {
    let start = log.ceil_char_boundary(log.len().saturating_sub(LOG_BYTES_MAX));
    let cleaned = clean(log.get(start..).unwrap_or_default());
    let log = replace_all(&LINE_STARTS, Cow::Borrowed(&cleaned));
    let check = cut(check.trim(), MESSAGE_BYTES_MAX).to_owned();
    let test = first_match(&TESTS, &log).map(|found| found.text);
    let error = first_match(&ERRORS, &log).unwrap_or_else(|| last_line(&log));
    let parts = [&check, test.as_deref().unwrap_or_default(), &error.class, &error.text];
    let hash = cut(&Digest::of(&parts.join("\0")).to_string(), HASH_CHARS).to_owned();
    Signature { hash, check, test, class: error.class, message: error.text }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    class: String,
    text: String,
}

/// What the first pattern that matches anywhere finds.
fn first_match(patterns: &[(Regex, &'static str)], log: &str) -> Option<Found> {
    patterns.iter().find_map(|(pattern, class)| {
        let found = pattern.captures_iter(log).take(MATCHES_MAX);
        found.map(|captures| read_match(&captures, class)).min()
    })
}

fn read_match(captures: &Captures<'_>, class: &str) -> Found {
    let group = |name| captures.name(name).map_or("", |found| found.as_str());
    let class = captures.name("class").map_or(class, |found| found.as_str());
    let separator = if group("path").is_empty() { "" } else { ": " };
    let text = normalise(&format!("{}{separator}{}", group("path"), group("text")));
    Found { class: cut(class, MESSAGE_BYTES_MAX).to_owned(), text }
}

fn last_line(log: &str) -> Found {
    let line = log.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    Found { class: "unknown".to_owned(), text: normalise(line) }
}

fn normalise(message: &str) -> String {
    // Secrets go first: with its digits replaced a token would no longer be recognised.
    let message = redact(message);
    let message = replace_paths(message);
    let message = replace_all(&VOLATILE, message);
    let words = message.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&words, MESSAGE_BYTES_MAX).to_owned()
}

fn replace_paths(text: Cow<'_, str>) -> Cow<'_, str> {
    PATHS.iter().fold(text, |text, (pattern, _)| {
        let relative = |captures: &Captures<'_>| {
            let group = |name| captures.name(name).map_or("", |found| found.as_str());
            format!("{}{}", group("before"), repository_relative(group("path")))
        };
        match pattern.replace_all(&text, relative) {
            Cow::Borrowed(_) => text,
            Cow::Owned(changed) => Cow::Owned(changed),
        }
    })
}

/// The part of an absolute path that is the same in every checkout: from the first folder that
/// repositories keep their sources in, else the file's name.
fn repository_relative(path: &str) -> String {
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let folders = parts.len().saturating_sub(1);
    let first = parts.iter().take(folders).position(|part| SOURCE_FOLDERS.contains(part));
    let is_temporary = path.starts_with("/tmp/") || path.contains("/var/folders/");
    match first {
        Some(first) => parts.get(first..).unwrap_or_default().join("/"),
        None if is_temporary => "<tmp>".to_owned(),
        None => parts.last().copied().unwrap_or_default().to_owned(),
    }
}

const SOURCE_FOLDERS: [&str; 15] = [
    "src", "crates", "packages", "apps", "lib", "libs", "tests", "test", "spec", "cmd", "pkg",
    "internal", "scripts", "docs", "examples",
];

fn replace_all<'a>(patterns: &[(Regex, &'static str)], text: Cow<'a, str>) -> Cow<'a, str> {
    patterns.iter().fold(text, |text, (pattern, replacement)| {
        match pattern.replace_all(&text, *replacement) {
            Cow::Borrowed(_) => text,
            Cow::Owned(changed) => Cow::Owned(changed),
        }
    })
}

type Patterns = LazyLock<Vec<(Regex, &'static str)>>;

/// A pattern that does not compile would be left out here; a test proves that there is none.
fn compiled(sources: &[(&str, &'static str)]) -> Vec<(Regex, &'static str)> {
    let compile =
        |&(source, second): &(&str, &'static str)| Some((Regex::new(source).ok()?, second));
    sources.iter().filter_map(compile).collect()
}

/// What runners put before each line.
const LINE_STARTS_SOURCE: [(&str, &str); 1] = [(
    r"(?m)^(?:(?:[^\t\n:]{1,100}\t[^\t\n:]{1,100}\t)?\[?[0-9]{4}-[0-9][0-9]-[0-9][0-9][T ][0-9][0-9]:[0-9][0-9]:[0-9][0-9](?:[.,][0-9]+)?(?:Z|[+-][0-9][0-9]:?[0-9][0-9])?\]?(?:[ \t]|$))+",
    "",
)];
static LINE_STARTS: Patterns = LazyLock::new(|| compiled(&LINE_STARTS_SOURCE));

/// Names of failed tests: cargo, nextest, pytest, go, jest and vitest.
const TESTS_SOURCE: [(&str, &str); 7] = [
    (r"(?m)^test (?<text>\S+)(?: - should panic)? \.\.\. FAILED", ""),
    (r"(?m)^ *FAIL \[[^\]\n]*\](?: \([^)\n]*\))? +(?<text>\S.*)$", ""),
    (r"thread '(?<text>[^'\n]*::[^'\n]*)'(?: \([0-9]+\))? panicked at", ""),
    (r"(?m)^(?:FAILED|ERROR) (?<text>\S+::\S+)", ""),
    (r"(?m)^ *--- FAIL: (?<text>\S+)", ""),
    (r"(?m)^ *● (?<text>\S.*)$", ""),
    (r"(?m)^ *(?:FAIL|×|✕|✗) +(?<text>\S.*? > .*)$", ""),
];
static TESTS: Patterns = LazyLock::new(|| compiled(&TESTS_SOURCE));

/// Errors with the class they have unless the pattern finds one, the most telling first.
const ERRORS_SOURCE: [(&str, &str); 13] = [
    (r"(?m)^error\[(?<class>E[0-9]+)\]: (?<text>.+)$", ""),
    (
        r"(?m)^(?<path>[^\s(:]+)(?:\([0-9]+,[0-9]+\)|:[0-9]+:[0-9]+)(?::| -) error (?<class>TS[0-9]+): (?<text>.+)$",
        "",
    ),
    (r"panicked at (?<path>[^\s:']+):[0-9]+:[0-9]+:\n(?<text>.+)", "panic"),
    (r"panicked at '(?<text>[^'\n]*)'", "panic"),
    (r"(?m)^E +(?<class>[A-Za-z_.]+(?:Error|Exception|Failed|Timeout)): (?<text>.+)$", ""),
    (r"(?m)^E +(?<text>assert .+)$", "AssertionError"),
    (
        r"(?m)^[ \t]*(?:Uncaught )?(?<class>[A-Za-z_.]*(?:Error|Exception))(?: \[\w+\])?: (?<text>.+)$",
        "",
    ),
    (r"(?m)^[ \t]*(?<text>expect\(.+)$", "assertion"),
    (r"(?m)^panic: (?<text>.+)$", "panic"),
    (r"(?m)^[ \t]*(?<path>\S+_test\.go):[0-9]+: (?<text>.+)$", "test"),
    (r"(?m)^(?<path>\S+\.go):[0-9]+:[0-9]+: (?<text>.+)$", "compile"),
    (r"(?m)^error: (?<text>.+)$", "error"),
    (
        r"(?mi)^(?<text>.*(?-u:\b)(?:error|fatal|failed|failure|cannot|timed out|not found)(?-u:\b).*)$",
        "error",
    ),
];
static ERRORS: Patterns = LazyLock::new(|| compiled(&ERRORS_SOURCE));

/// Absolute paths of both worlds, not the path of an address.
const PATHS_SOURCE: [(&str, &str); 1] =
    [(r#"(?<before>^|[\s"'`(\[=,]|file://)(?<path>(?:~|[A-Za-z]:)?(?:[/\\]+[\w.@+-]+)+)"#, "")];
static PATHS: Patterns = LazyLock::new(|| compiled(&PATHS_SOURCE));

/// Ids and counts share a name: a commit may happen to have no letter in it.
const VOLATILE_SOURCE: [(&str, &str); 9] = [
    (
        r"[0-9]{4}-[0-9][0-9]-[0-9][0-9](?:[T ][0-9][0-9]:[0-9][0-9](?::[0-9][0-9])?(?:[.,][0-9]+)?(?:Z|[+-][0-9][0-9]:?[0-9][0-9])?)?",
        "<time>",
    ),
    (r"(?-u:\b)[0-9]{1,2}:[0-9][0-9]:[0-9][0-9](?:[.,][0-9]+)?", "<time>"),
    (r"(?i)(?-u:\b)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?-u:\b)", "<n>"),
    (r"(?i)(?-u:\b)0x[0-9a-f]+(?-u:\b)", "<n>"),
    (r"(?<file>\.[a-z]{1,5})(?::[0-9]+(?::[0-9]+)?|\([0-9]+(?:,[0-9]+)?\))", "$file"),
    (r"(?-u:\b)[0-9a-f]{7,64}(?-u:\b)", "<n>"),
    (
        r"(?-u:\b)(?:[0-9]+(?:\.[0-9]+)?(?: ?(?:ns|us|µs|ms|secs?|seconds?|mins?|minutes?|hours?)|[smh]))+(?-u:\b)",
        "<time>",
    ),
    (r"(?-u:\b)[0-9][0-9.,_]*(?-u:\b)", "<n>"),
    (r"_[0-9]{3,}(?-u:\b)", "_<n>"),
];
static VOLATILE: Patterns = LazyLock::new(|| compiled(&VOLATILE_SOURCE));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(LINE_STARTS.len(), LINE_STARTS_SOURCE.len());
        assert_eq!(TESTS.len(), TESTS_SOURCE.len());
        assert_eq!(ERRORS.len(), ERRORS_SOURCE.len());
        assert_eq!(PATHS.len(), PATHS_SOURCE.len());
        assert_eq!(VOLATILE.len(), VOLATILE_SOURCE.len());
    }

    #[test]
    fn each_tool_is_understood() {
        for (log, test, class, message) in [
            ("error[E0308]: mismatched types\n --> src/a.rs:1:2", "", "E0308", "mismatched types"),
            (
                "test a::b ... FAILED\nthread 'a::b' (77) panicked at /w/1/crates/x/src/a.rs:1:2:\nleft: 3",
                "a::b",
                "panic",
                "crates/x/src/a.rs: left: <n>",
            ),
            (
                "E       ValueError: bad row 7\nFAILED tests/test_x.py::test_y - ValueError: bad",
                "tests/test_x.py::test_y",
                "ValueError",
                "bad row <n>",
            ),
            ("E   assert 1 == 2", "", "AssertionError", "assert <n> == <n>"),
            (
                "  ● cart › adds\n\n    TypeError: x is not a function\n      at src/a.ts:1:2",
                "cart › adds",
                "TypeError",
                "x is not a function",
            ),
            (
                "--- FAIL: TestAdd (0.01s)\n    add_test.go:12: got 4 after 1.5s",
                "TestAdd",
                "test",
                "add_test.go: got <n> after <time>",
            ),
            ("src/a.ts(3,4): error TS2345: no", "", "TS2345", "src/a.ts: no"),
            ("npm ERR!\nmake: *** [x] Error 2", "", "error", "make: *** [x] Error <n>"),
            ("killed", "", "unknown", "killed"),
            ("", "", "unknown", ""),
        ] {
            let found = signature("ci", log);
            let shown = (found.test.as_deref().unwrap_or(""), &*found.class, &*found.message);
            assert_eq!(shown, (test, class, message), "{log}");
        }
    }

    #[test]
    fn what_changes_from_run_to_run_does_not_change_the_signature() {
        for (one, other) in [
            ("2026-01-02T03:04:05.678Z error: x", "2027-11-12T13:14:15Z error: x"),
            ("job\tstep\t2026-01-02T03:04:05Z error: x", "error: x"),
            ("error: at 2026-01-02 03:04 in 3.4s", "error: at 2026-05-06 07:08 in 120s"),
            ("error: took 1m30s", "error: took 2h05m"),
            (
                "error: run 3f2a9c1d-aaaa-bbbb-cccc-0123456789ab",
                "error: run 00000000-1111-2222-3333-444444444444",
            ),
            ("error: commit deadbeef1 gone", "error: commit 0123abc gone"),
            ("error: at 0x7ffe12", "error: at 0xdeadbeef"),
            ("error: connect 127.0.0.1:3000", "error: connect 127.0.0.1:41234"),
            ("error: open /tmp/a8Xk/out", "error: open /tmp/other/file"),
            ("error: in /home/bob/wt-1/src/a.rs:1:2", "error: in D:\\a\\r\\src\\a.rs:10:20"),
            ("error: in src/a.rs:1:2", "error: in /work/x/src/a.rs:3"),
            ("error: 3 of 4 failed", "error: 12 of 40 failed"),
            ("\u{1b}[31merror\u{1b}[0m: x", "error: x\r\n"),
            ("test b ... FAILED\ntest a ... FAILED", "test a ... FAILED\ntest b ... FAILED"),
        ] {
            assert_eq!(signature("ci", one), signature("ci", other), "{one:?} and {other:?}");
        }
    }

    #[test]
    fn different_failures_differ() {
        for (one, other) in [
            ("error: no such file", "error: no such table"),
            ("error: in src/a.rs:1:2", "error: in src/b.rs:1:2"),
            ("error[E0308]: x", "error[E0309]: x"),
            ("test a ... FAILED", "test b ... FAILED"),
        ] {
            assert_ne!(signature("ci", one).hash, signature("ci", other).hash, "{one:?}");
        }
        assert_ne!(signature("lint", "error: x").hash, signature("test", "error: x").hash);
    }

    #[test]
    fn secrets_do_not_get_into_a_message() {
        let found = signature("ci", "error: denied for ghp_0123456789abcdefghij");
        assert_eq!(found.message, "denied for [redacted]");
    }
}
