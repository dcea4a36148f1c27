//! A transaction is kept whole or not at all, with its texts, also when the database fails in the middle of it.

use crate::harness::{Harness, key};
use crate::whole_run::begun;
use ralph_core::digest::Digest;
use ralph_core::fact::{Answer, Fact, Outcome, What};
use ralph_engine::{EngineError, ask};

/// Makes the database fail at the first effect that is queued, after the transaction has written facts and rows. SQLite
/// may leave these writes to Ralph, or roll them back itself.
fn fails_at_effects(harness: &Harness, how: &str) {
    let file = rusqlite::Connection::open(harness.path()).unwrap();
    let fail = format!("SELECT RAISE({how}, 'the disk is full')");
    let trigger = format!("CREATE TRIGGER full BEFORE INSERT ON outbox BEGIN {fail}; END");
    file.execute_batch(&trigger).unwrap();
}

fn works_again(harness: &Harness) {
    let file = rusqlite::Connection::open(harness.path()).unwrap();
    file.execute_batch("DROP TRIGGER full").unwrap();
}

/// Reads until a transaction fails.
fn fails(harness: &mut Harness) -> EngineError {
    let now = harness.now;
    while let Some(question) = harness.engine().next_question(now).unwrap() {
        let reading = ask(&question, now, &mut harness.forge);
        let before = harness.tables();
        if let Err(error) = harness.engine().take_reading(now, reading) {
            assert_eq!(harness.tables(), before, "what was not committed is taken back");
            return error;
        }
    }
    panic!("no turn fails");
}

#[test]
fn a_turn_that_fails_half_way_leaves_nothing_and_the_next_one_works() {
    for how in ["ABORT", "FAIL", "ROLLBACK"] {
        let mut harness = Harness::new();
        harness.forge.opens(&key(7), "Add a flag", "");
        harness.forge.labels(&key(7), "ralph:status:escalated");
        fails_at_effects(&harness, how);
        let error = fails(&mut harness);
        assert!(matches!(error, EngineError::Store(_)), "{how}: {error}");
        let now = harness.now;
        let broken = harness.engine().observe(now, Vec::new());
        assert!(matches!(broken, Err(EngineError::Broken)), "{how}: memory is ahead of the disk");

        works_again(&harness);
        harness.dies_and_keeps_the_store();
        harness.reads();
        assert_eq!(harness.managed(7).episodes, 1, "{how}");
        let stored = harness.look("SELECT key FROM outbox");
        assert_eq!(stored, ["acme/widgets#7:comment:escalation-1"], "{how}");
    }
}

#[test]
fn a_repair_is_shown_the_answer_that_had_no_verdict() {
    let mut harness = begun();
    let review = harness.leases_next(":start:3");
    let performed = harness.performs(&review);
    harness.settles(review.id, performed);
    let text = "I looked, and it is good.".to_owned();
    let said = Some(Digest::of(&text));
    let answer = Answer::NoVerdict {
        why: "no marker".to_owned(),
        said,
        excerpt: String::new(),
        gap: ralph_core::product_gap::ProductGap::None,
    };
    let outcome = Outcome::Turn { answer, session: None, usage: None };
    let (now, attempt) = (harness.now, harness.managed(7).attempt);
    let fact = Fact::of(key(7), What::Finished { attempt, outcome });
    let texts = said.map(|digest| (digest, text.clone())).into_iter().collect();
    harness.engine().observe_with_texts(now, vec![fact], texts).unwrap();
    let prompt = harness.leases_next(":start:4").prompt;
    for part in [text.as_str(), "had no valid verdict", "The tool needs a flag.", "# Intent"] {
        assert!(prompt.contains(part), "{part} in {prompt}");
    }
}

#[test]
fn what_a_review_found_is_kept_and_shown_to_those_who_deal_with_it() {
    let mut harness = begun();
    let review = harness.leases_next(":start:3");
    let performed = harness.performs(&review);
    harness.settles(review.id, performed);
    let found = "1. The flag has no name.\n2. Its value is lost.";
    let verdict = r#"RALPH_PLAN_REVIEW: {"status":"fail","reason":"two findings"}"#;
    let kind = ralph_core::verdict::VerdictKind::PlanReview;
    let read = ralph_core::answer::review(kind, &format!("{found}\n{verdict}"));
    let outcome = Outcome::Turn { answer: read.answer, session: None, usage: None };
    let (now, attempt) = (harness.now, harness.managed(7).attempt);
    let fact = Fact::of(key(7), What::Finished { attempt, outcome });
    harness.engine().observe_with_texts(now, vec![fact], read.said.into_iter().collect()).unwrap();
    harness.engine().forget_texts().unwrap();
    let prompt = harness.leases_next(":start:4").prompt;
    assert!(prompt.contains(found) && !prompt.contains("RALPH_PLAN_REVIEW"), "{prompt}");
}
