//! Kills of the embedded forge's whole process group and hostile names of references, which it has to survive; and
//! the costs of ten thousand issues against those of a hundred and of rest.

use super::figure::Figure;
use crate::command::Invocation;
use std::path::Path;

/// A test that says `name: bad of tried` on a line, how often it tries, and the figure's name.
struct Promise {
    test: &'static str,
    variable: &'static str,
    tries: &'static str,
    tries_min: u32,
    said: &'static str,
    name: &'static str,
    target: &'static str,
}

const PROMISES: [Promise; 2] = [
    Promise {
        test: "group_kills::",
        variable: "RALPH_FORGE_KILLS",
        tries: "500",
        tries_min: 500,
        said: "lost or not started: ",
        name: "forge: kills of the whole group that lose something or keep it from starting",
        target: "0 of 500",
    },
    Promise {
        test: "ref_names::names_of_references",
        variable: "RALPH_FORGE_NAMES",
        tries: "10000",
        tries_min: 10_000,
        said: "judged otherwise: ",
        name: "forge: names of references judged otherwise than by git",
        target: "0 of 10,000",
    },
];

/// A ratio that one test says as `name: ratio at issues`, against a floor of the same run.
struct Ratio {
    said: &'static str,
    name: &'static str,
    max: f64,
    target: &'static str,
}

/// As many as the promise names.
const ISSUES: u32 = 10_000;

const RATIOS: [Ratio; 2] = [
    Ratio {
        said: "memory while paging over idle: ",
        name: "forge: peak memory while paging through 10,000 issues, over idle",
        // All of them at once, even before they are written as JSON, make it 1.25.
        max: 1.15,
        target: "at most 1.15",
    },
    Ratio {
        said: "a 304 over one of 100 issues: ",
        name: "forge: time of a 304 with 10,000 issues, over 100",
        // Listing them again for each 304 makes it 1.75.
        max: 1.5,
        target: "at most 1.5",
    },
];

pub(super) fn measure(root: &Path) -> Vec<Figure> {
    let promises = PROMISES.iter().map(|promise| promise.measure(root));
    promises.chain(measure_ratios(root)).collect()
}

fn measure_ratios(root: &Path) -> Vec<Figure> {
    let words = ["test", "--release", "-p", "ralph-forge", "--test", "server", "--", "--nocapture"];
    let command = Invocation::cargo(root, &words)
        .argument("pages::")
        .environment("RALPH_FORGE_ISSUES", "10000");
    let shown = command.shown();
    match command.output_with_progress() {
        Ok(output) => RATIOS.iter().map(|ratio| ratio.figure(&output.stdout, &shown)).collect(),
        Err(failure) => {
            let reason = failure.to_string();
            let none = |ratio: &Ratio| {
                Figure::not_measured(ratio.name, ratio.target, &shown, reason.as_str())
            };
            RATIOS.iter().map(none).collect()
        }
    }
}

impl Ratio {
    fn figure(&self, stdout: &str, command: &str) -> Figure {
        let Some((ratio, issues)) = stdout.lines().find_map(|line| self.read(line)) else {
            let reason = "the test did not say what came of it";
            return Figure::not_measured(self.name, self.target, command, reason);
        };
        let is_on_target = ratio <= self.max && issues >= ISSUES;
        let value = format!("{ratio:.2} at {issues} issues");
        Figure::judged(self.name, value, is_on_target, self.target, command)
    }

    fn read(&self, line: &str) -> Option<(f64, u32)> {
        let (_, said) = line.split_once(self.said)?;
        let (ratio, issues) = said.split_once(" at ")?;
        Some((ratio.parse().ok()?, issues.trim().parse().ok()?))
    }
}

impl Promise {
    fn measure(&self, root: &Path) -> Figure {
        let words =
            ["test", "--release", "-p", "ralph-forge", "--test", "server", "--", "--nocapture"];
        let command = Invocation::cargo(root, &words)
            .argument(self.test)
            .environment(self.variable, self.tries);
        let shown = command.shown();
        match command.output_with_progress() {
            Ok(output) => self.figure(&output.stdout, &shown),
            Err(failure) => Figure::not_measured(self.name, self.target, &shown, failure),
        }
    }

    fn figure(&self, stdout: &str, command: &str) -> Figure {
        let Some((bad, tried)) = stdout.lines().find_map(|line| self.read(line)) else {
            let reason = "the test did not say what came of it";
            return Figure::not_measured(self.name, self.target, command, reason);
        };
        let is_on_target = bad == 0 && tried >= self.tries_min;
        let value = format!("{bad} of {tried}");
        Figure::judged(self.name, value, is_on_target, self.target, command)
    }

    /// `said: 0 of 500`, wherever it stands in its line.
    fn read(&self, line: &str) -> Option<(u32, u32)> {
        let (_, counts) = line.split_once(self.said)?;
        let (bad, tried) = counts.split_once(" of ")?;
        Some((bad.parse().ok()?, tried.trim().parse().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::figure::Standing;
    use super::*;

    #[test]
    fn one_loss_or_too_few_tries_miss_the_target() {
        let [kills, _names] = PROMISES;
        let standing = |stdout: &str| kills.figure(stdout, "run").standing();
        assert_eq!(standing("test a ... lost or not started: 0 of 500\nok\n"), Standing::Met);
        assert_eq!(standing("lost or not started: 1 of 500\n"), Standing::Missed);
        assert_eq!(standing("lost or not started: 0 of 8\n"), Standing::Missed);
        assert_eq!(standing("test a ... ok\n"), Standing::NotMeasured);
    }

    #[test]
    fn a_large_ratio_or_too_few_issues_miss_the_target() {
        let [memory, _time] = RATIOS;
        let standing = |stdout: &str| memory.figure(stdout, "run").standing();
        assert_eq!(standing("a ... memory while paging over idle: 1.10 at 10000\n"), Standing::Met);
        assert_eq!(standing("memory while paging over idle: 1.90 at 10000\n"), Standing::Missed);
        assert_eq!(standing("memory while paging over idle: 1.00 at 230\n"), Standing::Missed);
        assert_eq!(standing("test a ... ok\n"), Standing::NotMeasured);
    }
}
