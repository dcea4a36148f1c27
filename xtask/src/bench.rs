//! `cargo xtask bench`: the figures this project promises, each with its target and the command that
//! reproduces it. A figure that misses, or that cannot be measured, fails the command.

mod figure;
mod last_line;
mod simulation;
mod trace_hash;
mod turn_cost;

use crate::failure::Failure;
use figure::{Figure, Standing, table};
use std::path::Path;

pub(crate) fn run(root: &Path, quick: bool) -> Result<(), Failure> {
    let mut figures = simulation::measure(root, quick);
    figures.push(trace_hash::measure(root));
    figures.extend(turn_cost::measure(root));
    println!("{}", table(&figures));
    verdict(&figures)
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
