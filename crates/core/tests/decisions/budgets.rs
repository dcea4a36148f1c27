//! Budgets: what is reserved before a turn, what happens to an issue that has used its own, and to a day.

use crate::outside::planned;
use crate::story::{Story, Which as _};
use crate::throttle::uses;
use ralph_core::budget::Exceeded;
use ralph_core::command::Command;
use ralph_core::escalation::Cause;
use ralph_core::fact::{Fact, What};
use ralph_core::forecast::Forecast;
use ralph_core::ids::Login;
use ralph_core::issue::Phase;
use ralph_core::lane::Lanes;
use ralph_core::role::Role;
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::turn_end::{TurnUse, Usage};
use ralph_core::words;

const DAY: Span = Span::from_mins(24 * 60);

/// One issue at its plan, and two in line that may be claimed beside it.
fn with_budget(change: impl FnOnce(&mut ralph_core::budget::Budget)) -> Story {
    let mut story = Story::with(|rules| (rules.slots, rules.claims_max) = (3, 3));
    story.policy.budget.first_turn.tokens = 100;
    change(&mut story.policy.budget);
    story.queued(1);
    story.reaches(1, Step::Plan);
    story
}

fn spends(story: &mut Story, number: u64, micro_usd: u64) {
    let usage = Some(Usage { input: 10, cached: 0, output: 0, micro_usd: Some(micro_usd) });
    let attempt = story.managed(number).attempt;
    let used = TurnUse { usage, limits: Vec::new() };
    story.tell(&Fact::of(number.key(), What::Used { attempt, used }));
}

#[test]
fn an_issue_without_room_for_another_turn_asks_a_person_with_what_was_spent_on_what() {
    let mut story = with_budget(|budget| {
        budget.issue.micro_usd = Some(3_000_000);
        budget.first_turn.micro_usd = 1_000_000;
    });
    spends(&mut story, 1, 1_500_000);
    story.finishes(1, planned("a plan"));
    assert_eq!(story.managed(1).phase, Phase::Running { step: Step::PlanReview });
    spends(&mut story, 1, 700_000);
    let outcome = story.success(1, Step::PlanReview);
    story.finishes(1, outcome);
    let Phase::Escalated { cause, .. } = &story.managed(1).phase else {
        panic!("{}", story.stands(1))
    };
    let Cause::BudgetSpent { exceeded, used, .. } = cause else { panic!("{cause:?}") };
    assert_eq!(*exceeded, Exceeded::MicroUsd { limit: 3_000_000 });
    assert_eq!(used.roles[&Role::Plan].amount.micro_usd, 1_500_000);
    let (lanes, reviews) = (Lanes::default(), []);
    let tried =
        words::Tried { red_checks: &[], lanes: &lanes, reviews: &reviews, can_replan: true };
    let says = words::escalation(&1.key(), 1, cause, &Login::new("ann"), &tried);
    for part in ["$3.00", "| plan | 1 | 10 | $1.50 |", "| plan_review | 1 | 10 | $0.70 |", "$2.20"]
    {
        assert!(says.contains(part), "{part} in {says}");
    }
}

#[test]
fn a_person_who_asks_again_grants_the_same_budget_once_more() {
    let mut story = with_budget(|budget| budget.issue.tokens = Some(1_000));
    uses(&mut story, 1, 950, vec![]);
    story.finishes(1, planned("a plan"));
    assert!(matches!(story.managed(1).phase, Phase::Escalated { .. }));
    story.ordered(1, Command::Queue);
    story.reaches(1, Step::Plan);
    assert_eq!(story.managed(1).used.of_budget().tokens, 0);
    assert_eq!(story.managed(1).used.total().1.tokens, 950, "what was used is not forgotten");
}

#[test]
fn the_largest_turn_of_a_role_is_reserved_for_its_next() {
    let mut story = with_budget(|budget| budget.issue.tokens = Some(10_000));
    let reserved = |story: &Story, number: u64| story.managed(number).work.as_ref()?.reserved;
    assert_eq!(reserved(&story, 1).unwrap().tokens, 100, "the default, before any turn");
    uses(&mut story, 1, 700, vec![]);
    story.finishes(1, planned("a plan"));
    story.queued(2);
    story.reaches(2, Step::Plan);
    assert_eq!(reserved(&story, 2).unwrap().tokens, 700);
    uses(&mut story, 2, 300, vec![]);
    story.finishes(2, planned("another plan"));
    story.queued(3);
    story.reaches(3, Step::Plan);
    assert_eq!(reserved(&story, 3).unwrap().tokens, 700, "the largest, not the last");
}

#[test]
fn a_day_that_is_spent_claims_nothing_new_until_enough_of_it_is_over() {
    let mut story = with_budget(|budget| budget.day.tokens = Some(1_000));
    uses(&mut story, 1, 1_001, vec![]);
    story.finishes(1, planned("a plan"));
    story.queued(2);
    assert_eq!(story.managed(2).phase, Phase::Queued);
    assert!(story.managed(1).work.is_some(), "started work goes on");
    let says = words::budget_day(&story.world.day_use(&story.policy, story.now));
    assert!(says.is_some_and(|says| says.contains("1.0k tokens a day")));
    story.passes(Span(DAY.0 - 1));
    assert_eq!(story.managed(2).phase, Phase::Queued);
    story.passes(Span(1));
    assert!(matches!(story.managed(2).phase, Phase::Running { .. }), "{}", story.stands(2));
}

#[test]
fn what_is_reserved_for_turns_under_way_belongs_to_the_day() {
    let mut story = with_budget(|budget| budget.day.tokens = Some(199));
    story.queued(2);
    assert!(matches!(story.managed(2).phase, Phase::Running { .. }), "100 of 199 are reserved");
    story.reaches(2, Step::Plan);
    story.queued(3);
    assert_eq!(story.managed(3).phase, Phase::Queued, "200 of 199 are");
}

#[test]
fn merged_issues_make_a_forecast() {
    let mut story = Story::with(|rules| (rules.slots, rules.claims_max) = (3, 3));
    for number in [1, 2, 3] {
        assert!(Forecast::of(&story.world.repos().next().unwrap().1.books).is_none());
        story.queued(number);
        story.reaches(number, Step::Plan);
        uses(&mut story, number, 1_000 * number, vec![]);
        story.merges(number);
    }
    let forecast = Forecast::of(&story.world.repos().next().unwrap().1.books).unwrap();
    assert_eq!((forecast.issues, forecast.turns.median), (3, 5), "{forecast:?}");
    assert!(forecast.tokens.median == 2_000 && forecast.tokens.most == 3_000, "{forecast:?}");
    assert!(words::forecast(&forecast).contains("5 turns"));
}
