//! An answer was lost: what the look-up finds, whatever people did to it since.

use crate::desk::{Desk, key};
use crate::hand_forge::Mood;
use crate::life;
use ralph_core::ids::{Branch, PullNumber};
use ralph_core::issue::Phase;
use ralph_core::pull::{CheckState, Pull, PullState};
use ralph_core::time::Span;
use ralph_engine::Claimed;

const ROLLUP: &str = "pull bot/integration -> main";

/// Carries out an effect whose answer does not come.
fn hears_nothing(desk: &mut Desk, claimed: &Claimed, mood: Mood) {
    desk.forge.mood = mood;
    let performed = desk.performs(claimed);
    desk.forge.mood = Mood::Fine;
    desk.settles(claimed.id, performed);
}

/// Lets reads catch up, and looks.
fn looks_up(desk: &mut Desk, claimed: &Claimed) {
    desk.later(Span::from_secs(60));
    let looked = std::iter::from_fn(|| desk.works_off_one()).find(|it| it.id == claimed.id);
    assert!(looked.is_some_and(|it| it.looks_first), "{} was not looked up", claimed.key);
}

fn asked(desk: &Desk, what: &str) -> usize {
    desk.forge.asked.iter().filter(|asked| *asked == what).count()
}

/// What somebody does to a pull request, by name.
type Deed = (&'static str, fn(&mut Pull));

#[test]
fn a_pull_request_whose_answer_was_lost_is_found_by_its_branch_whatever_became_of_it() {
    let deeds: [Deed; 3] = [
        ("its base was changed", |pull| pull.base = Branch::new("main")),
        ("it was closed", |pull| pull.state = PullState::Closed),
        ("it was merged", |pull| pull.state = PullState::Merged { commit: pull.head.clone() }),
    ];
    for (name, deed) in deeds {
        let mut desk = life::begun();
        let opens = desk.claims_next(":pull:");
        hears_nothing(&mut desk, &opens, Mood::LosesAnswer);
        deed(desk.forge.pulls.get_mut(&50).unwrap());
        looks_up(&mut desk, &opens);
        let found = desk.managed(7).run.as_ref().unwrap().pull;
        assert_eq!((found, desk.forge.pulls.len()), (Some(PullNumber(50)), 1), "{name}");
    }
}

#[test]
fn a_pull_request_that_another_branch_has_is_not_taken_for_it() {
    let mut desk = life::waiting_for_checks();
    let other = key(8);
    desk.forge.opens(&other, "Add a file", "");
    desk.forge.labels(&other, crate::hand_forge::QUEUED);
    let opens = desk.claims_next("#8:pull:");
    hears_nothing(&mut desk, &opens, Mood::LosesChange);
    looks_up(&mut desk, &opens);
    assert_eq!(desk.managed(8).run.as_ref().unwrap().pull, Some(PullNumber(51)));
    assert_eq!(desk.managed(7).run.as_ref().unwrap().pull, Some(PullNumber(50)));
}

/// The first rollup is merged and leaves the change behind, so a second one is about to be opened.
fn about_to_roll_up_again() -> (Desk, Claimed) {
    let mut desk = life::waiting_for_checks();
    desk.forge.ci = Some(CheckState::Pass);
    let first = desk.claims_next(":rollup:0");
    let performed = desk.performs(&first);
    desk.settles(first.id, performed);
    desk.forge.merges(51);
    let second = desk.claims_next(":rollup:1");
    (desk, second)
}

#[test]
fn a_rollup_whose_answer_was_lost_is_found_by_its_marker_after_its_merge() {
    let (mut desk, opens) = about_to_roll_up_again();
    hears_nothing(&mut desk, &opens, Mood::LosesAnswer);
    desk.forge.merges(52);
    desk.forge.is_rolled_up = true;
    looks_up(&mut desk, &opens);
    let rollup = desk.world().repo(&key(7).repo).unwrap().batch.rollup.clone();
    assert_eq!(rollup.map(|rollup| rollup.number), Some(PullNumber(52)));
    desk.rounds_until(|desk| matches!(desk.managed(7).phase, Phase::Done { .. }));
    assert_eq!((asked(&desk, ROLLUP), desk.forge.pulls.len()), (2, 3), "one for each batch");
}

#[test]
fn a_rollup_of_an_earlier_batch_is_not_taken_for_it() {
    let (mut desk, opens) = about_to_roll_up_again();
    hears_nothing(&mut desk, &opens, Mood::LosesChange);
    looks_up(&mut desk, &opens);
    let rollup = desk.world().repo(&key(7).repo).unwrap().batch.rollup.clone();
    assert_eq!(rollup.map(|rollup| rollup.number), Some(PullNumber(52)));
}
