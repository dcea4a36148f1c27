//! Every checker is proved to work: each planted bug must be caught by the checker named for it, and every
//! rule must have a bug.

use ralph_sim::bugs::Bug;
use ralph_sim::invariants::RULES;
use ralph_sim::life::{Options, play};
use std::collections::BTreeSet;

/// Lives played until a bug shows itself; most do in the first few.
const LIVES_MAX: u64 = 120;

/// The first life in which the bug is caught: its seed, and what else fired in the lives before it.
fn caught(bug: Bug) -> (Option<u64>, BTreeSet<&'static str>) {
    let mut others = BTreeSet::new();
    let seed = (1..=LIVES_MAX).find(|seed| {
        let life = play(&Options { bug: Some(bug), ..Options::of_seed(*seed) }).expect("a store");
        let fired: BTreeSet<_> = life.violations.iter().map(|violation| violation.rule).collect();
        others.extend(fired.iter().filter(|rule| !bug.caught_by().contains(rule)));
        fired.contains(bug.caught_by()[0])
    });
    (seed, others)
}

#[test]
fn each_planted_bug_is_caught_by_its_checker() {
    let (mut missed, mut unexpected) = (Vec::new(), Vec::new());
    println!("| planted bug | what it does | caught by | in seed |\n|---|---|---|---|");
    for bug in Bug::ALL {
        let (seed, others) = caught(*bug);
        match seed {
            Some(seed) => {
                println!("| {bug:?} | {} | {} | {seed} |", bug.says(), bug.caught_by()[0]);
            }
            None => missed.push(*bug),
        }
        unexpected.extend(others.into_iter().map(|rule| (*bug, rule)));
    }
    assert_eq!(missed, Vec::new(), "these bugs live on unnoticed; what fired: {unexpected:?}");
    assert_eq!(unexpected, Vec::new(), "these checkers fired for a bug they are not named for");
}

#[test]
fn every_rule_has_a_bug_that_makes_it_fire() {
    let bitten: BTreeSet<_> = Bug::ALL.iter().map(|bug| bug.caught_by()[0]).collect();
    let rules: BTreeSet<_> = RULES.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(bitten, rules);
}
