//! Gradle: errors of the Java and Kotlin compilers, failed tests, and failed builds.

use crate::triage::failure::{FAILURES_MAX, Failure, Kind, block, message, numbered};
use crate::triage::pattern::{Pattern, group};

const BLOCK_LINES_MAX: usize = 12;
const TEST_LINES_MAX: usize = 30;
const WRONG_LINES_MAX: usize = 12;

pub(super) fn failures(lines: &[&str]) -> Vec<Failure> {
    let mut found = sources(lines);
    found.extend(tests(lines));
    if found.is_empty() {
        found = went_wrong(lines);
    }
    found.sort_by_key(|failure| failure.block.start);
    found
}

fn sources(lines: &[&str]) -> Vec<Failure> {
    let errors =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, ERROR.captures(line)?)));
    errors
        .map(|(start, captures)| {
            let is_end =
                |line: &str| ERROR.is_match(line) || COUNT.is_match(line) || line.is_empty();
            let block = block(lines, start, BLOCK_LINES_MAX, is_end);
            let symbol = numbered(lines, block.clone()).map(|(_, line)| line.trim());
            let symbol = symbol.filter(|line| line.starts_with("symbol:")).last();
            let path = format!("{}:", group(&captures, "path"));
            Failure {
                focus: start,
                kind: Kind::Source,
                test: None,
                class: "compile".to_owned(),
                message: message([&path, group(&captures, "text"), symbol.unwrap_or_default()]),
                block,
            }
        })
        .take(FAILURES_MAX)
        .collect()
}

/// Reads `Class > test FAILED`, with the exception below it.
fn tests(lines: &[&str]) -> Vec<Failure> {
    let headers =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, TEST.captures(line)?)));
    headers
        .filter_map(|(start, captures)| {
            let block = block(lines, start, TEST_LINES_MAX, |line| !line.starts_with(' '));
            let (focus, thrown) = numbered(lines, block.clone()).nth(1)?;
            let thrown = THROWN.captures(thrown)?;
            let class = group(&thrown, "class");
            let is_assertion = ASSERTION.is_match(class);
            Some(Failure {
                focus,
                kind: if is_assertion { Kind::Assertion } else { Kind::Runtime },
                test: Some(group(&captures, "test").to_owned()),
                class: class.to_owned(),
                message: message([class, group(&thrown, "text")]),
                block,
            })
        })
        .take(FAILURES_MAX)
        .collect()
}

/// Reads gradle's own summary at the end.
fn went_wrong(lines: &[&str]) -> Vec<Failure> {
    let headers =
        lines.iter().enumerate().filter(|(_, line)| line.starts_with("* What went wrong:"));
    headers
        .map(|(start, _)| {
            let block = block(lines, start, WRONG_LINES_MAX, |line| {
                line.is_empty() || line.starts_with("* ")
            });
            let said = numbered(lines, start + 1..block.end).map(|(_, line)| line);
            Failure {
                focus: start,
                kind: Kind::Runtime,
                test: None,
                class: "gradle".to_owned(),
                message: message(said),
                block,
            }
        })
        .take(FAILURES_MAX)
        .collect()
}

/// A task's name may precede it on the same line.
static ERROR: Pattern = Pattern::new(
    r"^(?::[\w:-]+)?(?:e: )?(?:file://)?(?<path>[^\s:]+\.(?:java|kt|kts|groovy|scala)):[ ]?\(?[0-9]+(?:[:,] ?[0-9]+\)?)?:? (?:error: )?(?<text>.+)$",
);
static COUNT: Pattern = Pattern::new(r"^[0-9]+ errors?$");
static TEST: Pattern = Pattern::new(r"^(?<test>[^\s:]\S*(?: > .+)+) FAILED$");
static THROWN: Pattern = Pattern::new(
    r"^ +(?<class>[\w.$]+(?:Error|Exception|Failure|Failed\w*))(?:: (?<text>.+)| at \S+)?$",
);
static ASSERTION: Pattern = Pattern::new(
    r"(?:AssertionError|ComparisonFailure|AssertionFailedError|MultipleFailuresError)$",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::pattern::all_compile;

    #[test]
    fn every_pattern_compiles() {
        all_compile(&[&ERROR, &COUNT, &TEST, &THROWN, &ASSERTION]);
    }
}
