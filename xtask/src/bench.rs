//! `cargo xtask bench`: the figures this project promises, each with its target and the command that
//! reproduces it. A figure that misses, or that cannot be measured, fails the command.

mod batches;
mod figure;
mod forge;
mod injection;
mod last_line;
mod real_parts;
mod simulation;
mod trace_hash;
mod triage;
mod turn_cost;

use crate::failure::Failure;
use clap::ValueEnum;
use figure::{Figure, Standing, table};
use std::path::Path;

/// The profile of what is shipped. Figures in time and memory are measured with it; what only counts is built in the
/// usual release profile, which is ready minutes sooner.
const SHIPPED: &str = "--profile=dist";
const COUNTED: &str = "--release";
/// The profile of the tests, for samples that are part of them.
const TESTED: &str = "--profile=dev";

/// A group of figures that is measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Measurement {
    /// Simulated runs: how many, how fast, and whether every promise held.
    Simulation,
    /// The same seed plays the same run.
    Trace,
    /// Cost of a transaction as the store grows.
    Turns,
    /// Logs of red checks: the cause, its class and its signature.
    Triage,
    /// Pull requests tried together: runs of CI, and who is sent back.
    Batches,
    /// Kill -9 of the daemon in the middle of the demo's workload.
    Kills,
    /// Charged calls of an idle repository and of one issue's life.
    Calls,
    /// One issue's life against a plain script.
    Life,
    /// From a label to the start of the agent.
    Start,
    /// Memory, and the time of commands.
    Footprint,
    /// A hundred repositories with a thousand issues each.
    Many,
    /// Agents that cheat, and honest ones.
    Liars,
    /// Texts by strangers that pretend to be something else.
    Injection,
    /// The forge: kills of its whole process group, names of references, and the costs of many issues.
    Forge,
}

/// The named measurements, or all.
pub(crate) fn run(root: &Path, named: &[Measurement], is_quick: bool) -> Result<(), Failure> {
    let chosen = if named.is_empty() { Measurement::value_variants() } else { named };
    let figures: Vec<Figure> =
        chosen.iter().flat_map(|measurement| measurement.measure(root, is_quick)).collect();
    println!("{}", table(&figures));
    verdict(&figures)
}

/// A drawn sample of the corpora whose cases are no tests of their own.
pub(crate) fn sample(root: &Path, draw: u64) -> Result<(), Failure> {
    let figures = real_parts::sample(root, draw);
    println!("{}", table(&figures));
    verdict(&figures)
}

impl Measurement {
    fn measure(self, root: &Path, is_quick: bool) -> Vec<Figure> {
        match self {
            Self::Simulation => simulation::measure(root, is_quick),
            Self::Trace => vec![trace_hash::measure(root)],
            Self::Turns => turn_cost::measure(root),
            Self::Triage => triage::measure(root),
            Self::Batches => batches::measure(root),
            Self::Kills => real_parts::KILLS.measure(root, is_quick),
            Self::Calls => real_parts::CALLS.measure(root, is_quick),
            Self::Life => real_parts::LIFE.measure(root, is_quick),
            Self::Start => real_parts::START.measure(root, is_quick),
            Self::Footprint => real_parts::FOOTPRINT.measure(root, is_quick),
            Self::Many => real_parts::MANY.measure(root, is_quick),
            Self::Liars => real_parts::LIARS.measure(root, is_quick),
            Self::Injection => vec![injection::measure(root)],
            Self::Forge => forge::measure(root),
        }
    }
}

fn verdict(figures: &[Figure]) -> Result<(), Failure> {
    let count = |standing| figures.iter().filter(|figure| figure.standing() == standing).count();
    let (missed, not_measured) = (count(Standing::Missed), count(Standing::NotMeasured));
    if missed + not_measured == 0 { Ok(()) } else { Err(Failure::Figures { missed, not_measured }) }
}

#[cfg(test)]
mod tests {
    use super::figure::Target;
    use super::*;

    #[test]
    fn one_figure_that_misses_or_is_not_there_fails_the_whole() {
        let good = || Figure::number("a", Some(1.0), Target::AtLeast(1.0), "run a");
        let missed = Figure::number("b", Some(0.5), Target::AtLeast(1.0), "run b");
        let absent = Figure::number("c", None, Target::AtLeast(1.0), "run c");
        assert!(verdict(&[good()]).is_ok());
        assert!(verdict(&[good(), missed]).is_err());
        assert!(verdict(&[good(), absent]).is_err());
    }
}
