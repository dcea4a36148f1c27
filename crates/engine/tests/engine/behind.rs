//! Bringing a branch up to date when the answer is lost.

use crate::desk::Desk;
use crate::hand_forge::Mood;
use crate::life;
use crate::lookups::{asked, hears_nothing, looks_up};
use ralph_core::bound::Bound;
use ralph_core::ids::Sha;
use ralph_core::pull::{CheckState, Mergeable};
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_engine::Leased;

const UPDATE: &str = "pull #50 update head-1";

/// The pull request is green and behind, and the update is leased.
fn about_to_update() -> (Desk, Leased) {
    let mut desk = life::waiting_for_checks();
    desk.forge.ci = Some(CheckState::Pass);
    desk.forge.pulls.get_mut(&50).unwrap().mergeable = Mergeable::Behind;
    let update = desk.leases_next(":update:");
    assert_eq!(update.key, "acme/widgets#7:update:#50:head-1");
    (desk, update)
}

#[test]
fn the_worktree_takes_what_the_forge_made_of_the_branch() {
    let (mut desk, update) = about_to_update();
    let performed = desk.performs(&update);
    desk.settles(update.id, performed);
    desk.later(Span::from_mins(2));
    let steps = |desk: &Desk| {
        let steps = &desk.managed(7).run.as_ref().unwrap().steps;
        steps.iter().filter(|record| record.step == Step::Workspace).count()
    };
    desk.rounds_until(|desk| steps(desk) == 2);
    assert_eq!(asked(&desk, UPDATE), 1);
}

#[test]
fn an_update_whose_answer_was_lost_is_found_by_the_head_that_came_of_it() {
    let (mut desk, update) = about_to_update();
    hears_nothing(&mut desk, &update, Mood::LosesAnswer);
    looks_up(&mut desk, &update);
    assert_eq!(asked(&desk, UPDATE), 1);
    let run = desk.managed(7).run.as_ref().unwrap();
    assert!(run.update.as_ref().is_none_or(|update| update.is_accepted), "{:?}", run.update);
}

#[test]
fn an_update_that_was_lost_is_asked_for_again() {
    let (mut desk, update) = about_to_update();
    hears_nothing(&mut desk, &update, Mood::LosesChange);
    looks_up(&mut desk, &update);
    assert_eq!(asked(&desk, UPDATE), 2);
    assert_eq!(desk.managed(7).run.as_ref().unwrap().spent.of(Bound::BRANCH_UPDATES), 1);
}

#[test]
fn a_head_that_does_not_come_from_the_one_to_be_updated_is_no_update() {
    let (mut desk, update) = about_to_update();
    hears_nothing(&mut desk, &update, Mood::LosesChange);
    desk.forge.pulls.get_mut(&50).unwrap().head = Sha::new("someone-elses");
    looks_up(&mut desk, &update);
    assert_eq!(asked(&desk, UPDATE), 2, "the forge refuses it by its head");
}
