//! The commands a contributor needs: `cargo xtask test`, `tidy`, `proof`, `bench` and `fuzz`. They need Rust, git and a C
//! compiler, and name what to install when one of them needs more.

#![expect(clippy::print_stdout, reason = "a command line tool answers on standard output")]
#![expect(clippy::print_stderr, reason = "a command line tool complains on standard error")]

mod bench;
mod clock;
mod command;
mod failure;
mod fuzz;
mod proof;
mod stage;
mod test;
mod tidy;
mod tools;

use clap::{Parser, Subcommand};
use failure::Failure;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask", about = "Test, check, measure and fuzz the workspace")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run everything that has to pass: format, tidy, lints, docs, tests, simulation.
    Test,
    /// Check the rules of the repository that the compiler and clippy do not know.
    Tidy,
    /// Run what `test` only samples: whole corpora, long simulations, many cases. Takes hours.
    Proof,
    /// Measure the figures this project promises and compare them with their targets.
    Bench {
        /// The figures to measure; all of them when none is given.
        #[arg(value_enum)]
        named: Vec<bench::Measurement>,
        /// Measure less, to see that the measurement works.
        #[arg(long)]
        quick: bool,
    },
    /// Feed arbitrary text to the parsers. Needs the nightly toolchain.
    Fuzz {
        /// One family only; all of them when not given.
        #[arg(value_enum)]
        family: Option<fuzz::Family>,
        /// Executions for each family.
        #[arg(long, default_value_t = fuzz::RUNS_PER_FAMILY)]
        runs: u64,
    },
}

fn main() -> ExitCode {
    let root = repository_root();
    let done = match Arguments::parse().task {
        Task::Test => test::run(root),
        Task::Tidy => tidy::run(root),
        Task::Proof => proof::run(root),
        Task::Bench { named, quick } => bench::run(root, &named, quick),
        Task::Fuzz { family, runs } => fuzz::run(root, family, runs),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            report(&failure);
            ExitCode::FAILURE
        }
    }
}

/// The folder above this package.
fn repository_root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

fn report(failure: &Failure) {
    eprintln!("error: {failure}");
    let mut cause = failure.source();
    while let Some(inner) = cause {
        eprintln!("  because: {inner}");
        cause = inner.source();
    }
}
