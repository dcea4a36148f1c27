//! A transaction is kept whole or not at all, with its texts, also when the database fails in the middle of it.

use crate::desk::{Desk, key};
use crate::life::begun;
use ralph_core::digest::Digest;
use ralph_core::fact::{Answer, Fact, Outcome, What};
use ralph_engine::{EngineError, ask};

/// Makes the database fail at the first effect that is queued, after the transaction has written facts and rows. SQLite
/// may leave these writes to Ralph, or roll them back itself.
fn fails_at_effects(desk: &Desk, how: &str) {
    let file = rusqlite::Connection::open(desk.path()).unwrap();
    let fail = format!("SELECT RAISE({how}, 'the disk is full')");
    let trigger = format!("CREATE TRIGGER full BEFORE INSERT ON outbox BEGIN {fail}; END");
    file.execute_batch(&trigger).unwrap();
}

fn works_again(desk: &Desk) {
    let file = rusqlite::Connection::open(desk.path()).unwrap();
    file.execute_batch("DROP TRIGGER full").unwrap();
}

/// Reads until a transaction fails.
fn fails(desk: &mut Desk) -> EngineError {
    let now = desk.now;
    while let Some(question) = desk.engine().next_question(now).unwrap() {
        let reading = ask(&question, now, &mut desk.forge);
        let before = desk.tables();
        if let Err(error) = desk.engine().take_reading(now, reading) {
            assert_eq!(desk.tables(), before, "what was not committed is taken back");
            return error;
        }
    }
    panic!("no turn fails");
}

#[test]
fn a_turn_that_fails_half_way_leaves_nothing_and_the_next_one_works() {
    for how in ["ABORT", "FAIL", "ROLLBACK"] {
        let mut desk = Desk::new();
        desk.forge.opens(&key(7), "Add a flag", "");
        desk.forge.labels(&key(7), "ralph:status:escalated");
        fails_at_effects(&desk, how);
        let error = fails(&mut desk);
        assert!(matches!(error, EngineError::Store(_)), "{how}: {error}");
        let now = desk.now;
        let broken = desk.engine().observe(now, Vec::new());
        assert!(matches!(broken, Err(EngineError::Broken)), "{how}: memory is ahead of the disk");

        works_again(&desk);
        desk.dies_and_keeps_the_store();
        desk.reads();
        assert_eq!(desk.managed(7).episodes, 1, "{how}");
        let stored = desk.look("SELECT key FROM outbox");
        assert_eq!(stored, ["acme/widgets#7:comment:escalation-1"], "{how}");
    }
}

#[test]
fn a_repair_is_shown_the_answer_that_had_no_verdict() {
    let mut desk = begun();
    let review = desk.leases_next(":start:3");
    let performed = desk.performs(&review);
    desk.settles(review.id, performed);
    let text = "I looked, and it is good.".to_owned();
    let said = Some(Digest::of(&text));
    let answer = Answer::NoVerdict {
        why: "no marker".to_owned(),
        said,
        excerpt: String::new(),
        gap: ralph_core::product_gap::ProductGap::None,
    };
    let outcome = Outcome::Turn { answer, session: None, usage: None };
    let (now, attempt) = (desk.now, desk.managed(7).attempt);
    let fact = Fact::of(key(7), What::Finished { attempt, outcome });
    let texts = said.map(|digest| (digest, text.clone())).into_iter().collect();
    desk.engine().observe_with_texts(now, vec![fact], texts).unwrap();
    let prompt = desk.leases_next(":start:4").prompt;
    for part in [text.as_str(), "had no valid verdict", "The tool needs a flag.", "# Intent"] {
        assert!(prompt.contains(part), "{part} in {prompt}");
    }
}

#[test]
fn what_a_review_found_is_kept_and_shown_to_those_who_deal_with_it() {
    let mut desk = begun();
    let review = desk.leases_next(":start:3");
    let performed = desk.performs(&review);
    desk.settles(review.id, performed);
    let found = "1. The flag has no name.\n2. Its value is lost.";
    let verdict = r#"RALPH_PLAN_REVIEW: {"status":"fail","reason":"two findings"}"#;
    let kind = ralph_core::verdict::VerdictKind::PlanReview;
    let read = ralph_core::answer::review(kind, &format!("{found}\n{verdict}"));
    let outcome = Outcome::Turn { answer: read.answer, session: None, usage: None };
    let (now, attempt) = (desk.now, desk.managed(7).attempt);
    let fact = Fact::of(key(7), What::Finished { attempt, outcome });
    desk.engine().observe_with_texts(now, vec![fact], read.said.into_iter().collect()).unwrap();
    desk.engine().forget_texts().unwrap();
    let prompt = desk.leases_next(":start:4").prompt;
    assert!(prompt.contains(found) && !prompt.contains("RALPH_PLAN_REVIEW"), "{prompt}");
}
