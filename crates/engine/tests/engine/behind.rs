//! Bringing a branch up to date when the answer is lost.

use crate::hand_forge::ReplyMode;
use crate::harness::Harness;
use crate::lookups::{asked, hears_nothing, looks_up};
use crate::whole_run;
use ralph_core::bound::Bound;
use ralph_core::ids::Sha;
use ralph_core::pull::{CheckState, Mergeable};
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_engine::Leased;

const UPDATE: &str = "pull #50 update head-1";

/// The pull request is green and behind, and the update is leased.
fn about_to_update() -> (Harness, Leased) {
    let mut harness = whole_run::waiting_for_checks();
    harness.forge.ci = Some(CheckState::Pass);
    harness.forge.pulls.get_mut(&50).unwrap().mergeable = Mergeable::Behind;
    let update = harness.leases_next(":update:");
    assert_eq!(update.key, "acme/widgets#7:update:#50:head-1");
    (harness, update)
}

#[test]
fn the_worktree_takes_what_the_forge_made_of_the_branch() {
    let (mut harness, update) = about_to_update();
    let performed = harness.performs(&update);
    harness.settles(update.id, performed);
    harness.later(Span::from_mins(2));
    let steps = |harness: &Harness| {
        let steps = &harness.managed(7).run.as_ref().unwrap().steps;
        steps.iter().filter(|record| record.step == Step::Workspace).count()
    };
    harness.rounds_until(|harness| steps(harness) == 2);
    assert_eq!(asked(&harness, UPDATE), 1);
}

#[test]
fn an_update_whose_answer_was_lost_is_found_by_the_head_that_came_of_it() {
    let (mut harness, update) = about_to_update();
    hears_nothing(&mut harness, &update, ReplyMode::LosesAnswer);
    looks_up(&mut harness, &update);
    assert_eq!(asked(&harness, UPDATE), 1);
    let run = harness.managed(7).run.as_ref().unwrap();
    assert!(run.update.as_ref().is_none_or(|update| update.is_accepted), "{:?}", run.update);
}

#[test]
fn an_update_that_was_lost_is_asked_for_again() {
    let (mut harness, update) = about_to_update();
    hears_nothing(&mut harness, &update, ReplyMode::LosesChange);
    looks_up(&mut harness, &update);
    assert_eq!(asked(&harness, UPDATE), 2);
    assert_eq!(harness.managed(7).run.as_ref().unwrap().spent.of(Bound::BRANCH_UPDATES), 1);
}

#[test]
fn a_head_that_does_not_come_from_the_one_to_be_updated_is_no_update() {
    let (mut harness, update) = about_to_update();
    hears_nothing(&mut harness, &update, ReplyMode::LosesChange);
    harness.forge.pulls.get_mut(&50).unwrap().head = Sha::new("someone-elses");
    looks_up(&mut harness, &update);
    assert_eq!(asked(&harness, UPDATE), 2, "the forge refuses it by its head");
}
