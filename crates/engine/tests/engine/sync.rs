//! The pull request that brings the default branch's changes into the bot branch, when answers are lost.

use crate::desk::{Desk, key};
use crate::hand_forge::{Mood, STRANGER};
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
fn moved() -> Desk {
    let mut desk = Desk::new();
    desk.policy.repos.retain(|name, _| *name == key(1).repo);
    desk.dies_and_returns();
    desk.forge.has_moved = true;
    desk.forge.ci = Some(CheckState::Pass);
    desk
}

fn sync(desk: &Desk) -> Sync {
    desk.world().repo(&key(1).repo).map(|repo| repo.sync.clone()).unwrap_or_default()
}

fn open(desk: &Desk) -> Option<PullNumber> {
    sync(desk).open.map(|open| open.number)
}

#[test]
fn a_default_branch_that_moved_comes_into_the_bot_branch_by_one_pull_request() {
    let mut desk = moved();
    let is_brought = |desk: &Desk| sync(desk).compared.is_some_and(|it| !it.is_behind);
    desk.rounds_until(is_brought);
    let gone = "delete ralph/sync-main-1";
    assert_eq!(desk.forge.asked, ["branch ralph/sync-main-1", OPEN, MERGE, gone]);
    for _ in 0..60 {
        desk.round();
    }
    assert_eq!(desk.forge.pulls.len(), 1, "once is enough");
}

#[test]
fn an_opening_whose_answer_was_lost_is_found_by_its_branch() {
    for (mood, times) in [(Mood::LosesAnswer, 1), (Mood::LosesChange, 2)] {
        let mut desk = moved();
        let opens = desk.leases_next(":sync:");
        hears_nothing(&mut desk, &opens, mood);
        looks_up(&mut desk, &opens);
        assert_eq!((open(&desk), asked(&desk, OPEN)), (Some(PullNumber(50)), times), "{mood:?}");
        assert_eq!(desk.forge.pulls.len(), 1, "{mood:?}");
    }
}

#[test]
fn one_that_somebody_else_opened_from_its_branch_serves_while_it_is_open() {
    for (state, found) in [(PullState::Open, 50), (PullState::Closed, 51)] {
        let mut desk = moved();
        let opens = desk.leases_next(":sync:");
        let Effect::Repo(_, RepoAct::OpenSync { head, base, title, body, .. }) = &opens.effect
        else {
            panic!("a sync pull request")
        };
        desk.forge.proposes("alice", &NewPull { head, base, title, body });
        desk.forge.pulls.get_mut(&50).unwrap().state = state.clone();
        hears_nothing(&mut desk, &opens, Mood::LosesChange);
        looks_up(&mut desk, &opens);
        assert_eq!(open(&desk), Some(PullNumber(found)), "{state:?}");
    }
}

#[test]
fn a_merge_whose_answer_was_lost_is_not_asked_for_twice() {
    for (mood, times) in [(Mood::LosesAnswer, 1), (Mood::LosesChange, 2)] {
        let mut desk = moved();
        let merges = desk.leases_next(":sync-merge:");
        hears_nothing(&mut desk, &merges, mood);
        looks_up(&mut desk, &merges);
        assert_eq!((open(&desk), asked(&desk, MERGE)), (None, times), "{mood:?}");
    }
}

#[test]
fn a_merge_is_called_off_when_somebody_pushed_since_the_decision() {
    let mut desk = moved();
    let merges = desk.leases_next(":sync-merge:");
    desk.forge.pulls.get_mut(&50).unwrap().head = Sha::new("by-hand");
    let reason = "its head is by-hand by now, and main-1 was to be merged";
    assert_eq!(desk.performs(&merges), Performed::declined(reason.to_owned()));
    assert_eq!(asked(&desk, MERGE), 0);
}

#[test]
fn a_person_is_told_once_whatever_a_stranger_planted_and_whatever_answer_was_lost() {
    for mood in [Mood::LosesAnswer, Mood::LosesChange] {
        let mut desk = moved();
        let thread = IssueKey::new(key(1).repo, 50);
        desk.rounds_until(|desk| open(desk).is_some());
        desk.forge.pulls.get_mut(&50).unwrap().mergeable = Mergeable::Behind;
        let marker = words::sync_marker(PullNumber(50)).render();
        desk.forge.says(STRANGER, &thread, &format!("{marker}\nAll is well."));
        let tells = desk.leases_next(":sync-told:");
        hears_nothing(&mut desk, &tells, mood);
        looks_up(&mut desk, &tells);
        let all = desk.forge.comments.iter().filter(|(of, _)| *of == thread);
        assert_eq!(all.count(), 2, "{mood:?}: the stranger's and ours");
        assert!(sync(&desk).open.is_some_and(|open| open.is_told), "{mood:?}");
    }
}

#[test]
fn one_whose_checks_may_not_be_read_is_seen_without_them_and_a_person_is_told_in_time() {
    let mut desk = moved();
    desk.forge.checks_unread = Some(Unread::refused("403: Forbidden".to_owned()));
    desk.rounds_until(|desk| sync(desk).open.is_some_and(|open| open.seen.is_some()));
    let opened = sync(&desk).open.map(|open| open.opened).unwrap();
    let is_told = |desk: &Desk| {
        let mut said = desk.forge.comments.iter().map(|(_, comment)| &comment.body);
        said.any(|body| body.contains("cannot be read: 403: Forbidden"))
    };
    desk.rounds_until(is_told);
    assert!(desk.now.since(opened) < Span::from_mins(47), "{}", desk.now.since(opened));
    desk.forge.checks_unread = None;
    desk.rounds_until(|desk| sync(desk).compared.is_some_and(|it| !it.is_behind));
}
