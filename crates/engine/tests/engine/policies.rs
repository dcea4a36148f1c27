//! A policy that changes while the engine works: only what it affects is looked at again.

use crate::desk::{Desk, key, policy};
use crate::life::begun;
use ralph_core::ids::{Branch, RepoName};
use ralph_core::time::Span;
use ralph_core::watch::Resource;
use ralph_core::words;
use ralph_engine::{Leased, Performed};

/// Every resource that is due.
fn asked(desk: &mut Desk) -> Vec<Resource> {
    let now = desk.now;
    let next = || desk.engine().next_question(now).unwrap().map(|question| question.resource);
    std::iter::from_fn(next).collect()
}

#[test]
fn only_what_another_policy_changes_is_asked_again() {
    let mut desk = Desk::new();
    desk.reads();
    let now = desk.now;
    desk.engine().set_policy(now, policy()).unwrap();
    assert_eq!(asked(&mut desk), [], "the same policy");
    let repo = RepoName::parse("acme/widgets").unwrap();
    let mut other = policy();
    other.repos.get_mut(&repo).unwrap().bot_branch = Branch::new("bot/next");
    desk.engine().set_policy(now, other).unwrap();
    assert_eq!(asked(&mut desk), [Resource::Branches(repo)], "another bot branch");
}

#[test]
fn what_was_tried_in_a_repository_is_not_even_looked_up_once_it_is_out_of_the_policy() {
    let mut desk = begun();
    let leased = desk.leases_next("label+");
    desk.settles(leased.id, Performed::Unknown { why: "no answer".to_owned() });
    let now = desk.now;
    let mut without = policy();
    without.repos.remove(&key(7).repo);
    desk.engine().set_policy(now, without).unwrap();
    desk.later(Span::from_mins(5));
    let ends_a_process = |leased: &Leased| leased.key.contains(":end:");
    while let Some(leased) = desk.claims() {
        assert!(ends_a_process(&leased), "{}", leased.key);
        let performed = desk.performs(&leased);
        desk.settles(leased.id, performed);
    }
    assert_eq!(desk.row(&leased.key).reason, words::OUTSIDE);
    desk.later(Span::from_mins(60));
    assert!(desk.claims().is_none(), "nor later");
}
