//! Seeds that once broke a promise, with what was wrong. Each change of the simulator turns a seed into
//! another life, and these have changed since: they guard little by themselves, and what they found wants a
//! test of its own beside the code.

use ralph_sim::life::{Options, play};

const ONCE_BROKEN: [(u64, &str); 10] = [
    (4, "a command label that a person removed was waited for for ever"),
    (20, "a pull request mended by a person was judged by what an earlier run had seen"),
    (131, "a life counted as over while a refused label write waited for its time"),
    (241, "a command given at the last moment was not waited for"),
    (514, "a command label applied within a minute of its removal was obeyed and never removed"),
    (560, "a stale look at the default branch was never repeated"),
    (567, "a rollup whose answer was lost was opened again after its merge"),
    (765, "queueing again kept the spent verdict repairs of the run before"),
    (956, "a new dependency closed a circle and nobody looked"),
    (1738, "a pull request whose answer was lost was not found after its base was changed"),
];

#[test]
fn what_was_mended_stays_mended() {
    for (seed, what) in ONCE_BROKEN {
        let life = play(&Options::of_seed(seed)).expect("a store in memory opens");
        assert_eq!(life.violations, Vec::new(), "seed {seed}: {what}");
    }
}
