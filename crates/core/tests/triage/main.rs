//! Triage of red checks, over logs that real tools wrote and over hostile ones.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a corpus that cannot be read is a failed test"
)]

mod hostile;
#[expect(unreachable_pub, reason = "the benchmark uses what is private here")]
mod score;

use score::{Half, Score, score};

/// Checks the promises of `cargo xtask bench triage`.
fn check(score: &Score, logs_min: u32) {
    let misses = score.misses.join("\n");
    assert!(score.logs.all >= logs_min, "only {} logs", score.logs.all);
    assert!(score.excerpts.percent() >= 95.0, "excerpts: {:?}\n{misses}", score.excerpts);
    assert!(score.classes.percent() >= 90.0, "classes: {:?}\n{misses}", score.classes);
    assert_eq!(score.repeats.right, score.repeats.all, "repeats\n{misses}");
    assert_eq!(score.differences.right, score.differences.all, "differences\n{misses}");
}

#[test]
fn tuned_logs_are_understood() {
    let score = score(Half::Tuned);
    check(&score, 30);
    assert_eq!(score.misses, [""; 0]);
}

#[test]
fn held_out_logs_are_understood() {
    check(&score(Half::HeldOut), 30);
}
