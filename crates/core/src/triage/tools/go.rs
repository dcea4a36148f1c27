//! Go: the compiler and vet, failed tests, panics, and modules that could not be fetched.

use crate::triage::failure::{FAILURES_MAX, Failure, Kind, block, message};
use crate::triage::pattern::{Pattern, group};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

const PANIC_LINES_MAX: usize = 24;
/// Lines of one test that make up its message.
const SAID_LINES_MAX: usize = 4;

pub(super) fn failures(lines: &[&str]) -> Vec<Failure> {
    let mut found = sources(lines);
    let panics = panics(lines);
    let panicked: BTreeSet<&str> =
        panics.iter().filter_map(|panic| panic.test.as_deref()).collect();
    let tests = tests(lines);
    found.extend(
        tests
            .into_iter()
            .filter(|failed| failed.test.as_deref().is_none_or(|test| !panicked.contains(test))),
    );
    found.extend(panics);
    found.sort_by_key(|failure| failure.block.start);
    found
}

fn sources(lines: &[&str]) -> Vec<Failure> {
    let starts = lines.iter().enumerate().filter_map(|(start, line)| {
        let captures = SOURCE.captures(line).or_else(|| MODULE.captures(line))?;
        Some((start, captures))
    });
    starts
        .map(|(start, captures)| {
            let text = group(&captures, "text");
            let is_fetch = FETCH.is_match(text);
            Failure {
                block: block(lines, start, 2, |line| !line.starts_with(['\t', ' '])),
                focus: start,
                kind: if is_fetch { Kind::Runtime } else { Kind::Source },
                test: None,
                class: if is_fetch { "module" } else { "compile" }.to_owned(),
                message: message([&format!("{}:", group(&captures, "path")), text]),
            }
        })
        .take(FAILURES_MAX)
        .collect()
}

/// Reads the output of failed tests: above the verdict in verbose mode, below it otherwise.
fn tests(lines: &[&str]) -> Vec<Failure> {
    let mut said: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut failed: Vec<(&str, usize)> = Vec::new();
    let mut current = "";
    for (at, line) in lines.iter().enumerate() {
        if let Some(captures) = CURRENT.captures(line) {
            current = captures.name("test").map_or("", |test| test.as_str());
        } else if let Some(captures) = VERDICT.captures(line) {
            current = captures.name("test").map_or("", |test| test.as_str());
            if group(&captures, "verdict") == "FAIL" && failed.len() < FAILURES_MAX {
                failed.push((current, at));
            }
        } else if SAID.is_match(line) {
            said.entry(current).or_default().push(at);
        } else if !line.starts_with([' ', '\t']) {
            current = if line.starts_with("===") { current } else { "" };
        }
    }
    let is_parent = |test: &str| failed.iter().any(|(other, _)| is_below(other, test));
    let silent = Vec::new();
    failed
        .iter()
        .filter(|(test, _)| said.contains_key(test) || !is_parent(test))
        .map(|(test, at)| failure_of(lines, test, *at, said.get(test).unwrap_or(&silent)))
        .collect()
}

fn is_below(test: &str, parent: &str) -> bool {
    test.strip_prefix(parent).is_some_and(|rest| rest.starts_with('/'))
}

fn failure_of(lines: &[&str], test: &str, verdict: usize, said: &[usize]) -> Failure {
    let texts = said.iter().take(SAID_LINES_MAX).filter_map(|at| lines.get(*at).copied());
    let message = message(texts);
    let first = said.first().copied().unwrap_or(verdict);
    let last = said.last().copied().unwrap_or(verdict);
    let block: Range<usize> = first.min(verdict)..last.max(verdict) + 1;
    let is_value = !RUNTIME.is_match(&message);
    let kind = if is_value { Kind::Assertion } else { Kind::Runtime };
    Failure {
        block,
        focus: first,
        kind,
        test: Some(test.to_owned()),
        class: "test".to_owned(),
        message,
    }
}

fn panics(lines: &[&str]) -> Vec<Failure> {
    let mut failed = None;
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(captures) = VERDICT.captures(line) {
            failed = Some((at, group(&captures, "test").to_owned()));
        }
        let Some(captures) = PANIC.captures(line) else { continue };
        if found.len() == FAILURES_MAX {
            break;
        }
        let near = failed.take().filter(|(above, _)| at - above <= 3);
        let start = near.as_ref().map_or(at, |(above, _)| *above);
        let block = block(lines, at, PANIC_LINES_MAX, |line| line.starts_with("FAIL\t"));
        found.push(Failure {
            block: start..block.end,
            focus: at,
            kind: Kind::Runtime,
            test: near.map(|(_, test)| test),
            class: "panic".to_owned(),
            message: message([group(&captures, "text")]),
        });
    }
    found
}

static SOURCE: Pattern =
    Pattern::new(r"^(?:vet: )?(?:\./)?(?<path>[^\s:]+\.go):[0-9]+(?::[0-9]+)?: (?<text>.+)$");
static MODULE: Pattern = Pattern::new(
    r"^(?<path>go): (?<text>(?:\S+@\S+: |module |errors parsing|updates to go\.mod|cannot find|no required module).+)$",
);
static FETCH: Pattern = Pattern::new(r#"dial tcp|: Get "https?:|: reading https?:|i/o timeout"#);
static CURRENT: Pattern = Pattern::new(r"^=== (?:RUN|CONT|NAME) +(?<test>\S+)");
static VERDICT: Pattern = Pattern::new(r"^ *--- (?<verdict>FAIL|PASS|SKIP): (?<test>\S+)");
static SAID: Pattern = Pattern::new(r"^\s+[^\s:]+\.go:[0-9]+: ");
/// Errors of the system that a test passes on, as opposed to values that it compares.
static RUNTIME: Pattern = Pattern::new(
    r"(?i)dial tcp|connect: |i/o timeout|no space left|deadline exceeded|address already in use|connection (?:refused|reset)|no such host|broken pipe",
);
static PANIC: Pattern =
    Pattern::new(r"^(?<text>(?:panic: |fatal error: |WARNING: DATA RACE).*?)(?: \[recovered\])?$");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::pattern::all_compile;

    #[test]
    fn every_pattern_compiles() {
        all_compile(&[&SOURCE, &MODULE, &FETCH, &CURRENT, &VERDICT, &SAID, &RUNTIME, &PANIC]);
    }

    #[test]
    fn what_a_test_said_is_found_above_and_below_its_verdict() {
        let below = "--- FAIL: TestA (0.00s)\n    a_test.go:1: below\n    --- FAIL: TestA/one (0.00s)\n        a_test.go:2: deeper\nFAIL";
        let above = "=== RUN   TestA\n    a_test.go:1: below\n=== RUN   TestA/one\n    a_test.go:2: deeper\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/one (0.00s)\nFAIL";
        for log in [below, above] {
            let lines: Vec<&str> = log.lines().collect();
            let mut found: Vec<(Option<String>, String)> =
                failures(&lines).into_iter().map(|one| (one.test, one.message)).collect();
            found.sort();
            assert_eq!(found[0], (Some("TestA".to_owned()), "a_test.go:1: below".to_owned()));
            assert_eq!(found[1], (Some("TestA/one".to_owned()), "a_test.go:2: deeper".to_owned()));
        }
    }

    #[test]
    fn a_test_that_passes_is_not_blamed_for_what_it_logs() {
        let log = "=== RUN   TestA\n    a_test.go:1: chatter\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- FAIL: TestB (0.00s)";
        let lines: Vec<&str> = log.lines().collect();
        let found = failures(&lines);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].test.as_deref(), Some("TestB"));
    }
}
