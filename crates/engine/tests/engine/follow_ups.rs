//! The issue that tracks a failure whose check was run again, when answers are lost and people interfere.

use crate::hand_forge::{BOT, ReplyMode, STRANGER};
use crate::harness::{Harness, key};
use crate::lookups::{asked, hears_nothing, looks_up};
use crate::whole_run::waiting_for_checks;
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::issue::Phase;
use ralph_core::policy::AutoQueue;
use ralph_core::pull::CheckState;
use ralph_core::repo::{FollowUp, FollowUpId};
use ralph_core::triage::{RedCheck, triage};
use ralph_engine::ports::ForgeIssue;

const RESET: &str = "Error: read ECONNRESET\n    at TLSWrap.onStreamRead\n";
const OPENS: &str = "issue Flaky check CI: Error: read ECONNRESET";

/// The required check of issue 7 fails by chance.
fn flaky() -> Harness {
    let mut harness = waiting_for_checks();
    harness.forge.ci = Some(CheckState::Fail);
    harness.forge.log = RESET.to_owned();
    harness
}

fn id() -> FollowUpId {
    let red = RedCheck { name: "CI", conclusion: "failure", log: RESET };
    FollowUpId::quarantine(&triage(&red))
}

fn kept(harness: &Harness) -> FollowUp {
    let repo = harness.world().repo(&key(7).repo);
    repo.and_then(|repo| repo.follow_ups.get(&id())).cloned().unwrap_or_default()
}

fn written_by<'a>(harness: &'a Harness, who: &str) -> Vec<&'a ForgeIssue> {
    let all = harness.forge.issues.values();
    all.filter(|it| it.author.as_str() == who && FollowUpId::of_text(&it.body).is_some()).collect()
}

#[test]
fn a_failure_that_is_run_once_more_gets_one_issue_and_the_change_is_merged() {
    let mut harness = flaky();
    harness.rounds_until(|harness| matches!(harness.managed(7).phase, Phase::InBot { .. }));
    harness.rounds_until(|harness| kept(harness).told == 1);
    let ours = written_by(&harness, BOT);
    assert_eq!((ours.len(), asked(&harness, OPENS)), (1, 1), "{:?}", harness.forge.asked);
    assert_eq!(ours.first().map(|it| it.key.number), kept(&harness).issue);
    assert!(kept(&harness).latest.is_none(), "what is told is not kept");
}

#[test]
fn an_issue_whose_answer_was_lost_is_found_by_its_marker_and_not_opened_again() {
    for (mode, times, edits) in [(ReplyMode::LosesAnswer, 1, 1), (ReplyMode::LosesChange, 2, 0)] {
        let mut harness = flaky();
        let opens = harness.leases_next(":follow-up:");
        hears_nothing(&mut harness, &opens, mode);
        looks_up(&mut harness, &opens);
        harness.rounds_until(|harness| kept(harness).told == 1);
        let number = written_by(&harness, BOT).first().map(|it| it.key.number);
        assert_eq!(
            (written_by(&harness, BOT).len(), kept(&harness).issue),
            (1, number),
            "{mode:?}"
        );
        assert_eq!(asked(&harness, OPENS), times, "{mode:?}");
        let edit = format!("{} text", key(number.unwrap_or_default()));
        assert_eq!(asked(&harness, &edit), edits, "{mode:?}: what it tells is not known any more");
    }
}

#[test]
fn an_issue_that_a_stranger_planted_is_not_taken_for_ours() {
    let mut harness = flaky();
    let opens = harness.leases_next(":follow-up:");
    let Effect::Repo(_, RepoAct::OpenFollowUp { title, body, .. }) = &opens.effect else {
        panic!("an issue of Ralph's own")
    };
    harness.forge.person_opens(STRANGER, &key(90), title, body);
    hears_nothing(&mut harness, &opens, ReplyMode::LosesChange);
    looks_up(&mut harness, &opens);
    assert_eq!((written_by(&harness, BOT).len(), written_by(&harness, STRANGER).len()), (1, 1));
    assert_ne!(kept(&harness).issue, Some(90));
}

#[test]
fn ralph_does_not_queue_its_own_issue_even_before_it_knows_that_it_is_there() {
    let mut harness = flaky();
    let rules = harness.policy.repos.values_mut();
    rules.for_each(|rules| rules.auto_queue = AutoQueue::AllOpen);
    harness.dies_and_returns();
    let opens = harness.leases_next(":follow-up:");
    hears_nothing(&mut harness, &opens, ReplyMode::LosesAnswer);
    harness.reads();
    looks_up(&mut harness, &opens);
    for _ in 0..10 {
        harness.round();
    }
    let number = kept(&harness).issue.expect("an issue");
    let own = harness.world().issue(&key(number)).expect("a known issue");
    assert!(own.is_open() && own.managed.is_none(), "{own:?}");
}

#[test]
fn an_issue_that_is_gone_is_not_written_to_and_not_opened_again() {
    let mut harness = flaky();
    let opens = harness.leases_next(":follow-up:");
    hears_nothing(&mut harness, &opens, ReplyMode::LosesAnswer);
    let edits = harness.leases_next(":follow-up-edit:");
    let number = kept(&harness).issue.expect("an issue");
    harness.forge.issues.remove(&key(number));
    let performed = harness.performs(&edits);
    harness.settles(edits.id, performed);
    assert!(kept(&harness).is_gone);
    for _ in 0..10 {
        harness.round();
    }
    assert_eq!((asked(&harness, OPENS), written_by(&harness, BOT).len()), (1, 0));
}
