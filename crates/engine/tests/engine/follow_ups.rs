//! The issue that tracks a failure whose check was run again, when answers are lost and people interfere.

use crate::desk::{Desk, key};
use crate::hand_forge::{BOT, Mood, STRANGER};
use crate::life::waiting_for_checks;
use crate::lookups::{asked, hears_nothing, looks_up};
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
fn flaky() -> Desk {
    let mut desk = waiting_for_checks();
    desk.forge.ci = Some(CheckState::Fail);
    desk.forge.log = RESET.to_owned();
    desk
}

fn id() -> FollowUpId {
    let red = RedCheck { name: "CI", conclusion: "failure", log: RESET };
    FollowUpId::quarantine(&triage(&red))
}

fn kept(desk: &Desk) -> FollowUp {
    let repo = desk.world().repo(&key(7).repo);
    repo.and_then(|repo| repo.follow_ups.get(&id())).cloned().unwrap_or_default()
}

fn written_by<'a>(desk: &'a Desk, who: &str) -> Vec<&'a ForgeIssue> {
    let all = desk.forge.issues.values();
    all.filter(|it| it.author.as_str() == who && FollowUpId::of_text(&it.body).is_some()).collect()
}

#[test]
fn a_failure_that_is_run_once_more_gets_one_issue_and_the_change_is_merged() {
    let mut desk = flaky();
    desk.rounds_until(|desk| matches!(desk.managed(7).phase, Phase::InBot { .. }));
    desk.rounds_until(|desk| kept(desk).told == 1);
    let ours = written_by(&desk, BOT);
    assert_eq!((ours.len(), asked(&desk, OPENS)), (1, 1), "{:?}", desk.forge.asked);
    assert_eq!(ours.first().map(|it| it.key.number), kept(&desk).issue);
    assert!(kept(&desk).latest.is_none(), "what is told is not kept");
}

#[test]
fn an_issue_whose_answer_was_lost_is_found_by_its_marker_and_not_opened_again() {
    for (mood, times, edits) in [(Mood::LosesAnswer, 1, 1), (Mood::LosesChange, 2, 0)] {
        let mut desk = flaky();
        let opens = desk.leases_next(":follow-up:");
        hears_nothing(&mut desk, &opens, mood);
        looks_up(&mut desk, &opens);
        desk.rounds_until(|desk| kept(desk).told == 1);
        let number = written_by(&desk, BOT).first().map(|it| it.key.number);
        assert_eq!((written_by(&desk, BOT).len(), kept(&desk).issue), (1, number), "{mood:?}");
        assert_eq!(asked(&desk, OPENS), times, "{mood:?}");
        let edit = format!("{} text", key(number.unwrap_or_default()));
        assert_eq!(asked(&desk, &edit), edits, "{mood:?}: what it tells is not known any more");
    }
}

#[test]
fn an_issue_that_a_stranger_planted_is_not_taken_for_ours() {
    let mut desk = flaky();
    let opens = desk.leases_next(":follow-up:");
    let Effect::Repo(_, RepoAct::OpenFollowUp { title, body, .. }) = &opens.effect else {
        panic!("an issue of Ralph's own")
    };
    desk.forge.is_opened_by(STRANGER, &key(90), title, body);
    hears_nothing(&mut desk, &opens, Mood::LosesChange);
    looks_up(&mut desk, &opens);
    assert_eq!((written_by(&desk, BOT).len(), written_by(&desk, STRANGER).len()), (1, 1));
    assert_ne!(kept(&desk).issue, Some(90));
}

#[test]
fn ralph_does_not_queue_its_own_issue_even_before_it_knows_that_it_is_there() {
    let mut desk = flaky();
    let rules = desk.policy.repos.values_mut();
    rules.for_each(|rules| rules.auto_queue = AutoQueue::AllOpen);
    desk.dies_and_returns();
    let opens = desk.leases_next(":follow-up:");
    hears_nothing(&mut desk, &opens, Mood::LosesAnswer);
    desk.reads();
    looks_up(&mut desk, &opens);
    for _ in 0..10 {
        desk.round();
    }
    let number = kept(&desk).issue.expect("an issue");
    let own = desk.world().issue(&key(number)).expect("a known issue");
    assert!(own.is_open() && own.managed.is_none(), "{own:?}");
}

#[test]
fn an_issue_that_is_gone_is_not_written_to_and_not_opened_again() {
    let mut desk = flaky();
    let opens = desk.leases_next(":follow-up:");
    hears_nothing(&mut desk, &opens, Mood::LosesAnswer);
    let edits = desk.leases_next(":follow-up-edit:");
    let number = kept(&desk).issue.expect("an issue");
    desk.forge.issues.remove(&key(number));
    let performed = desk.performs(&edits);
    desk.settles(edits.id, performed);
    assert!(kept(&desk).is_gone);
    for _ in 0..10 {
        desk.round();
    }
    assert_eq!((asked(&desk, OPENS), written_by(&desk, BOT).len()), (1, 0));
}
