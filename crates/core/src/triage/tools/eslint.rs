//! Eslint: the problems below each file's name, and a configuration that it could not use.

use crate::triage::failure::{FAILURES_MAX, Failure, Kind, block, message, numbered};
use crate::triage::pattern::{Pattern, group};

const CRASH: &str = "Oops! Something went wrong!";
const CRASH_LINES_MAX: usize = 30;

pub(super) fn failures(lines: &[&str]) -> Vec<Failure> {
    let errors = problems(lines, "error");
    let found = if errors.is_empty() && lines.iter().any(|line| TOO_MANY.is_match(line)) {
        problems(lines, "warning")
    } else {
        errors
    };
    if found.is_empty() { crash(lines).into_iter().collect() } else { found }
}

fn problems(lines: &[&str], severity: &str) -> Vec<Failure> {
    let mut found = Vec::new();
    let mut file: Option<(usize, &str)> = None;
    for (at, line) in lines.iter().enumerate() {
        if FILE.is_match(line) {
            file = Some((at, line));
        } else if line.is_empty() {
            file = None;
        }
        let (Some((header, path)), Some(captures)) = (file, PROBLEM.captures(line)) else {
            continue;
        };
        if group(&captures, "severity") != severity {
            continue;
        }
        if found.len() == FAILURES_MAX {
            break;
        }
        let rule = group(&captures, "rule");
        // Only the first problem of a file includes the line with its name.
        let is_first = found.last().is_none_or(|last: &Failure| last.block.start < header);
        found.push(Failure {
            block: if is_first { header..at + 1 } else { at..at + 1 },
            focus: at,
            kind: Kind::Source,
            test: None,
            class: if rule.is_empty() { "eslint" } else { rule }.to_owned(),
            message: message([path, ":", group(&captures, "text")]),
        });
    }
    found
}

fn crash(lines: &[&str]) -> Option<Failure> {
    let start = lines.iter().position(|line| line.starts_with(CRASH))?;
    let block = block(lines, start, CRASH_LINES_MAX, |line| line.starts_with("##["));
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with("ESLint: ");
    let said = numbered(lines, start + 1..block.end).map(|(_, line)| line).filter(is_said);
    let message = message(said.take_while(|line| !line.starts_with("    at ")));
    let class = "eslint".to_owned();
    Some(Failure { block, focus: start, kind: Kind::Runtime, test: None, class, message })
}

static FILE: Pattern =
    Pattern::new(r"^(?:[~./\\]|[A-Za-z]:\\|\w)\S*\.(?:[cm]?[jt]sx?|vue|svelte|json|md)$");
static PROBLEM: Pattern = Pattern::new(
    r"^ +[0-9]+:[0-9]+ +(?<severity>error|warning) +(?<text>.+?)(?: {2,}(?<rule>[@a-z][\w@/-]*))?$",
);
static TOO_MANY: Pattern = Pattern::new(r"^ESLint found too many warnings");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::pattern::all_compile;

    #[test]
    fn every_pattern_compiles() {
        all_compile(&[&FILE, &PROBLEM, &TOO_MANY]);
    }
}
