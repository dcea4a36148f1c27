//! The TypeScript compiler, in both of its output formats.

use crate::triage::failure::{FAILURES_MAX, Failure, Kind, block, message};
use crate::triage::pattern::{Pattern, group};

const BLOCK_LINES_MAX: usize = 12;

pub(super) fn failures(lines: &[&str]) -> Vec<Failure> {
    let errors = lines.iter().enumerate().filter(|(_, line)| line.contains("error TS"));
    errors
        .filter_map(|(start, line)| {
            let captures = ERROR.captures(line)?;
            let path = group(&captures, "path");
            Some(Failure {
                block: block(lines, start, BLOCK_LINES_MAX, |line| END.is_match(line)),
                focus: start,
                kind: Kind::Source,
                test: None,
                class: group(&captures, "class").to_owned(),
                message: message([&format!("{path}:"), group(&captures, "text")]),
            })
        })
        .take(FAILURES_MAX)
        .collect()
}

static ERROR: Pattern = Pattern::new(
    r"^(?:(?<path>\S[^(:]*)(?:\([0-9]+,[0-9]+\):|:[0-9]+:[0-9]+ -) )?error (?<class>TS[0-9]+): (?<text>.+)$",
);
static END: Pattern =
    Pattern::new(r"error TS[0-9]+: |^Found [0-9]+ error|^\S+ \S+ (?:error|ERR!)|^npm ");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::pattern::all_compile;

    #[test]
    fn every_pattern_compiles() {
        all_compile(&[&ERROR, &END]);
    }
}
