//! Output of no known tool. A script ends at its first error, so the last lines are searched: for an exception with its
//! trace, else for a line in the shape of an error, else the last line.

use crate::triage::failure::{Failure, Kind, message, numbered};
use crate::triage::pattern::{Pattern, group};
use std::ops::Range;

/// Last lines that are searched. Earlier errors did not end the script.
const TAIL_LINES: usize = 40;
/// Lines in the shape of an error that make up its message.
const ERROR_LINES: usize = 3;
/// Lines shown before the error.
const CONTEXT_LINES: usize = 3;
/// Lines shown if nothing has the shape of an error.
const LAST_LINES: usize = 15;

pub(super) fn failure(lines: &[&str]) -> Option<Failure> {
    let last = lines.iter().rposition(|line| !line.trim().is_empty())?;
    let tail = (last + 1).saturating_sub(TAIL_LINES)..last + 1;
    let like = |shape| first(lines, tail.clone(), shape).map(|at| of_lines(lines, at, last, shape));
    let found = exception(lines, tail.clone()).or_else(|| like(&SHAPES)).or_else(|| like(&WORDS));
    Some(found.unwrap_or_else(|| last_words(lines, last)))
}

fn first(lines: &[&str], range: Range<usize>, shape: &Pattern) -> Option<usize> {
    let found = numbered(lines, range).find(|(_, line)| shape.is_match(line) && !is_harmless(line));
    found.map(|(at, _)| at)
}

fn is_harmless(line: &str) -> bool {
    HARMLESS.is_match(line)
}

fn of_lines(lines: &[&str], at: usize, last: usize, shape: &Pattern) -> Failure {
    let said = numbered(lines, at..last + 1).map(|(_, line)| line);
    let said = said.filter(|line| shape.is_match(line) && !is_harmless(line)).take(ERROR_LINES);
    failure_of(at.saturating_sub(CONTEXT_LINES), at, last, "error", message(said))
}

fn last_words(lines: &[&str], last: usize) -> Failure {
    let said = lines.get(last).copied().unwrap_or_default();
    let start = (last + 1).saturating_sub(LAST_LINES);
    failure_of(start, last, last, "unknown", message([said]))
}

fn failure_of(start: usize, focus: usize, last: usize, class: &str, message: String) -> Failure {
    let class = class.to_owned();
    Failure { block: start..last + 1, focus, kind: Kind::Runtime, test: None, class, message }
}

/// Reads the last exception, which ended the program, with its trace above it (Python) or below it (the others).
fn exception(lines: &[&str], tail: Range<usize>) -> Option<Failure> {
    let mut found = None;
    let mut trace = None;
    for (at, line) in numbered(lines, tail.clone()) {
        if line == TRACEBACK {
            trace = Some(at);
        }
        let Some(captures) = EXCEPTION.captures(line) else { continue };
        let below = numbered(lines, at + 1..tail.end).take_while(|(_, line)| STACK.is_match(line));
        let end = below.last().map(|(below, _)| below);
        let Some(start) = trace.take().or(end.map(|_| at.saturating_sub(CONTEXT_LINES))) else {
            continue;
        };
        let class = group(&captures, "class");
        found = Some(failure_of(start, at, end.unwrap_or(at), class, message([line])));
    }
    found
}

const TRACEBACK: &str = "Traceback (most recent call last):";
static EXCEPTION: Pattern = Pattern::new(
    r#"^(?:Uncaught |Exception in thread "[^"]*" )?(?<class>[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|Timeout|Failure))(?: \[\w+\])?(?::|$)"#,
);
static STACK: Pattern = Pattern::new(r"^\s+at \S");

/// The beginnings of error lines.
static SHAPES: Pattern = Pattern::new(
    r"(?x)
    ^(?:error|fatal|panic|err|failure|fail)(?:\[[^\]]*\]|\([^)]*\))?:\s
    | ^(?:[A-Z][A-Za-z]*)?(?:Error|Exception):\s
    | ^(?:ERROR|FATAL|CRITICAL|FAIL|FAILED)(?-u:\b)
    | ^\[(?i:error|fatal)\]
    | ^npm\ (?:error|ERR!)
    | ^curl:\ \([0-9]+\)
    | ^(?:[\w./+-]+:\ )+(?:(?:line\ )?[0-9]+:\ )?(?:[^:]+:\ )?(?:command\ not\ found|not\ found|unbound\ variable|[Ss]yntax\ error|[Nn]o\ such\ file|[Pp]ermission\ denied|[Cc]annot\ |[Cc]an't\ |[Nn]o\ space\ left)
    | (?-u:\b)(?:[Tt]imed\ out|No\ space\ left\ on\ device|[Cc]onnection\ (?:refused|reset)|Could\ not\ resolve\ host)
    | ^Killed$ | :\ +[0-9]*\ *Killed(?-u:\b) | ^Segmentation\ fault | (?-u:\b)core\ dumped
    | :\ FAILED(?-u:\b)
    | ^(?:The\ (?:runner|operation|hosted\ runner)\ )",
);
/// Words for failures, anywhere in a line.
static WORDS: Pattern = Pattern::new(
    r"(?i)(?-u:\b)(?:errors?|fatal|failed|failures?|failing|cannot|could not|unable to|invalid|missing|unexpected|mismatch|killed|aborted|not found|refused|denied)(?-u:\b)",
);
static HARMLESS: Pattern = Pattern::new(
    r"(?i)^(?:warn(?:ing)?)(?-u:\b)|^npm warn|(?-u:\b)(?:0|no) (?:errors?|failures?|failed)(?-u:\b)|(?-u:\b)(?:errors?|failures?|failed): *0(?-u:\b)|with(?:out)? 0? ?errors?|retrying",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::pattern::all_compile;

    #[test]
    fn every_pattern_compiles() {
        all_compile(&[&EXCEPTION, &STACK, &SHAPES, &WORDS, &HARMLESS]);
    }

    #[test]
    fn the_line_that_says_what_is_wrong_is_found() {
        for (log, expected) in [
            (
                "start\n0 errors\nx.sh: line 3: foo: command not found\n",
                "x.sh: line 3: foo: command not found",
            ),
            ("warning: error-prone\nerror: disk on fire\nbye", "error: disk on fire"),
            ("Traceback (most recent call last):\n  File \"a\"\nKeyError: 'x'\n", "KeyError: 'x'"),
            ("a\nError: b\n    at c (d.js:1:2)\n", "Error: b"),
            ("deploy has failed for want of money\nbye", "deploy has failed for want of money"),
            ("nothing to\nsee here\n\n", "see here"),
        ] {
            let lines: Vec<&str> = log.lines().collect();
            assert_eq!(failure(&lines).unwrap().message, expected, "{log}");
        }
        assert_eq!(failure(&["", " "]), None);
    }
}
