//! `cargo xtask proof`: everything of which `test` takes a sample. Whole corpora, long simulations, many cases of each
//! property, and the advisories of third-party crates. It takes hours, and runs before a release.

use crate::bench::{self, Measurement};
use crate::clock::seed_from_clock;
use crate::command::Invocation;
use crate::failure::Failure;
use crate::stage::{Stage, Work, play};
use crate::{fuzz, test};
use std::path::Path;

/// Two hundred times the drawn runs of `test`.
const SEEDS: &str = "20000";
/// Sixteen times the cases that `test` draws for each property.
const CASES: &str = "4096";
/// The corpora: every log, cheat, injected text, kill and batch that we have.
const CORPORA: [Measurement; 7] = [
    Measurement::Trace,
    Measurement::Triage,
    Measurement::Batches,
    Measurement::Injection,
    Measurement::Liars,
    Measurement::Kills,
    Measurement::Forge,
];

pub(crate) fn run(root: &Path) -> Result<(), Failure> {
    test::prepare(root)?;
    let has_deny = Invocation::cargo(root, &["deny", "--version"]).succeeds();
    let has_nightly =
        Invocation::rustup(root, &["run", "nightly", "cargo", "fuzz", "--version"]).succeeds();
    if !has_deny {
        println!(
            "advisories: left out, because cargo-deny is not installed (cargo install cargo-deny)"
        );
    }
    if !has_nightly {
        println!(
            "fuzzing: left out, because cargo-fuzz is not installed for the nightly toolchain"
        );
    }
    play(root, &stages(root, seed_from_clock(), (has_deny, has_nightly)))
}

fn stages(root: &Path, first_seed: u64, (has_deny, has_nightly): (bool, bool)) -> Vec<Stage> {
    let cargo = |arguments: &[&str]| Invocation::cargo(root, arguments);
    let tests = match test::installed_runner(root) {
        test::Runner::Nextest => cargo(&["nextest", "run", "--workspace"]),
        test::Runner::Plain => cargo(&["test", "--workspace"]),
    };
    let start = first_seed.to_string();
    let runs = ["run", "--release", "-p", "ralph-sim", "--", "--seeds", SEEDS, "--start", &start];
    let mut stages = vec![
        Stage {
            name: "properties",
            promise: "every property holds in many more cases",
            work: Work::Command(tests.environment("PROPTEST_CASES", CASES)),
        },
        Stage {
            name: "simulation",
            promise: "thousands of new runs keep every promise",
            work: Work::Command(cargo(&runs)),
        },
        Stage {
            name: "corpora",
            promise: "every case of every corpus meets its target",
            work: Work::Own {
                shown: "cargo xtask bench trace triage batches injection liars kills forge",
                run: |root| bench::run(root, &CORPORA, false),
            },
        },
        Stage {
            name: "agents",
            promise: "ends of turns that agents take long for are as recorded",
            work: Work::Command(cargo(&["test", "-p", "ralph-model", "--bench", "slow-ends"])),
        },
        Stage {
            name: "programs",
            promise: "real agents: every end of a turn, and no way out of the sandbox",
            work: Work::Command(cargo(&["test", "-p", "ralph-cli", "--bench", "agents"])),
        },
    ];
    if has_nightly {
        stages.push(Stage {
            name: "fuzzing",
            promise: "arbitrary text breaks no parser",
            work: Work::Own {
                shown: "cargo xtask fuzz",
                run: |root| fuzz::run(root, None, fuzz::RUNS_PER_FAMILY),
            },
        });
    }
    if has_deny {
        stages.push(Stage {
            name: "advisories",
            promise: "no third-party crate has a known weakness",
            work: Work::Command(cargo(&["deny", "check"])),
        });
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum as _;

    #[test]
    fn optional_tools_add_their_stages() {
        let names = |tools| {
            let stages = stages(Path::new("."), 7, tools);
            stages.iter().map(|stage| stage.name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names((false, false)), "properties simulation corpora agents programs");
        assert_eq!(
            names((true, true)),
            "properties simulation corpora agents programs fuzzing advisories"
        );
    }

    #[test]
    fn the_command_shown_for_the_corpora_names_each_of_them() {
        let stages = stages(Path::new("."), 7, (false, false));
        let shown = stages[2].work.shown();
        let names: Vec<String> = CORPORA
            .iter()
            .map(|it| it.to_possible_value().unwrap().get_name().to_owned())
            .collect();
        assert_eq!(shown, format!("cargo xtask bench {}", names.join(" ")));
    }
}
