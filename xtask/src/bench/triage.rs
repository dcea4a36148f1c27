//! Red checks are understood: the recorded logs of real tools, those that triage was tuned on and those that were
//! kept from sight, apart.

use super::figure::{Figure, Target};
use super::{COUNTED, last_line};
use crate::command::Invocation;
use std::path::Path;

/// Key of the answer, the name of the figure, and its target. All but the counts are percentages.
const NUMBERS: &[(&str, &str, Target)] = &[
    ("logs", "triage, recorded logs", Target::AtLeast(60.0)),
    ("tuned_excerpts", "triage, tuned: excerpt has the cause, %", Target::AtLeast(95.0)),
    ("tuned_signatures", "triage, tuned: signatures right, %", Target::Exactly(100.0)),
    ("tuned_classes", "triage, tuned: class right, %", Target::AtLeast(90.0)),
    ("held_out_logs", "triage, logs held out", Target::AtLeast(30.0)),
    ("held_out_excerpts", "triage, held out: excerpt has the cause, %", Target::AtLeast(95.0)),
    ("held_out_signatures", "triage, held out: signatures right, %", Target::Exactly(100.0)),
    ("held_out_classes", "triage, held out: class right, %", Target::AtLeast(90.0)),
];

pub(super) fn measure(root: &Path) -> Vec<Figure> {
    let words = ["run", COUNTED, "-p", "ralph-core", "--example", "triage"];
    let command = Invocation::cargo(root, &words);
    Figure::numbers(NUMBERS, &last_line::json(&command), &command.shown())
}

#[cfg(test)]
mod tests {
    use super::super::figure::Standing;
    use super::*;

    #[test]
    fn a_half_that_misses_is_seen() {
        let answer = serde_json::json!({
            "logs": 120, "tuned_excerpts": 100.0, "tuned_signatures": 100.0, "tuned_classes": 90.0,
            "held_out_logs": 60, "held_out_excerpts": 94.9, "held_out_signatures": 99.9,
        });
        let figures = Figure::numbers(NUMBERS, &Ok(answer), "run");
        let standings: Vec<Standing> = figures.iter().map(Figure::standing).collect();
        let (met, missed) = (Standing::Met, Standing::Missed);
        assert_eq!(standings, [met, met, met, met, met, missed, missed, Standing::NotMeasured]);
    }
}
