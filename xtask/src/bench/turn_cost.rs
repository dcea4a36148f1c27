//! The cost of a turn grows with what changed, not with what is stored.

use super::figure::{Figure, Target};
use super::{SHIPPED, last_line};
use crate::command::Invocation;
use std::path::Path;

/// Key of the answer, the name of the figure, and its target.
const NUMBERS: &[(&str, &str, Target)] = &[
    // The slowest median turn over the fastest, from a thousand to a hundred thousand stored issues.
    ("ratio", "turn cost, large over small store", Target::AtMost(1.5)),
    ("open_ms", "opening the largest store, ms", Target::Below(2_000.0)),
    ("rss_mb", "memory with the largest store, MB", Target::Below(200.0)),
];

pub(super) fn measure(root: &Path) -> Vec<Figure> {
    let command =
        Invocation::cargo(root, &["run", SHIPPED, "-p", "ralph-engine", "--example", "turn_cost"]);
    Figure::numbers(NUMBERS, &last_line::json(&command), &command.shown())
}

#[cfg(test)]
mod tests {
    use super::super::figure::Standing;
    use super::*;
    use crate::failure::Failure;

    fn standings(answer: &str) -> Vec<Standing> {
        let command = "run".to_owned();
        let answer =
            serde_json::from_str(answer).map_err(|source| Failure::NotJson { command, source });
        Figure::numbers(NUMBERS, &answer, "run").iter().map(Figure::standing).collect()
    }

    #[test]
    fn each_figure_can_pass_miss_and_be_absent() {
        let good = r#"{"median_us":{"1000":9},"ratio":1.5,"open_ms":1999,"rss_mb":120.5}"#;
        assert_eq!(standings(good), [Standing::Met; 3]);
        let bad = r#"{"ratio":1.6,"open_ms":2000,"rss_mb":200}"#;
        assert_eq!(standings(bad), [Standing::Missed; 3]);
        assert_eq!(standings("{}"), [Standing::NotMeasured; 3]);
        assert_eq!(standings("no example target named"), [Standing::NotMeasured; 3]);
    }
}
