//! Accounts that are limited, refused or overloaded: no turn is started with them, no attempt is spent, and no issue is
//! blamed; one turn at a time shows when it is over.

use crate::outages::{at_plans, at_work};
use crate::outside::planned;
use crate::story::Story;
use ralph_core::account::{AccountHold, AccountName};
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::fact::Outcome;
use ralph_core::issue::Phase;
use ralph_core::role::Role;
use ralph_core::steps::Step;
use ralph_core::time::{Span, Time};
use ralph_core::turn_end::EndClass;
use ralph_core::words;

fn fails(class: EndClass) -> Outcome {
    Outcome::AgentFailed { reason: "the provider says no".to_owned(), class }
}

fn hold(story: &Story) -> AccountHold {
    let [hold] = story.world.held_accounts().try_into().expect("one account is held");
    hold
}

/// Nobody is escalated, and no attempt is spent.
fn assert_unharmed(story: &Story) {
    for number in [1, 2, 3] {
        assert_eq!(story.managed(number).phase, Phase::Running { step: Step::Plan });
        let spent = &story.run(number).spent;
        let counts = [Bound::Step(Step::Plan), Bound::AGENT_FAILURES].map(|it| spent.of(it));
        assert_eq!(counts, [0, 0]);
    }
    assert!(story.world.outage().is_none(), "the program is not to blame either");
}

#[test]
fn a_limit_that_names_its_end_lets_nothing_start_before_it() {
    let mut story = at_plans();
    let until = story.now.plus(Span::from_mins(150));
    let limit = EndClass::UsageLimit { until: Some(until) };
    for number in [1, 2, 3] {
        story.ends(number, fails(limit));
    }
    assert_eq!((at_work(&story), hold(&story).probe_at), (vec![], until));
    assert_unharmed(&story);
    // A person who asks for work does not lift a limit that was told.
    story.ordered(4, Command::Queue);
    story.passes(Span(until.since(story.now).0 - 1_000));
    assert_eq!(at_work(&story), [0; 0]);
    story.passes(Span::from_secs(2));
    let tried = at_work(&story);
    assert_eq!(tried.len(), 1, "one turn shows whether it is over");
    story.ends(tried[0], planned("a plan"));
    assert!(story.world.held_accounts().is_empty());
    assert_eq!(at_work(&story).len(), 3);
}

#[test]
fn without_a_told_end_the_pauses_grow_by_what_is_wrong() {
    for (class, minutes) in [
        (EndClass::UsageLimit { until: None }, [15, 30, 60, 120, 240, 240]),
        (EndClass::Overloaded, [1, 2, 4, 8, 16, 30]),
    ] {
        let mut story = Story::plain();
        story.queued(1);
        story.reaches(1, Step::Plan);
        story.ends(1, fails(class));
        for (failures, pause) in (1..).zip(minutes) {
            assert_eq!(hold(&story).probe_at.since(story.now), Span::from_mins(pause), "{class:?}");
            assert_eq!(hold(&story).failures, failures);
            story.passes(Span(Span::from_mins(pause).0 - 1_000));
            assert_eq!(at_work(&story), [0; 0], "{class:?} before {pause} minutes");
            story.passes(Span::from_secs(2));
            assert_eq!(at_work(&story), [1], "{class:?} after {pause} minutes");
            story.ends(1, fails(class));
        }
    }
}

#[test]
fn another_account_goes_on() {
    let mut story = at_plans();
    story.policy.accounts.insert(Role::PlanReview, vec![AccountName::new("reviewer")]);
    story.ends(1, planned("a plan"));
    assert_eq!(story.managed(1).phase, Phase::Running { step: Step::PlanReview });
    for number in [2, 3] {
        story.ends(number, fails(EndClass::NeedsLogin));
    }
    assert_eq!(at_work(&story), [1], "the review has another account");
    assert_eq!(hold(&story).account, AccountName::default());
}

#[test]
fn a_person_who_asks_for_work_may_have_repaired_a_login() {
    let mut story = at_plans();
    for number in [1, 2, 3] {
        story.ends(number, fails(EndClass::NeedsLogin));
    }
    assert_eq!(at_work(&story), [0; 0]);
    let says = words::account_hold(&hold(&story));
    assert!(says.contains("Log in again") && says.contains("the provider says no"), "{says}");
    story.passes(Span::from_secs(1));
    story.ordered(4, Command::Queue);
    assert_eq!(at_work(&story).len(), 1);
}

#[test]
fn a_full_context_gets_one_fresh_session_and_then_counts() {
    let mut story = at_plans();
    story.ends(1, fails(EndClass::ContextFull));
    assert_eq!(story.managed(1).phase, Phase::Running { step: Step::Plan });
    assert_eq!(story.run(1).spent.of(Bound::Step(Step::Plan)), 0);
    story.ends(1, fails(EndClass::ContextFull));
    assert!(
        matches!(story.managed(1).phase, Phase::Escalated { .. }),
        "its only attempt is spent: {:?}",
        story.managed(1).phase
    );
    assert!(story.world.held_accounts().is_empty());
}

#[test]
fn issues_too_large_for_the_model_are_no_outage_of_the_program() {
    let mut story = at_plans();
    for number in [1, 2, 3] {
        story.ends(number, fails(EndClass::ContextFull));
    }
    assert!(story.world.outage().is_none());
    assert_eq!(at_work(&story), [1, 2, 3], "each has a fresh session");
}

#[test]
fn an_answer_in_another_repository_ends_it_too() {
    let mut policy = crate::story::policy();
    policy.repos.insert(crate::story::repo("acme/lib"), crate::story::rules());
    policy.max_workers = 4;
    let mut story = Story::new(policy);
    for which in [("acme/lib", 1), ("acme/app", 2)] {
        story.queued(which);
        story.reaches(which, Step::Plan);
    }
    story.ends(("acme/lib", 1), fails(EndClass::Overloaded));
    assert_eq!(story.world.held_accounts().len(), 1);
    story.ends(("acme/app", 2), planned("a plan"));
    assert!(story.world.held_accounts().is_empty());
    assert!(story.managed(("acme/lib", 1)).work.is_some(), "it goes on at once");
}

#[test]
fn a_reset_in_the_past_or_far_away_is_not_believed() {
    for (until, minutes) in [(Time(1), 15), (Time(i64::MAX), 8 * 24 * 60)] {
        let mut story = at_plans();
        story.ends(1, fails(EndClass::UsageLimit { until: Some(until) }));
        assert_eq!(hold(&story).probe_at.since(story.now), Span::from_mins(minutes));
    }
}
