//! A pull request from the bot branch to the default branch by an author other than Ralph.

use crate::desk::{Desk, key};
use crate::hand_forge::{Mood, STRANGER, TRIAGER};
use crate::life;
use crate::lookups::{asked, hears_nothing, looks_up};
use ralph_core::ids::{Branch, PullNumber};
use ralph_core::issue::Phase;
use ralph_core::pull::CheckState;
use ralph_core::repo::{DesiredEffect, Repo};
use ralph_core::time::Span;
use ralph_engine::Leased;
use ralph_engine::ports::NewPull;

const EDIT: &str = "pull #51 edit";

fn repo(desk: &Desk) -> &Repo {
    desk.world().repo(&key(7).repo).unwrap()
}

/// A rollup is to be opened, and another author already has one open.
fn about_to_open(who: &str) -> (Desk, Leased) {
    let mut desk = life::waiting_for_checks();
    desk.forge.ci = Some(CheckState::Pass);
    let opens = desk.leases_next(":rollup:0");
    let (head, base) = (&Branch::new("bot/integration"), &Branch::new("main"));
    let (title, body) = ("Release 3", "Notes for the release.\n");
    desk.forge.proposes(who, &NewPull { head, base, title, body });
    hears_nothing(&mut desk, &opens, Mood::Exists);
    (desk, opens)
}

#[test]
fn a_persons_own_rollup_is_taken_over_and_nothing_of_theirs_is_changed() {
    let (mut desk, opens) = about_to_open("alice");
    looks_up(&mut desk, &opens);
    let rollup = repo(&desk).batch.rollup.clone().unwrap();
    assert_eq!((rollup.number, rollup.is_adopted), (PullNumber(51), true));
    for _ in 0..20 {
        desk.round();
    }
    let expected = "Notes for the release.\n\n<!-- ralph-rollup:id=acme/widgets-1 -->\n\
                    Ready for the default branch:\n\n- #50 for #7\n\nCloses #7\n\
                    <!-- ralph-rollup:end -->";
    assert_eq!(desk.forge.text_of(51), expected);
    assert_eq!((asked(&desk, EDIT), desk.forge.pulls.len()), (1, 2), "added once");
    desk.forge.merges(51);
    desk.forge.is_rolled_up = true;
    desk.rounds_until(|desk| matches!(desk.managed(7).phase, Phase::Done { .. }));
}

#[test]
fn an_edit_whose_answer_was_lost_adds_the_section_only_once() {
    for mood in [Mood::LosesAnswer, Mood::LosesChange] {
        let (mut desk, opens) = about_to_open("alice");
        looks_up(&mut desk, &opens);
        let edits = desk.leases_next(":rollup-edit:");
        hears_nothing(&mut desk, &edits, mood);
        looks_up(&mut desk, &edits);
        assert_eq!(desk.forge.text_of(51).matches("ralph-rollup:end").count(), 1, "{mood:?}");
        assert_eq!(asked(&desk, EDIT), 2, "{mood:?}");
    }
}

#[test]
fn one_by_somebody_who_may_not_push_is_told_and_left_alone() {
    for who in [STRANGER, TRIAGER] {
        let (mut desk, opens) = about_to_open(who);
        desk.forge.mood = Mood::Exists;
        looks_up(&mut desk, &opens);
        assert_eq!(repo(&desk).batch.rollup, None, "{who}");
        let refusal = repo(&desk).refusals.of(&DesiredEffect::Rollup(0)).unwrap();
        assert!(refusal.why.ends_with("from bot/integration to main open; close it"), "{who}");
        assert_eq!(asked(&desk, EDIT), 0, "{who}");

        desk.forge.mood = Mood::Fine;
        desk.later(Span::from_mins(5));
        desk.rounds_until(|desk| repo(desk).batch.rollup.is_some());
        let rollup = repo(&desk).batch.rollup.clone().unwrap();
        assert_eq!(
            (rollup.number, rollup.is_adopted),
            (PullNumber(52), false),
            "{who}: once it may"
        );
    }
}

#[test]
fn a_rollup_that_ralph_never_knew_of_is_evidence_too() {
    let mut desk = life::waiting_for_checks();
    desk.policy.repos.get_mut(&key(7).repo).unwrap().rollup_idle = Span::from_mins(600);
    desk.dies_and_returns();
    desk.forge.ci = Some(CheckState::Pass);
    desk.rounds_until(|desk| matches!(desk.managed(7).phase, Phase::InBot { .. }));
    let (head, base) = (&Branch::new("bot/integration"), &Branch::new("main"));
    desk.forge.proposes("alice", &NewPull { head, base, title: "Release 3", body: "" });
    desk.forge.merges(51);
    for (head, commit) in [("bot-1", "merge-50"), ("main-1", "merge-51")] {
        let sha = ralph_core::ids::Sha::new;
        desk.forge.holds.insert((sha(head), sha(commit)));
    }
    desk.rounds_until(|desk| matches!(desk.managed(7).phase, Phase::Done { .. }));
}
