//! Compilers and linkers of C and related languages, which make and others call.

use crate::triage::failure::{FAILURES_MAX, Failure, Kind, block, message};
use crate::triage::pattern::{Pattern, group};

const BLOCK_LINES_MAX: usize = 12;

pub(super) fn failures(lines: &[&str]) -> Vec<Failure> {
    let starts = lines.iter().enumerate().filter_map(|(start, line)| {
        let captures = ERROR.captures(line).or_else(|| LINKER.captures(line))?;
        Some((start, captures))
    });
    starts
        .map(|(start, captures)| {
            let path = group(&captures, "path");
            Failure {
                block: block(lines, start, BLOCK_LINES_MAX, |line| !CONTINUED.is_match(line)),
                focus: start,
                kind: Kind::Source,
                test: None,
                class: "compile".to_owned(),
                message: message([&format!("{path}:"), group(&captures, "text")]),
            }
        })
        .take(FAILURES_MAX)
        .collect()
}

static ERROR: Pattern = Pattern::new(
    r"^(?<path>[^\s:]+\.[A-Za-z+]{1,4}):[0-9]+(?::[0-9]+)?: (?:fatal )?error: (?<text>.+)$",
);
static LINKER: Pattern = Pattern::new(
    r"^(?:\S*ld: )?(?<path>[^\s:]+\.[A-Za-z]{1,4}):(?:\([^)]*\)|[0-9]+)?:? ?(?<text>(?:undefined reference to|multiple definition of) .+)$",
);
/// The source below an error, and its notes.
static CONTINUED: Pattern =
    Pattern::new(r"^ *[0-9]* *\||^[^\s:]+:[0-9]+:[0-9]+: note: |^collect2: ");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::pattern::all_compile;

    #[test]
    fn every_pattern_compiles() {
        all_compile(&[&ERROR, &LINKER, &CONTINUED]);
    }
}
