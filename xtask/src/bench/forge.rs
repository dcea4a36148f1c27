//! Kills of the embedded forge's whole process group and hostile names of references, which it has to survive.

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

pub(super) fn measure(root: &Path) -> Vec<Figure> {
    PROMISES.iter().map(|promise| promise.measure(root)).collect()
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
}
