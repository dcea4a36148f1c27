//! Texts by strangers, none of which may cause an action.

use super::figure::Figure;
use crate::command::Invocation;
use std::path::Path;

const NAME: &str = "hostile texts that act";
/// Forty texts, each as title, body and comment.
const PLAYED_MIN: u32 = 3 * 40;
const TARGET: &str = "0 of 120 or more";

pub(super) fn measure(root: &Path) -> Figure {
    let command = Invocation::cargo(
        root,
        &["test", "-p", "ralph-github", "--test", "injection", "--", "--nocapture", "acts"],
    );
    let shown = command.shown();
    match command.output_with_progress() {
        Ok(output) => figure(&output.stdout, &shown),
        Err(failure) => Figure::not_measured(NAME, TARGET, &shown, failure),
    }
}

fn figure(stdout: &str, command: &str) -> Figure {
    let Some((acted, played)) = stdout.lines().find_map(read) else {
        let reason = "the test did not say how many acted";
        return Figure::not_measured(NAME, TARGET, command, reason);
    };
    let is_on_target = acted == 0 && played >= PLAYED_MIN;
    Figure::judged(NAME, format!("acted: {acted} of {played}"), is_on_target, TARGET, command)
}

/// `acted: 0 of 267`, wherever it stands in its line.
fn read(line: &str) -> Option<(u32, u32)> {
    let (_, counts) = line.split_once("acted: ")?;
    let (acted, played) = counts.split_once(" of ")?;
    Some((acted.parse().ok()?, played.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::figure::Standing;
    use super::*;

    #[test]
    fn one_text_that_acts_or_too_few_texts_miss_the_target() {
        let standing = |stdout: &str| figure(stdout, "run").standing();
        assert_eq!(standing("test a ... acted: 0 of 267\nok\n"), Standing::Met);
        assert_eq!(standing("acted: 1 of 267\n"), Standing::Missed);
        assert_eq!(standing("acted: 0 of 119\n"), Standing::Missed);
        assert_eq!(standing("test a ... ok\n"), Standing::NotMeasured);
    }
}
