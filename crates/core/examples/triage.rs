//! Measures how well triage reads the recorded logs, in percent, and prints JSON on the last line of standard output.
//! Misses go to standard error.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for people at a terminal, which measures or stops"
)]

#[expect(unreachable_pub, reason = "the tests share it")]
#[path = "../tests/triage/score.rs"]
mod score;

use score::{Half, Score};

fn main() {
    let [tuned, held_out] = [Half::Tuned, Half::HeldOut].map(score::score);
    for miss in tuned.misses.iter().chain(&held_out.misses) {
        eprintln!("{miss}");
    }
    let logs = tuned.logs.all + held_out.logs.all;
    let answer = serde_json::json!({
        "logs": logs,
        "tuned_excerpts": tuned.excerpts.percent(),
        "tuned_signatures": signatures(&tuned),
        "tuned_classes": tuned.classes.percent(),
        "held_out_logs": held_out.logs.all,
        "held_out_excerpts": held_out.excerpts.percent(),
        "held_out_signatures": signatures(&held_out),
        "held_out_classes": held_out.classes.percent(),
    });
    println!("{answer}");
}

/// The share of repeats with equal signatures or that of different causes with different ones, whichever is lower.
fn signatures(score: &Score) -> f64 {
    score.repeats.percent().min(score.differences.percent())
}
