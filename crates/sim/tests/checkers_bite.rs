//! Every checker is proved to work: each planted bug must be caught by the checker named for it, and every
//! rule must have a bug.

use ralph_sim::bugs::Bug;
use ralph_sim::invariants::RULES;
use ralph_sim::life::{Options, play};
use std::collections::BTreeSet;

/// Lives played until a bug shows itself; most do in the first few.
const LIVES_MAX: u64 = 120;

/// The first life in which the bug is caught: its seed and the rule that fired.
fn caught(bug: Bug) -> Option<(u64, &'static str)> {
    (1..=LIVES_MAX).find_map(|seed| {
        let life = play(&Options { bug: Some(bug), ..Options::of_seed(seed) }).expect("a store");
        let fired = life.violations.iter().map(|violation| violation.rule);
        let expected = fired.clone().find(|rule| *rule == bug.caught_by()[0]);
        for rule in fired {
            assert!(bug.caught_by().contains(&rule), "{bug:?} fired {rule} in seed {seed}");
        }
        expected.map(|rule| (seed, rule))
    })
}

#[test]
fn each_planted_bug_is_caught_by_its_checker() {
    let mut missed = Vec::new();
    println!("| planted bug | what it does | caught by | in seed |\n|---|---|---|---|");
    for bug in Bug::ALL {
        match caught(*bug) {
            Some((seed, rule)) => println!("| {bug:?} | {} | {rule} | {seed} |", bug.says()),
            None => missed.push(*bug),
        }
    }
    assert_eq!(missed, Vec::new(), "these bugs live on unnoticed");
}

#[test]
fn every_rule_has_a_bug_that_makes_it_fire() {
    let bitten: BTreeSet<_> = Bug::ALL.iter().map(|bug| bug.caught_by()[0]).collect();
    let rules: BTreeSet<_> = RULES.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(bitten, rules);
}
