//! The figures that Ralph promises, measured with the program as people run it: a daemon, a forge and
//! their children as processes of their own. `cargo bench -p ralph-cli --bench figures -- NAME [--quick]` measures
//! one; the last line on standard output is JSON, progress goes to standard error.

mod calls;
mod clock;
mod footprint;
mod kills;
mod liars;
mod many;
mod one_issue;
mod overhead;
mod place;
mod process;
mod start;
mod wait;

use liars::Wanted;
use serde_json::Value;
use std::error::Error;
use std::io::Write as _;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The amount that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    Whole,
    /// Enough to see that the measurement works.
    Quick,
}

impl Size {
    const fn pick<T: Copy>(self, whole: T, quick: T) -> T {
        match self {
            Self::Whole => whole,
            Self::Quick => quick,
        }
    }
}

const NAMES: &str = "kills, calls, life, start, footprint, many or liars";

fn main() -> Outcome<()> {
    // Cargo adds this one to every bench.
    let mut words: Vec<String> =
        std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let is_quick = words.iter().any(|word| word == "--quick");
    words.retain(|word| word != "--quick");
    let size = if is_quick { Size::Quick } else { Size::Whole };
    let measured = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["kills"] => kills::measure(size, None)?,
        ["kills", seed] => kills::measure(size, Some(seed.parse()?))?,
        ["calls"] => calls::measure()?,
        ["life"] => overhead::measure(size)?,
        ["start"] => start::measure(size)?,
        ["footprint"] => footprint::measure(size)?,
        ["many"] => many::measure(size)?,
        ["liars", "--draw", seed] => liars::measure(&Wanted::Drawn(seed.parse()?))?,
        ["liars"] => liars::measure(&size.pick(Wanted::All, Wanted::Drawn(0)))?,
        ["liars", names @ ..] => liars::measure(&Wanted::Named(names))?,
        other => return Err(format!("{other:?} is not measured here; name {NAMES}").into()),
    };
    answer(&measured)
}

fn answer(measured: &Value) -> Outcome<()> {
    Ok(writeln!(std::io::stdout(), "{measured}")?)
}

/// A line of progress.
fn say(text: &str) {
    // A closed screen is a choice of the caller.
    drop(writeln!(std::io::stderr(), "{text}"));
}

/// The middle one, or nothing of nothing.
fn median(values: &mut [f64]) -> Option<f64> {
    percentile(values, 50)
}

/// The value that this many percent of all do not exceed.
fn percentile(values: &mut [f64], percent: usize) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    values.get((last * percent).div_ceil(100)).copied()
}
