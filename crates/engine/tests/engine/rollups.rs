//! A pull request from the bot branch to the default branch by an author other than Ralph.

use crate::hand_forge::{ReplyMode, STRANGER, TRIAGER};
use crate::harness::{Harness, key};
use crate::lookups::{asked, hears_nothing, looks_up};
use crate::whole_run;
use ralph_core::ids::{Branch, PullNumber};
use ralph_core::issue::Phase;
use ralph_core::pull::CheckState;
use ralph_core::repo::{DesiredEffect, Repo};
use ralph_core::time::Span;
use ralph_engine::Leased;
use ralph_engine::ports::NewPull;

const EDIT: &str = "pull #51 edit";

fn repo(harness: &Harness) -> &Repo {
    harness.world().repo(&key(7).repo).unwrap()
}

/// A rollup is to be opened, and another author already has one open.
fn about_to_open(who: &str) -> (Harness, Leased) {
    let mut harness = whole_run::waiting_for_checks();
    harness.forge.ci = Some(CheckState::Pass);
    let opens = harness.leases_next(":rollup:0");
    let (head, base) = (&Branch::new("bot/integration"), &Branch::new("main"));
    let (title, body) = ("Release 3", "Notes for the release.\n");
    harness.forge.proposes(who, &NewPull { head, base, title, body });
    hears_nothing(&mut harness, &opens, ReplyMode::Exists);
    (harness, opens)
}

#[test]
fn a_persons_own_rollup_is_taken_over_and_nothing_of_theirs_is_changed() {
    let (mut harness, opens) = about_to_open("alice");
    looks_up(&mut harness, &opens);
    let rollup = repo(&harness).batch.rollup.clone().unwrap();
    assert_eq!((rollup.number, rollup.is_adopted), (PullNumber(51), true));
    for _ in 0..20 {
        harness.round();
    }
    let expected = "Notes for the release.\n\n<!-- ralph-rollup:id=acme/widgets-1 -->\n\
                    Ready for the default branch:\n\n- #50 for #7\n\nCloses #7\n\
                    <!-- ralph-rollup:end -->";
    assert_eq!(harness.forge.text_of(51), expected);
    assert_eq!((asked(&harness, EDIT), harness.forge.pulls.len()), (1, 2), "added once");
    harness.forge.merges(51);
    harness.forge.is_rolled_up = true;
    harness.rounds_until(|harness| matches!(harness.managed(7).phase, Phase::Done { .. }));
}

#[test]
fn an_edit_whose_answer_was_lost_adds_the_section_only_once() {
    for mode in [ReplyMode::LosesAnswer, ReplyMode::LosesChange] {
        let (mut harness, opens) = about_to_open("alice");
        looks_up(&mut harness, &opens);
        let edits = harness.leases_next(":rollup-edit:");
        hears_nothing(&mut harness, &edits, mode);
        looks_up(&mut harness, &edits);
        assert_eq!(harness.forge.text_of(51).matches("ralph-rollup:end").count(), 1, "{mode:?}");
        assert_eq!(asked(&harness, EDIT), 2, "{mode:?}");
    }
}

#[test]
fn one_by_somebody_who_may_not_push_is_told_and_left_alone() {
    for who in [STRANGER, TRIAGER] {
        let (mut harness, opens) = about_to_open(who);
        harness.forge.mode = ReplyMode::Exists;
        looks_up(&mut harness, &opens);
        assert_eq!(repo(&harness).batch.rollup, None, "{who}");
        let refusal = repo(&harness).refusals.of(&DesiredEffect::Rollup(0)).unwrap();
        assert!(refusal.why.ends_with("from bot/integration to main open; close it"), "{who}");
        assert_eq!(asked(&harness, EDIT), 0, "{who}");

        harness.forge.mode = ReplyMode::Fine;
        harness.later(Span::from_mins(5));
        harness.rounds_until(|harness| repo(harness).batch.rollup.is_some());
        let rollup = repo(&harness).batch.rollup.clone().unwrap();
        assert_eq!(
            (rollup.number, rollup.is_adopted),
            (PullNumber(52), false),
            "{who}: once it may"
        );
    }
}

#[test]
fn a_rollup_that_ralph_never_knew_of_is_evidence_too() {
    let mut harness = whole_run::waiting_for_checks();
    harness.policy.repos.get_mut(&key(7).repo).unwrap().rollup_idle = Span::from_mins(600);
    harness.dies_and_returns();
    harness.forge.ci = Some(CheckState::Pass);
    harness.rounds_until(|harness| matches!(harness.managed(7).phase, Phase::InBot { .. }));
    let (head, base) = (&Branch::new("bot/integration"), &Branch::new("main"));
    harness.forge.proposes("alice", &NewPull { head, base, title: "Release 3", body: "" });
    harness.forge.merges(51);
    for (head, commit) in [("bot-1", "merge-50"), ("main-1", "merge-51")] {
        let sha = ralph_core::ids::Sha::new;
        harness.forge.holds.insert((sha(head), sha(commit)));
    }
    harness.rounds_until(|harness| matches!(harness.managed(7).phase, Phase::Done { .. }));
}
