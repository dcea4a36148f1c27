//! Measures the cost of trial builds: a fixed trace of 64 pull requests of which 2, 10 and 30 % are bad, in a thousand
//! orders. Prints JSON on the last line of standard output.
#![expect(clippy::print_stdout, reason = "a program for people at a terminal")]

use ralph_core::policy::RepoPolicy;

#[path = "../tests/batches/trace.rs"]
mod trace;

const MEMBERS: u32 = 64;
const SHUFFLES: u64 = 1_000;

/// The number of runs relative to merging each change alone, and the good changes that were sent back.
struct Cost {
    mean: f64,
    p95: f64,
    innocents: usize,
}

fn main() {
    let [few, some, many] = [2, 10, 30].map(measure);
    let answer = serde_json::json!({
        "mean_2": few.mean,
        "p95_2": few.p95,
        "mean_10": some.mean,
        "p95_10": some.p95,
        "mean_30": many.mean,
        "p95_30": many.p95,
        "innocents": few.innocents + some.innocents + many.innocents,
    });
    println!("{answer}");
}

/// Rounded up, so that the figures never understate the cost.
fn measure(percent: u32) -> Cost {
    let bad = (MEMBERS * percent).div_ceil(100);
    let batch_max = RepoPolicy::default().batch_max;
    let mut innocents = 0;
    let mut ratios: Vec<f64> = (0..SHUFFLES)
        .map(|shuffle| {
            let line = trace::shuffled(MEMBERS, shuffle);
            let played = trace::play(&line, |member| member < bad, batch_max);
            innocents += played.ejected.iter().filter(|member| **member >= bad).count();
            f64::from(played.runs) / f64::from(MEMBERS)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let p95 = ratios.get(ratios.len() * 95 / 100).copied().unwrap_or(f64::NAN);
    Cost { mean, p95, innocents }
}
