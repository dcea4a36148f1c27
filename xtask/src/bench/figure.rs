//! One row of the table: what was measured, what it should be, and how to see it again.

use crate::failure::Failure;
use serde_json::Value;
use std::fmt;

#[derive(Debug)]
pub(super) struct Figure {
    name: &'static str,
    measured: Measured,
    target: String,
    command: String,
}

#[derive(Debug)]
enum Measured {
    Value { shown: String, is_on_target: bool },
    Not { reason: String },
}

/// A figure compared with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Met,
    Missed,
    NotMeasured,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    Exactly(f64),
    AtLeast(f64),
    AtMost(f64),
    Below(f64),
    /// No promise, only good to know.
    Shown,
}

impl Figure {
    /// A number compared with its target; `None` when the program's answer does not name it.
    pub(super) fn number(
        name: &'static str,
        value: Option<f64>,
        target: Target,
        command: &str,
    ) -> Self {
        let measured = match value {
            Some(value) => {
                Measured::Value { shown: shown(value), is_on_target: target.is_met_by(value) }
            }
            None => Measured::Not { reason: "the answer does not name it".to_owned() },
        };
        Self { name, measured, target: target.to_string(), command: command.to_owned() }
    }

    /// Something other than a number, judged by the caller.
    pub(super) fn judged(
        name: &'static str,
        shown: String,
        is_on_target: bool,
        target: &str,
        command: &str,
    ) -> Self {
        let measured = Measured::Value { shown, is_on_target };
        Self { name, measured, target: target.to_owned(), command: command.to_owned() }
    }

    /// Each of these keys of a program's answer, with its name and target.
    pub(super) fn numbers(
        numbers: &[(&str, &'static str, Target)],
        answer: &Result<Value, Failure>,
        command: &str,
    ) -> Vec<Self> {
        let figure = |&(key, name, target): &(&str, &'static str, Target)| match answer {
            Ok(answer) => {
                Self::number(name, answer.get(key).and_then(Value::as_f64), target, command)
            }
            Err(why) => Self::not_measured(name, &target.to_string(), command, why),
        };
        numbers.iter().map(figure).collect()
    }

    pub(super) fn not_measured(
        name: &'static str,
        target: &str,
        command: &str,
        why: impl fmt::Display,
    ) -> Self {
        let measured = Measured::Not { reason: why.to_string() };
        Self { name, measured, target: target.to_owned(), command: command.to_owned() }
    }

    pub(super) const fn standing(&self) -> Standing {
        match self.measured {
            Measured::Value { is_on_target: true, .. } => Standing::Met,
            Measured::Value { is_on_target: false, .. } => Standing::Missed,
            Measured::Not { .. } => Standing::NotMeasured,
        }
    }
}

impl Target {
    fn is_met_by(self, value: f64) -> bool {
        match self {
            Self::Exactly(wanted) => (value - wanted).abs() < f64::EPSILON,
            Self::AtLeast(least) => value >= least,
            Self::AtMost(most) => value <= most,
            Self::Below(limit) => value < limit,
            Self::Shown => !value.is_nan(),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, value) = match self {
            Self::Exactly(value) => ("=", value),
            Self::AtLeast(value) => (">=", value),
            Self::AtMost(value) => ("<=", value),
            Self::Below(value) => ("<", value),
            Self::Shown => return f.write_str("none"),
        };
        write!(f, "{sign} {}", shown(*value))
    }
}

/// Whole numbers without a fraction, all others with two digits of it.
fn shown(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// All rows with aligned columns, then a line for each figure that could not be measured.
pub(super) fn table(figures: &[Figure]) -> String {
    let mut rows =
        vec![["figure", "measured", "target", "result", "reproduce with"].map(str::to_owned)];
    rows.extend(figures.iter().map(row));
    let mut width = [0; 5];
    for row in &rows {
        for (width, cell) in width.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| {
            let cells = row.iter().zip(width).map(|(cell, width)| format!("{cell:width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        })
        .collect();
    lines.extend(figures.iter().filter_map(why_not_measured));
    lines.join("\n")
}

fn row(figure: &Figure) -> [String; 5] {
    let (measured, result) = match &figure.measured {
        Measured::Value { shown, is_on_target: true } => (shown.clone(), "pass"),
        Measured::Value { shown, is_on_target: false } => (shown.clone(), "FAIL"),
        Measured::Not { .. } => ("-".to_owned(), "NOT MEASURED"),
    };
    let name = figure.name.to_owned();
    [name, measured, figure.target.clone(), result.to_owned(), figure.command.clone()]
}

fn why_not_measured(figure: &Figure) -> Option<String> {
    match &figure.measured {
        Measured::Value { .. } => None,
        Measured::Not { reason } => {
            Some(format!("{} could not be measured: {reason}", figure.name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_target_has_a_value_on_either_side() {
        for (target, met, missed) in [
            (Target::Exactly(0.0), 0.0, 1.0),
            (Target::AtLeast(400.0), 400.0, 399.9),
            (Target::AtMost(1.5), 1.5, 1.51),
            (Target::Below(2000.0), 1999.0, 2000.0),
            // Whatever it is; not to be a number at all is no measurement.
            (Target::Shown, 7.0, f64::NAN),
        ] {
            assert!(target.is_met_by(met), "{target} {met}");
            assert!(!target.is_met_by(missed), "{target} {missed}");
        }
    }

    #[test]
    fn the_table_aligns_its_columns_and_ends_with_what_was_not_measured() {
        let figures = [
            Figure::number("ratio", Some(1.25), Target::AtMost(1.5), "run a"),
            Figure::number("violations", Some(3.0), Target::Exactly(0.0), "run b"),
            Figure::not_measured("hash", "equal", "run c", "no such program"),
        ];
        let expected = "\
figure      measured  target   result        reproduce with
ratio       1.25      <= 1.50  pass          run a
violations  3         = 0      FAIL          run b
hash        -         equal    NOT MEASURED  run c
hash could not be measured: no such program";
        assert_eq!(table(&figures), expected);
    }
}
