//! The program as people run it, with a real forge, real git and real processes: what it survives, what it asks of
//! the forge, how fast it is and what it takes of the machine.

use super::figure::{Figure, Target};
use super::{SHIPPED, TESTED, last_line};
use crate::command::Invocation;
use std::path::Path;

/// Keys of an answer, names of figures, and their targets.
type Numbers = &'static [(&'static str, &'static str, Target)];

/// Kill -9 inside every step, and the demo's workload ends as if nothing had happened.
pub(super) const KILLS: Part = Part {
    name: "kills",
    numbers: &[
        ("kills_at_work", "kills -9 while there was work", Target::Shown),
        ("steps_untouched", "steps of a life that no kill fell into", Target::Exactly(0.0)),
        ("unequal", "killed runs that end otherwise", Target::Exactly(0.0)),
        ("escalated", "issues escalated for a kill", Target::Exactly(0.0)),
        ("duplicates", "duplicate comments, pulls, labels", Target::Exactly(0.0)),
        ("orphans", "processes that outlive their daemon", Target::Exactly(0.0)),
        ("lost_files", "files lost by a kill", Target::Exactly(0.0)),
    ],
};

/// Requests that the forge charges for.
pub(super) const CALLS: Part = Part {
    name: "calls",
    numbers: &[
        ("idle", "charged calls, idle repository", Target::Exactly(0.0)),
        // Or the daemon was not polling at all.
        ("idle_polled", "uncharged calls, idle repository", Target::AtLeast(3.0)),
        ("life", "charged calls, life of one issue", Target::AtMost(25.0)),
    ],
};

/// A life against the calls it is made of.
pub(super) const LIFE: Part = Part {
    name: "life",
    numbers: &[
        ("ratio", "life of one issue over plain script", Target::AtMost(1.5)),
        ("ralph_ms", "life of one issue, ms", Target::Shown),
        ("script_ms", "the same calls by a script, ms", Target::Shown),
        ("prompt_to_start_ms", "prompt written to agent begun, ms", Target::Shown),
        ("exit_to_decision_ms", "agent ended to next decision, ms", Target::Shown),
    ],
};

/// From a person's label to the agent.
pub(super) const START: Part = Part {
    name: "start",
    numbers: &[
        ("median_ms", "label to agent start, median ms", Target::Below(150.0)),
        ("p95_ms", "label to agent start, p95 ms", Target::Shown),
    ],
};

pub(super) const FOOTPRINT: Part = Part {
    name: "footprint",
    numbers: &[
        ("daemon_mb", "memory of an idle daemon, MB", Target::Below(30.0)),
        ("forge_mb", "memory of an idle forge, MB", Target::Below(40.0)),
        ("help_ms", "ralph --help, ms", Target::Below(10.0)),
        ("status_ms", "ralph status, 10,000 issues, ms", Target::Below(30.0)),
    ],
};

/// A hundred repositories with a thousand issues each, polled.
pub(super) const MANY: Part = Part {
    name: "many",
    numbers: &[
        // GitHub's limit for an hour.
        ("sync_calls", "charged calls, first look at 100,000", Target::Below(5_000.0)),
        ("sync_s", "first look at 100,000 issues, s", Target::Shown),
        ("idle", "charged calls, 100 idle repositories", Target::Exactly(0.0)),
        // Or the daemon was not polling at all.
        ("idle_polled", "uncharged calls, the same", Target::AtLeast(9.0)),
        ("daemon_mb", "memory of a daemon with 100,000, MB", Target::Shown),
    ],
};

/// Scripted agents that cheat, and others that do not.
pub(super) const LIARS: Part = Part {
    name: "liars",
    numbers: &[
        ("cheats", "scripted cheats", Target::Shown),
        ("cheats_merged", "cheats merged", Target::Exactly(0.0)),
        ("misplaced", "cheats stopped by another gate than named", Target::Exactly(0.0)),
        ("honest", "scripted honest changes", Target::Shown),
        ("honest_refused", "honest changes refused", Target::AtMost(2.0)),
    ],
};

/// One measurement of the program in `crates/ralph/benches/figures`.
pub(super) struct Part {
    name: &'static str,
    numbers: Numbers,
}

/// Drawn parts of what only counts, for every change: whole measurements take hours.
pub(super) fn sample(root: &Path, draw: u64) -> Vec<Figure> {
    let draw = draw.to_string();
    let words = |rest: &[&str]| {
        let mut command = Invocation::cargo(root, &["bench", TESTED, "--bench", "figures", "--"]);
        for &word in rest {
            command = command.argument(word);
        }
        command
    };
    let liars = words(&[LIARS.name, "--draw", &draw]);
    let kills = words(&[KILLS.name, &draw]);
    // One run does not come to every step.
    let of_one_run: Vec<_> =
        KILLS.numbers.iter().filter(|(key, ..)| *key != "steps_untouched").copied().collect();
    let mut figures = Figure::numbers(LIARS.numbers, &last_line::json(&liars), &liars.shown());
    figures.extend(Figure::numbers(&of_one_run, &last_line::json(&kills), &kills.shown()));
    figures
}

impl Part {
    pub(super) fn measure(&self, root: &Path, is_quick: bool) -> Vec<Figure> {
        let words = ["bench", SHIPPED, "-p", "ralph-cli", "--bench", "figures", "--", self.name];
        let mut command = Invocation::cargo(root, &words);
        if is_quick {
            command = command.argument("--quick");
        }
        Figure::numbers(self.numbers, &last_line::json(&command), &command.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::super::figure::Standing;
    use super::*;
    use crate::failure::Failure;

    fn standings(part: &Part, answer: &str) -> Vec<Standing> {
        let command = "run".to_owned();
        let answer =
            serde_json::from_str(answer).map_err(|source| Failure::NotJson { command, source });
        Figure::numbers(part.numbers, &answer, "run").iter().map(Figure::standing).collect()
    }

    #[test]
    fn one_duplicate_orphan_or_lost_file_is_one_too_many() {
        let answer = |count: u32| {
            let names =
                ["steps_untouched", "unequal", "escalated", "duplicates", "orphans", "lost_files"];
            let parts: Vec<_> = names.iter().map(|name| format!("{name:?}:{count}")).collect();
            format!("{{\"kills_at_work\":98,{}}}", parts.join(","))
        };
        assert_eq!(standings(&KILLS, &answer(0)), [Standing::Met; 7]);
        assert_eq!(standings(&KILLS, &answer(1)).get(1..), Some([Standing::Missed; 6].as_slice()));
        assert_eq!(standings(&KILLS, "Error: not at its end"), [Standing::NotMeasured; 7]);
    }
}
