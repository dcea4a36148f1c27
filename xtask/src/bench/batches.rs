//! Batches pay: on a line of 64 pull requests of which some are bad, in a thousand orders, the runs of CI over those
//! of merging each alone.

use super::figure::{Figure, Target};
use super::{COUNTED, last_line};
use crate::command::Invocation;
use std::path::Path;

/// Key of the answer, the name of the figure, and its target.
const NUMBERS: &[(&str, &str, Target)] = &[
    ("mean_2", "batches, 2 % bad: runs over serial", Target::AtMost(0.35)),
    ("mean_10", "batches, 10 % bad: runs over serial", Target::Shown),
    ("p95_30", "batches, 30 % bad: runs over serial, p95", Target::AtMost(1.1)),
    ("innocents", "batches, sent back without being bad", Target::Exactly(0.0)),
];

pub(super) fn measure(root: &Path) -> Vec<Figure> {
    let words = ["run", COUNTED, "-p", "ralph-core", "--example", "batches"];
    let command = Invocation::cargo(root, &words);
    Figure::numbers(NUMBERS, &last_line::json(&command), &command.shown())
}

#[cfg(test)]
mod tests {
    use super::super::figure::Standing;
    use super::*;

    #[test]
    fn each_promise_can_be_missed() {
        let answer = serde_json::json!({
            "mean_2": 0.36, "mean_10": 0.9, "p95_30": 1.11, "innocents": 1,
        });
        let figures = Figure::numbers(NUMBERS, &Ok(answer), "run");
        let standings: Vec<Standing> = figures.iter().map(Figure::standing).collect();
        let missed = Standing::Missed;
        assert_eq!(standings, [missed, Standing::Met, missed, missed]);
    }
}
