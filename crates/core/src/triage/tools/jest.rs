//! Jest: the block of each failed test, and of suites that could not run.

use crate::triage::failure::{FAILURES_MAX, Failure, Kind, block, message, numbered};
use crate::triage::pattern::{Pattern, group};

const BLOCK_LINES_MAX: usize = 80;

/// Reads `● suite › test`, below the file it is in.
pub(super) fn failures(lines: &[&str]) -> Vec<Failure> {
    let mut found = Vec::new();
    let mut file = "";
    for (start, line) in lines.iter().enumerate() {
        if let Some(captures) = FILE.captures(line) {
            file = captures.name("path").map_or("", |path| path.as_str());
        }
        let Some(captures) = TEST.captures(line) else { continue };
        let test = group(&captures, "test");
        if test == "Console" {
            continue;
        }
        if found.len() == FAILURES_MAX {
            break;
        }
        let block = block(lines, start, BLOCK_LINES_MAX, |line| END.is_match(line));
        // The details of a file that could not be read come after advice that is the same for all of them.
        let details = numbered(lines, block.clone()).find(|(_, line)| line.trim() == "Details:");
        let focus = details.map_or(start, |(at, _)| at);
        let said = numbered(lines, focus + 1..block.end).map(|(_, line)| line);
        let said = message(said.take_while(|line| !FRAME.is_match(line)));
        let class = CLASS.captures(&said).map_or("", |found| group(&found, "class")).to_owned();
        let is_assertion = said.starts_with("expect(");
        found.push(Failure {
            focus,
            kind: if is_assertion { Kind::Assertion } else { Kind::Runtime },
            test: Some(format!("{file} › {test}")),
            class: if class.is_empty() { "jest".to_owned() } else { class },
            message: said,
            block,
        });
    }
    found
}

static FILE: Pattern =
    Pattern::new(r"^ *FAIL +(?:\S+ +)?(?<path>\S+\.[a-z]+)(?: \([0-9.]+ m?s\))?$");
static TEST: Pattern = Pattern::new(r"^ {0,4}● (?<test>\S.*)$");
static END: Pattern = Pattern::new(
    r"^ {0,4}● |^(?:Test Suites: |FAIL |PASS |Summary of all failing tests)|^ › [0-9]+ ",
);
/// The code and the stack below a message.
static FRAME: Pattern = Pattern::new(r"^ *(?:>? *[0-9]+ \||at \S)");
static CLASS: Pattern =
    Pattern::new(r"^(?:thrown: )?(?<class>[A-Za-z]*(?:Error|Exception))(?-u:\b)");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::pattern::all_compile;

    #[test]
    fn every_pattern_compiles() {
        all_compile(&[&FILE, &TEST, &END, &FRAME, &CLASS]);
    }
}
