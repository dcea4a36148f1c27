//! The pull request that brings the default branch's changes into the bot branch, when answers are lost.

use crate::hand_forge::{ReplyMode, STRANGER};
use crate::harness::{Harness, key};
use crate::lookups::{asked, hears_nothing, looks_up};
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::ids::{IssueKey, PullNumber, Sha};
use ralph_core::pull::{CheckState, Mergeable, PullState};
use ralph_core::repo::Sync;
use ralph_core::time::Span;
use ralph_core::words;
use ralph_engine::Performed;
use ralph_engine::ports::{NewPull, Unread};

const OPEN: &str = "pull ralph/sync-main-1 -> bot/integration";
const MERGE: &str = "pull #50 merge";

/// The default branch has changes that the bot branch lacks.
fn moved() -> Harness {
    let mut harness = Harness::new();
    harness.policy.repos.retain(|name, _| *name == key(1).repo);
    harness.dies_and_returns();
    harness.forge.has_moved = true;
    harness.forge.ci = Some(CheckState::Pass);
    harness
}

fn sync(harness: &Harness) -> Sync {
    harness.world().repo(&key(1).repo).map(|repo| repo.sync.clone()).unwrap_or_default()
}

fn open(harness: &Harness) -> Option<PullNumber> {
    sync(harness).open.map(|open| open.number)
}

#[test]
fn a_default_branch_that_moved_comes_into_the_bot_branch_by_one_pull_request() {
    let mut harness = moved();
    let is_brought = |harness: &Harness| sync(harness).compared.is_some_and(|it| !it.is_behind);
    harness.rounds_until(is_brought);
    let gone = "delete ralph/sync-main-1";
    assert_eq!(harness.forge.asked, ["branch ralph/sync-main-1", OPEN, MERGE, gone]);
    for _ in 0..60 {
        harness.round();
    }
    assert_eq!(harness.forge.pulls.len(), 1, "once is enough");
}

#[test]
fn an_opening_whose_answer_was_lost_is_found_by_its_branch() {
    for (mode, times) in [(ReplyMode::LosesAnswer, 1), (ReplyMode::LosesChange, 2)] {
        let mut harness = moved();
        let opens = harness.leases_next(":sync:");
        hears_nothing(&mut harness, &opens, mode);
        looks_up(&mut harness, &opens);
        assert_eq!(
            (open(&harness), asked(&harness, OPEN)),
            (Some(PullNumber(50)), times),
            "{mode:?}"
        );
        assert_eq!(harness.forge.pulls.len(), 1, "{mode:?}");
    }
}

#[test]
fn one_that_somebody_else_opened_from_its_branch_serves_while_it_is_open() {
    for (state, found) in [(PullState::Open, 50), (PullState::Closed, 51)] {
        let mut harness = moved();
        let opens = harness.leases_next(":sync:");
        let Effect::Repo(_, RepoAct::OpenSync { head, base, title, body, .. }) = &opens.effect
        else {
            panic!("a sync pull request")
        };
        harness.forge.proposes("alice", &NewPull { head, base, title, body });
        harness.forge.pulls.get_mut(&50).unwrap().state = state.clone();
        hears_nothing(&mut harness, &opens, ReplyMode::LosesChange);
        looks_up(&mut harness, &opens);
        assert_eq!(open(&harness), Some(PullNumber(found)), "{state:?}");
    }
}

#[test]
fn a_merge_whose_answer_was_lost_is_not_asked_for_twice() {
    for (mode, times) in [(ReplyMode::LosesAnswer, 1), (ReplyMode::LosesChange, 2)] {
        let mut harness = moved();
        let merges = harness.leases_next(":sync-merge:");
        hears_nothing(&mut harness, &merges, mode);
        looks_up(&mut harness, &merges);
        assert_eq!((open(&harness), asked(&harness, MERGE)), (None, times), "{mode:?}");
    }
}

#[test]
fn a_merge_is_called_off_when_somebody_pushed_since_the_decision() {
    let mut harness = moved();
    let merges = harness.leases_next(":sync-merge:");
    harness.forge.pulls.get_mut(&50).unwrap().head = Sha::new("by-hand");
    let reason = "its head is by-hand by now, and main-1 was to be merged";
    assert_eq!(harness.performs(&merges), Performed::declined(reason.to_owned()));
    assert_eq!(asked(&harness, MERGE), 0);
}

#[test]
fn a_person_is_told_once_whatever_a_stranger_planted_and_whatever_answer_was_lost() {
    for mode in [ReplyMode::LosesAnswer, ReplyMode::LosesChange] {
        let mut harness = moved();
        let thread = IssueKey::new(key(1).repo, 50);
        harness.rounds_until(|harness| open(harness).is_some());
        harness.forge.pulls.get_mut(&50).unwrap().mergeable = Mergeable::Behind;
        let marker = words::sync_marker(PullNumber(50)).render();
        harness.forge.says(STRANGER, &thread, &format!("{marker}\nAll is well."));
        let tells = harness.leases_next(":sync-told:");
        hears_nothing(&mut harness, &tells, mode);
        looks_up(&mut harness, &tells);
        let all = harness.forge.comments.iter().filter(|(of, _)| *of == thread);
        assert_eq!(all.count(), 2, "{mode:?}: the stranger's and ours");
        assert!(sync(&harness).open.is_some_and(|open| open.is_told), "{mode:?}");
    }
}

#[test]
fn one_whose_checks_may_not_be_read_is_seen_without_them_and_a_person_is_told_in_time() {
    let mut harness = moved();
    harness.forge.checks_unread = Some(Unread::refused("403: Forbidden".to_owned()));
    harness.rounds_until(|harness| sync(harness).open.is_some_and(|open| open.seen.is_some()));
    let opened = sync(&harness).open.map(|open| open.opened).unwrap();
    let is_told = |harness: &Harness| {
        let mut said = harness.forge.comments.iter().map(|(_, comment)| &comment.body);
        said.any(|body| body.contains("cannot be read: 403: Forbidden"))
    };
    harness.rounds_until(is_told);
    assert!(harness.now.since(opened) < Span::from_mins(47), "{}", harness.now.since(opened));
    harness.forge.checks_unread = None;
    harness.rounds_until(|harness| sync(harness).compared.is_some_and(|it| !it.is_behind));
}
