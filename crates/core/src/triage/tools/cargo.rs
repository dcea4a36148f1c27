//! Cargo: diagnostics of rustc and clippy, failed tests, and errors of cargo itself.

use crate::triage::failure::{FAILURES_MAX, Failure, Kind, block, message, numbered};
use crate::triage::pattern::{Pattern, group};
use std::ops::Range;

const DIAGNOSTIC_LINES_MAX: usize = 40;
const TEST_LINES_MAX: usize = 60;
const CAUSES_LINES_MAX: usize = 40;

pub(super) fn failures(lines: &[&str]) -> Vec<Failure> {
    let mut found = diagnostics(lines);
    if found.is_empty() {
        found = tests(lines);
    }
    if found.is_empty() {
        found = panics(lines);
    }
    // Beside failed tests an error may be output of theirs, unless it says how a whole process ended.
    let own = own_errors(lines).into_iter();
    let has_others = !found.is_empty();
    found.extend(own.filter(|error| !has_others || SUMMARY.is_match(&error.message)));
    found.sort_by_key(|failure| failure.block.start);
    found
}

/// Reads `error[E0308]: text`, with an arrow to the source below it.
fn diagnostics(lines: &[&str]) -> Vec<Failure> {
    let starts = lines.iter().enumerate().filter(|(_, line)| line.starts_with("error"));
    starts
        .filter_map(|(start, line)| {
            let captures = ERROR.captures(line)?;
            let place = ARROW.captures(lines.get(start + 1)?)?;
            let block = block(lines, start, DIAGNOSTIC_LINES_MAX, str::is_empty);
            let label = numbered(lines, block.clone()).find_map(|(_, line)| LABEL.captures(line));
            let label = label.as_ref().map_or("", |label| group(label, "text"));
            let code = group(&captures, "class");
            Some(Failure {
                focus: start,
                kind: Kind::Source,
                test: None,
                class: if code.is_empty() { "error" } else { code }.to_owned(),
                message: message([
                    &format!("{}:", group(&place, "path")),
                    group(&captures, "text"),
                    label,
                ]),
                block,
            })
        })
        .take(FAILURES_MAX)
        .collect()
}

/// Reads `---- name stdout ----` and the output of the test.
fn tests(lines: &[&str]) -> Vec<Failure> {
    let headers = lines.iter().enumerate().filter(|(_, line)| line.starts_with("---- "));
    headers
        .filter_map(|(start, line)| {
            let test = group(&OUTPUT.captures(line)?, "test").to_owned();
            let is_end = |line: &str| line.starts_with("---- ") || line == "failures:";
            let block = block(lines, start, TEST_LINES_MAX, is_end);
            let panic = numbered(lines, block.clone()).find(|(_, line)| PANIC.is_match(line));
            let focus = panic.map_or(start, |(at, _)| at);
            let said = numbered(lines, focus + 1..block.end).map(|(_, line)| line);
            Some(failure(test, focus, block, said_until_note(said)))
        })
        .take(FAILURES_MAX)
        .collect()
}

/// Reads panics: runners that print no header, such as nextest, still print them.
fn panics(lines: &[&str]) -> Vec<Failure> {
    if !lines.iter().any(|line| FAILED.is_match(line)) {
        return Vec::new();
    }
    let panics = lines.iter().enumerate().filter(|(_, line)| line.contains("panicked at"));
    panics
        .filter_map(|(start, line)| {
            let test = group(&PANIC.captures(line)?, "test").to_owned();
            let block = block(lines, start, TEST_LINES_MAX, str::is_empty);
            let said = numbered(lines, start + 1..block.end).map(|(_, line)| line);
            Some(failure(test, start, block, said_until_note(said)))
        })
        .take(FAILURES_MAX)
        .collect()
}

fn said_until_note<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    message(
        lines
            .take_while(|line| !line.starts_with("note: ") && !line.starts_with("stack backtrace")),
    )
}

fn failure(test: String, focus: usize, block: Range<usize>, said: String) -> Failure {
    let is_assertion = said.starts_with("assertion") || said.contains("did not panic as expected");
    let kind = if is_assertion { Kind::Assertion } else { Kind::Runtime };
    Failure { block, focus, kind, test: Some(test), class: "panic".to_owned(), message: said }
}

/// Reads `error: text` of cargo, with the causes below it. Errors that only summarise those above are left out.
fn own_errors(lines: &[&str]) -> Vec<Failure> {
    if !lines.iter().any(|line| PROGRESS.is_match(line)) {
        return Vec::new();
    }
    lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| own_error(lines, at, line))
        .take(FAILURES_MAX)
        .collect()
}

fn own_error(lines: &[&str], start: usize, line: &str) -> Option<Failure> {
    // A process that was killed leaves its last line open.
    let error = line.get(line.find("error: ")?..)?;
    let is_open_line = line.starts_with("test ") && SUMMARY.is_match(error);
    let has_place = lines.get(start + 1).is_some_and(|next| ARROW.is_match(next));
    if has_place || !(line.starts_with("error: ") || is_open_line) {
        return None;
    }
    let below = numbered(lines, start + 1..start + 1 + CAUSES_LINES_MAX);
    let below =
        below.take_while(|(_, line)| line.is_empty() || *line == CAUSED_BY || is_cause(line));
    let last_cause = below.filter(|(_, line)| is_cause(line)).last();
    if last_cause.is_none() && SUMMARY.is_match(error) {
        return None;
    }
    let (end, cause) = last_cause.unwrap_or((start, ""));
    Some(Failure {
        block: start..end + 1,
        focus: start,
        kind: Kind::Runtime,
        test: None,
        class: "cargo".to_owned(),
        message: message([error, cause]),
    })
}

/// True for causes: cargo indents them by two blanks and its own progress by more.
fn is_cause(line: &str) -> bool {
    line.starts_with("  ") && !line.starts_with("   ")
}

const CAUSED_BY: &str = "Caused by:";
static ERROR: Pattern = Pattern::new(r"^error(?:\[(?<class>[A-Z]+[0-9]+)\])?: (?<text>.+)$");
static ARROW: Pattern = Pattern::new(r"^ *(?:-->|:::) (?<path>[^\s:]+):[0-9]+");
static LABEL: Pattern = Pattern::new(r"^[ |0-9]*[-^ |_]*\^+ (?<text>\S.*)$");
static OUTPUT: Pattern = Pattern::new(r"^---- (?<test>.+) stdout ----$");
static PANIC: Pattern = Pattern::new(r"^thread '(?<test>[^']*)'(?: \([0-9]+\))? panicked at");
static FAILED: Pattern = Pattern::new(r"^ *(?:test result: FAILED|FAIL \[|SIGABRT \[|TIMEOUT \[)");
static PROGRESS: Pattern = Pattern::new(
    r"^ *(?:Compiling|Checking|Updating|Downloading|Downloaded|Finished|Running|Blocking|Locking|Fresh) |^error: (?:could not compile|failed to|no matching package|test failed|failed to parse manifest)",
);
static SUMMARY: Pattern = Pattern::new(
    r"^error: (?:could not compile|aborting due to|test failed, to rerun|[0-9]+ targets? failed|test run failed|build failed|doctest failed)",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::pattern::all_compile;

    #[test]
    fn every_pattern_compiles() {
        all_compile(&[&ERROR, &ARROW, &LABEL, &OUTPUT, &PANIC, &FAILED, &PROGRESS, &SUMMARY]);
    }
}
