//! Runs from fixed seeds: they keep every promise, end well, and are the same every time.

use ralph_sim::faults::Fault;
use ralph_sim::report::play_many;
use ralph_sim::run::{Options, SimRun, play};

#[expect(clippy::expect_used, reason = "a test without a store proves nothing")]
fn run(options: &Options) -> SimRun {
    play(options).expect("a store in memory opens")
}

#[test]
fn two_hundred_runs_with_faults_keep_every_promise_and_end_well() {
    let sum = play_many(1, 200, 2);
    let broken: Vec<_> = sum.failures.iter().map(|f| (f.seed, f.what.as_str())).collect();
    assert_eq!(broken, Vec::new());
    assert_eq!(sum.runs, 200);
    assert!(sum.done > 200 * 5, "most issues end well, and only {} of 1,600 did", sum.done);
    assert!(sum.crashes > 0 && sum.escalations > 0 && sum.facts_forgotten > 0);
    let unplayed: Vec<_> =
        Fault::ALL.iter().filter(|fault| !sum.faults.contains_key(fault)).collect();
    assert_eq!(unplayed, Vec::<&Fault>::new(), "each kind of fault has to be played");
    assert_eq!(sum.had.len(), 17);
    assert_eq!(sum.lacks, Vec::new(), "every run has everything that is claimed for it");
}

#[test]
fn without_faults_every_issue_is_done_and_no_person_is_asked() {
    for seed in 1..=10 {
        let run = run(&Options { is_calm: true, ..Options::of_seed(seed) });
        assert_eq!(run.violations, Vec::new(), "seed {seed}");
        assert_eq!((run.ends.done, run.escalations, run.crashes), (8, 0, 0), "seed {seed}");
        assert!(run.faults.is_empty());
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for seed in [3, 17, 40] {
        let (one, other) = (run(&Options::of_seed(seed)), run(&Options::of_seed(seed)));
        assert_eq!(one.hash, other.hash, "seed {seed}");
        assert_eq!(one.steps, other.steps, "seed {seed}");
    }
    let (one, other) = (run(&Options::of_seed(3)), run(&Options::of_seed(4)));
    assert_ne!(one.hash, other.hash, "two seeds are two runs");
}

#[test]
fn a_run_is_long_enough_to_prove_something() {
    let sum = play_many(100, 20, 2);
    assert!(sum.steps / sum.runs >= 400, "{} steps in {} runs", sum.steps, sum.runs);
}
