//! The simulator's figures: runs played, speed, and broken promises.

use super::figure::{Figure, Target};
use super::{SHIPPED, last_line};
use crate::command::Invocation;
use serde_json::Value;
use std::fmt;
use std::path::Path;

const RUNS: u32 = 5_000;
const RUNS_WHEN_QUICK: u32 = 200;

/// Key of the answer, the name of the figure, and its target.
const NUMBERS: &[(&str, &str, Target)] = &[
    ("violations", "broken promises", Target::Exactly(0.0)),
    // Below this a run ends before faults can hurt it.
    ("steps_per_life", "steps per run", Target::AtLeast(400.0)),
    // These two keep the simulation short enough to run before every commit.
    ("steps_per_second", "steps per second", Target::AtLeast(40_000.0)),
    ("lives_per_second", "runs per second", Target::AtLeast(60.0)),
];
const RUNS_PLAYED: &str = "runs played";
const FAULTS: &str = "faults of each kind";
const ABOVE_ZERO: &str = "all > 0";
const BOUNDS: &str = "bounds of repairs, reached in some run";
const IN_EVERY_RUN: &str = "people, cheats and lanes of every kind, fewest in a run";
const IN_EVERY_RUN_TARGET: &str = "at least 1";

pub(super) fn measure(root: &Path, quick: bool) -> Vec<Figure> {
    let runs = if quick { RUNS_WHEN_QUICK } else { RUNS };
    let command = Invocation::cargo(root, &["run", SHIPPED, "-p", "ralph-sim", "--", "--seeds"])
        .argument(runs.to_string());
    let shown = command.shown();
    match last_line::json(&command) {
        Ok(answer) => figures(&answer, runs, &shown),
        Err(reason) => not_measured(runs, &shown, reason),
    }
}

fn figures(answer: &Value, runs: u32, command: &str) -> Vec<Figure> {
    let number = |key: &str| answer.get(key).and_then(Value::as_f64);
    let mut figures =
        vec![Figure::number(RUNS_PLAYED, number("lives"), target_runs(runs), command)];
    for &(key, name, target) in NUMBERS {
        figures.push(Figure::number(name, number(key), target, command));
    }
    figures.push(each_above_zero(FAULTS, "faults", answer, command));
    figures.push(each_above_zero(BOUNDS, "lane_bounds_reached", answer, command));
    figures.push(people(answer, command));
    figures
}

/// A kind of fault that never happened proves nothing.
fn each_above_zero(name: &'static str, key: &str, answer: &Value, command: &str) -> Figure {
    let kinds = answer.get(key).and_then(Value::as_object).filter(|kinds| !kinds.is_empty());
    let Some(kinds) = kinds else {
        let reason = format!("the answer names no {key}");
        return Figure::not_measured(name, ABOVE_ZERO, command, reason);
    };
    let count = |value: &Value| value.as_u64().unwrap_or_default();
    let never: Vec<&str> = kinds
        .iter()
        .filter(|(_, value)| count(value) == 0)
        .map(|(kind, _)| kind.as_str())
        .collect();
    let shown = if never.is_empty() {
        let fewest = kinds.values().map(count).min().unwrap_or_default();
        format!("{} kinds, fewest {fewest}", kinds.len())
    } else {
        format!("never: {}", never.join(", "))
    };
    Figure::judged(name, shown, never.is_empty(), ABOVE_ZERO, command)
}

/// Each run must have had people of every kind, or it proves less than it says.
fn people(answer: &Value, command: &str) -> Figure {
    let kinds =
        answer.get("in_every_life").and_then(Value::as_object).filter(|kinds| !kinds.is_empty());
    let fewest = |kind: &Value| kind.get("fewest_per_life").and_then(Value::as_u64);
    let Some(fewest) = kinds.and_then(|kinds| kinds.values().map(fewest).min().flatten()) else {
        let reason = "the answer tells of no people";
        return Figure::not_measured(IN_EVERY_RUN, IN_EVERY_RUN_TARGET, command, reason);
    };
    Figure::judged(IN_EVERY_RUN, fewest.to_string(), fewest >= 1, IN_EVERY_RUN_TARGET, command)
}

fn not_measured(runs: u32, command: &str, reason: impl fmt::Display) -> Vec<Figure> {
    let absent = |name, target: &str| Figure::not_measured(name, target, command, &reason);
    let mut figures = vec![absent(RUNS_PLAYED, &target_runs(runs).to_string())];
    figures.extend(NUMBERS.iter().map(|(_, name, target)| absent(name, &target.to_string())));
    figures.push(absent(FAULTS, ABOVE_ZERO));
    figures.push(absent(BOUNDS, ABOVE_ZERO));
    figures.push(absent(IN_EVERY_RUN, IN_EVERY_RUN_TARGET));
    figures
}

fn target_runs(runs: u32) -> Target {
    Target::Exactly(f64::from(runs))
}

#[cfg(test)]
mod tests {
    use super::super::figure::Standing;
    use super::*;

    fn standings(answer: &str) -> Vec<Standing> {
        let answer = serde_json::from_str(answer).unwrap();
        figures(&answer, 5_000, "run").iter().map(Figure::standing).collect()
    }

    #[test]
    fn a_good_answer_meets_every_target() {
        let answer = r#"{"lives":5000,"violations":0,"steps_per_life":412.5,"steps_per_second":41000,
            "lives_per_second":72.1,"faults":{"lost_answer":10,"crash":3},"lane_bounds_reached":{"a":1},
            "in_every_life":{"close":{"all":6000,"fewest_per_life":1}}}"#;
        assert_eq!(standings(answer), [Standing::Met; 8]);
    }

    #[test]
    fn each_figure_can_miss() {
        let answer = r#"{"lives":4999,"violations":1,"steps_per_life":399,"steps_per_second":39999,
            "lives_per_second":59,"faults":{"lost_answer":10,"crash":0},"lane_bounds_reached":{"a":0},
            "in_every_life":{"close":{"all":6000,"fewest_per_life":1},"reopen":{"all":9,"fewest_per_life":0}}}"#;
        assert_eq!(standings(answer), [Standing::Missed; 8]);
    }

    #[test]
    fn an_answer_without_a_figure_does_not_pass_it() {
        assert_eq!(standings("{}"), [Standing::NotMeasured; 8]);
        assert_eq!(not_measured(5_000, "run", "no program").len(), 8);
    }
}
