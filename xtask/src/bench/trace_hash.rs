//! The same seed plays the same run: two processes in different surroundings must agree on its trace.

use super::figure::Figure;
use super::{COUNTED, last_line};
use crate::command::Invocation;
use std::path::Path;

const NAME: &str = "trace of seed 7";
const TARGET: &str = "equal in two processes";

pub(super) fn measure(root: &Path) -> Figure {
    let arguments = ["run", COUNTED, "-p", "ralph-sim", "--", "--seed", "7", "--hash"];
    let here =
        Invocation::cargo(root, &arguments).environment("TZ", "UTC").environment("LANG", "C");
    let elsewhere = Invocation::cargo(root, &arguments)
        .environment("TZ", "Asia/Kathmandu")
        .environment("LANG", "tr_TR.UTF-8")
        .environment("RALPH_UNRELATED", "1")
        .environment("HOSTNAME", "elsewhere");
    let shown = format!("diff <({}) <({})", here.shown(), elsewhere.shown());
    match (last_line::text(&here), last_line::text(&elsewhere)) {
        (Ok(one), Ok(other)) => compared(&one, &other, &shown),
        (Err(reason), _) | (Ok(_), Err(reason)) => {
            Figure::not_measured(NAME, TARGET, &shown, reason)
        }
    }
}

fn compared(one: &str, other: &str, command: &str) -> Figure {
    let shown =
        if one == other { short(one) } else { format!("{} and {}", short(one), short(other)) };
    Figure::judged(NAME, shown, one == other, TARGET, command)
}

fn short(hash: &str) -> String {
    hash.chars().take(12).collect()
}

#[cfg(test)]
mod tests {
    use super::super::figure::Standing;
    use super::*;

    #[test]
    fn equal_hashes_pass_and_different_ones_do_not() {
        assert_eq!(compared("abc", "abc", "run").standing(), Standing::Met);
        assert_eq!(compared("abc", "abd", "run").standing(), Standing::Missed);
    }
}
