//! Every checker is proved to work: each planted bug must be caught by the checker named for it, and every
//! rule must have a bug.

use ralph_sim::bugs::{Bug, catch_all};
use ralph_sim::oracle::RULES;
use std::collections::BTreeSet;

#[test]
fn each_planted_bug_is_caught_by_its_checker() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let catches = catch_all(threads);
    let missed: Vec<_> = catches.iter().filter(|c| c.seed.is_none()).map(|c| c.bug).collect();
    assert_eq!(missed, Vec::new(), "these bugs live on unnoticed");
    let unexpected: Vec<_> = catches.iter().filter(|c| !c.unexpected.is_empty()).collect();
    assert!(unexpected.is_empty(), "checkers fired that are not named for the bug: {unexpected:?}");
}

#[test]
fn every_rule_has_a_bug_that_makes_it_fire() {
    let bitten: BTreeSet<_> = Bug::ALL.iter().filter_map(|bug| bug.caught_by().first()).collect();
    let rules: BTreeSet<_> = RULES.iter().map(|(rule, _)| rule).collect();
    assert_eq!(bitten, rules);
}
