//! Make, if no tool that it called is recognised: a makefile that it could not follow, or the recipe that failed and
//! the last output of that recipe.

use super::plain;
use crate::triage::failure::{Failure, Kind, message};
use crate::triage::pattern::{Pattern, group};

pub(super) fn failure(lines: &[&str]) -> Option<Failure> {
    let at = lines.iter().position(|line| STOPPED.is_match(line))?;
    let line = lines.get(at)?;
    match RECIPE.captures(line) {
        None => Some(Failure {
            block: at..at + 1,
            focus: at,
            kind: Kind::Runtime,
            test: None,
            class: "make".to_owned(),
            message: message([*line]),
        }),
        Some(captures) => {
            let class = format!("make {}", group(&captures, "target"));
            let said = plain::failure(lines.get(..at)?);
            let said = said.filter(|said| !said.message.is_empty());
            let (start, focus) =
                said.as_ref().map_or((at, at), |said| (said.block.start, said.focus));
            let ending = group(&captures, "ending");
            let message = said.map_or_else(|| ending.to_owned(), |said| said.message);
            Some(Failure {
                block: start..at + 1,
                focus,
                kind: Kind::Runtime,
                test: None,
                class,
                message,
            })
        }
    }
}

static STOPPED: Pattern = Pattern::new(r"^(?:[^\s:]*make(?:\[[0-9]+\])?|[^\s:]+:[0-9]+): \*\*\* ");
static RECIPE: Pattern = Pattern::new(
    r"^[^\s:]*make(?:\[[0-9]+\])?: \*\*\* \[(?:[^\s:\]]+:[0-9]+: )?(?<target>[^\]]+)\] (?<ending>Error [0-9]+|[A-Z]\w+.*)",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::pattern::all_compile;

    #[test]
    fn every_pattern_compiles() {
        all_compile(&[&STOPPED, &RECIPE]);
    }
}
