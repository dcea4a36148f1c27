//! A policy that changes while the engine works: only what it affects is looked at again.

use crate::harness::{Harness, key, policy};
use crate::whole_run::begun;
use ralph_core::ids::{Branch, RepoName};
use ralph_core::time::Span;
use ralph_core::watch::Resource;
use ralph_core::words;
use ralph_engine::{Leased, Performed};

/// Every resource that is due.
fn asked(harness: &mut Harness) -> Vec<Resource> {
    let now = harness.now;
    let next = || harness.engine().next_question(now).unwrap().map(|question| question.resource);
    std::iter::from_fn(next).collect()
}

#[test]
fn only_what_another_policy_changes_is_asked_again() {
    let mut harness = Harness::new();
    harness.reads();
    let now = harness.now;
    harness.engine().set_policy(now, policy()).unwrap();
    assert_eq!(asked(&mut harness), [], "the same policy");
    let repo = RepoName::parse("acme/widgets").unwrap();
    let mut other = policy();
    other.repos.get_mut(&repo).unwrap().bot_branch = Branch::new("bot/next");
    harness.engine().set_policy(now, other).unwrap();
    assert_eq!(asked(&mut harness), [Resource::Branches(repo)], "another bot branch");
}

#[test]
fn what_was_tried_in_a_repository_is_not_even_looked_up_once_it_is_out_of_the_policy() {
    let mut harness = begun();
    let leased = harness.leases_next("label+");
    harness.settles(leased.id, Performed::Unknown { why: "no answer".to_owned() });
    let now = harness.now;
    let mut without = policy();
    without.repos.remove(&key(7).repo);
    harness.engine().set_policy(now, without).unwrap();
    harness.later(Span::from_mins(5));
    let ends_a_process = |leased: &Leased| leased.key.contains(":end:");
    while let Some(leased) = harness.claims() {
        assert!(ends_a_process(&leased), "{}", leased.key);
        let performed = harness.performs(&leased);
        harness.settles(leased.id, performed);
    }
    assert_eq!(harness.row(&leased.key).reason, words::OUTSIDE);
    harness.later(Span::from_mins(60));
    assert!(harness.claims().is_none(), "nor later");
}
