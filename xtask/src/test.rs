//! `cargo xtask test`: the only definition of "passes". One list of stages, in order, stopping at the first
//! that fails.

use crate::bench;
use crate::clock::seed_from_clock;
use crate::command::Invocation;
use crate::failure::Failure;
use crate::stage::{Stage, Work, play};
use crate::tidy;
use crate::tools;
use std::path::Path;

/// The same runs every time, so that two people see the same result.
const FIXED_SEEDS: &str = "500";
/// New runs every time, a sample of what `proof` plays.
const DRAWN_SEEDS: &str = "100";

/// The program that runs the tests of the workspace.
#[derive(Clone, Copy)]
pub(crate) enum Runner {
    Nextest,
    Plain,
}

pub(crate) fn run(root: &Path) -> Result<(), Failure> {
    prepare(root)?;
    play(root, &stages(root, installed_runner(root), seed_from_clock()))
}

/// Adds the tools that the tests need.
pub(crate) fn prepare(root: &Path) -> Result<(), Failure> {
    ensure_component(root, "fmt", "rustfmt")?;
    ensure_component(root, "clippy", "clippy")?;
    tools::ensure(root)
}

fn stages(root: &Path, runner: Runner, first_drawn_seed: u64) -> Vec<Stage> {
    let cargo = |name, promise, arguments: &[&str]| Stage {
        name,
        promise,
        work: Work::Command(Invocation::cargo(root, arguments)),
    };
    let mut stages = vec![
        cargo("format", "every file is formatted", &["fmt", "--all", "--check"]),
        Stage {
            name: "tidy",
            promise: "the repository keeps its own rules",
            work: Work::Own { shown: "cargo xtask tidy", run: tidy::run },
        },
        cargo(
            "lints",
            "the compiler and clippy have no warning",
            &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        ),
        documentation(root),
    ];
    match runner {
        Runner::Nextest => {
            let arguments = ["nextest", "run", "--workspace"];
            stages.push(cargo("tests", "every test passes, by cargo-nextest", &arguments));
            let arguments = ["test", "--workspace", "--doc"];
            stages.push(cargo("examples", "every example in the docs runs", &arguments));
        }
        Runner::Plain => {
            let promise =
                "every test and doc example passes, by cargo test (no cargo-nextest here)";
            stages.push(cargo("tests", promise, &["test", "--workspace"]));
        }
    }
    stages.push(simulation(
        root,
        "simulation",
        "the usual runs keep every promise",
        &["--seeds", FIXED_SEEDS],
    ));
    let start = first_drawn_seed.to_string();
    stages.push(simulation(
        root,
        "new seeds",
        "newly drawn runs keep every promise",
        &["--seeds", DRAWN_SEEDS, "--start", &start],
    ));
    stages.push(Stage {
        name: "samples",
        promise: "drawn cheats are stopped, drawn kills lose nothing",
        work: Work::Own {
            shown: "cargo bench --profile=dev --bench figures -- liars --draw SEED, kills SEED",
            run: |root| bench::sample(root, seed_from_clock()),
        },
    });
    stages
}

fn documentation(root: &Path) -> Stage {
    let command = Invocation::cargo(root, &["doc", "--workspace", "--no-deps"])
        .environment("RUSTDOCFLAGS", "-Dwarnings");
    Stage {
        name: "docs",
        promise: "the documentation builds without warnings",
        work: Work::Command(command),
    }
}

/// In the tests' own profile: arithmetic and assertions are checked there, and a release build would take longer than
/// these runs do.
fn simulation(root: &Path, name: &'static str, promise: &'static str, arguments: &[&str]) -> Stage {
    let mut command = Invocation::cargo(root, &["run", "-p", "ralph-sim", "--"]);
    for &argument in arguments {
        command = command.argument(argument);
    }
    Stage { name, promise, work: Work::Command(command) }
}

pub(crate) fn installed_runner(root: &Path) -> Runner {
    if Invocation::cargo(root, &["nextest", "--version"]).succeeds() {
        Runner::Nextest
    } else {
        Runner::Plain
    }
}

/// A minimal toolchain comes without these two; rustup adds them in seconds.
fn ensure_component(root: &Path, subcommand: &str, component: &str) -> Result<(), Failure> {
    let asked = Invocation::cargo(root, &[subcommand, "--version"]);
    if asked.succeeds() {
        return Ok(());
    }
    println!("`{}` is not there; adding {component} with rustup", asked.shown());
    let added = Invocation::rustup(root, &["component", "add", component]).run();
    if added.is_ok() && asked.succeeds() {
        return Ok(());
    }
    Err(Failure::Missing {
        what: format!("{component} is not installed and rustup could not add it"),
        next: format!("install {component} for this toolchain, then run `cargo xtask test` again"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(runner: Runner) -> Vec<String> {
        let stages = stages(Path::new("."), runner, 42);
        stages.iter().map(|stage| stage.work.shown()).collect()
    }

    #[test]
    fn with_nextest_the_doc_examples_are_a_stage_of_their_own() {
        assert_eq!(
            commands(Runner::Nextest),
            [
                "cargo fmt --all --check",
                "cargo xtask tidy",
                "cargo clippy --workspace --all-targets -- -D warnings",
                "RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps",
                "cargo nextest run --workspace",
                "cargo test --workspace --doc",
                "cargo run -p ralph-sim -- --seeds 500",
                "cargo run -p ralph-sim -- --seeds 100 --start 42",
                "cargo bench --profile=dev --bench figures -- liars --draw SEED, kills SEED",
            ]
        );
    }

    #[test]
    fn without_nextest_cargo_test_runs_both_kinds() {
        let commands = commands(Runner::Plain);
        assert!(commands.contains(&"cargo test --workspace".to_owned()), "{commands:?}");
        assert!(!commands.iter().any(|command| command.contains("nextest")), "{commands:?}");
    }
}
