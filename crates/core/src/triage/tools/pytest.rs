//! Pytest: the sections of failed tests, of failed fixtures and of modules that could not be collected.

use crate::triage::failure::{FAILURES_MAX, Failure, Kind, block, message, numbered};
use crate::triage::pattern::{Pattern, group};
use std::ops::Range;

const SECTION_LINES_MAX: usize = 400;

pub(super) fn failures(lines: &[&str]) -> Vec<Failure> {
    let found = sections(lines);
    if found.is_empty() { summary(lines) } else { found }
}

/// Reads `____ test_name ____`, the code, and `E` before each line of the error.
fn sections(lines: &[&str]) -> Vec<Failure> {
    let headers = lines.iter().enumerate().filter(|(_, line)| line.starts_with("___"));
    headers
        .filter_map(|(start, line)| {
            let test = group(&HEADER.captures(line)?, "test").to_owned();
            let is_end = |line: &str| HEADER.is_match(line) || line.starts_with("=====");
            let block = block(lines, start, SECTION_LINES_MAX, is_end);
            let (focus, last) = last_error(lines, block.clone())?;
            let root = numbered(lines, block.start..focus).find(|(_, line)| is_error(line));
            let root = root.map(|(_, line)| line).filter(|root| Some(root) != last.first());
            let said = message(last.into_iter().chain(root).map(without_mark));
            let raised = RAISED.captures(&said);
            let class = raised.as_ref().map_or("AssertionError", |found| group(found, "class"));
            let is_assertion = matches!(class, "AssertionError");
            Some(Failure {
                focus,
                kind: if is_assertion { Kind::Assertion } else { Kind::Runtime },
                test: Some(test),
                class: class.to_owned(),
                message: said,
                block,
            })
        })
        .take(FAILURES_MAX)
        .collect()
}

/// Returns the error that ended the test, without those that led to it, and its first line.
fn last_error<'a>(lines: &[&'a str], block: Range<usize>) -> Option<(usize, Vec<&'a str>)> {
    let mut last: Option<(usize, Vec<&str>)> = None;
    for (at, line) in numbered(lines, block).filter(|(_, line)| is_error(line)) {
        match &mut last {
            Some((start, group)) if *start + group.len() == at => group.push(line),
            Some(_) | None => last = Some((at, vec![line])),
        }
    }
    last
}

/// Reads the summary, the only report with tracebacks switched off.
fn summary(lines: &[&str]) -> Vec<Failure> {
    let starts = lines.iter().enumerate().filter(|(_, line)| SUMMARY.is_match(line));
    starts
        .filter_map(|(at, line)| {
            let captures = SUMMARY.captures(line)?;
            Some(Failure {
                block: at..at + 1,
                focus: at,
                kind: Kind::Assertion,
                test: Some(group(&captures, "test").to_owned()),
                class: "pytest".to_owned(),
                message: message([group(&captures, "text")]),
            })
        })
        .take(FAILURES_MAX)
        .collect()
}

fn is_error(line: &str) -> bool {
    line == "E" || line.starts_with("E  ")
}

fn without_mark(line: &str) -> &str {
    line.strip_prefix('E').unwrap_or(line)
}

static HEADER: Pattern = Pattern::new(r"^_{3,} (?<test>\S.*\S|\S) _{3,}$");
static RAISED: Pattern = Pattern::new(r"^(?<class>[A-Za-z_][\w.]*)(?::|$)");
static SUMMARY: Pattern =
    Pattern::new(r"^(?:FAILED|ERROR) (?<test>\S+\.py\S*)(?: - (?<text>.+))?$");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::pattern::all_compile;

    #[test]
    fn every_pattern_compiles() {
        all_compile(&[&HEADER, &RAISED, &SUMMARY]);
    }
}
