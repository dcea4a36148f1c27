//! A policy that changes while the engine works: only what it affects is looked at again.

use crate::desk::{Desk, policy};
use ralph_core::ids::{Branch, RepoName};
use ralph_core::watch::Resource;

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
