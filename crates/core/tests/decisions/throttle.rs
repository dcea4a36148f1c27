//! The throttle: windows of accounts that are used up in part or in whole, what starts then, and the account of a turn.

use crate::outages::{at_plans, at_work};
use crate::outside::planned;
use crate::story::{Story, Which as _};
use ralph_core::account::AccountName;
use ralph_core::fact::{Fact, Outcome, What};
use ralph_core::issue::Phase;
use ralph_core::role::Role;
use ralph_core::steps::Step;
use ralph_core::throttle::{AccountUse, Level, WindowRule};
use ralph_core::time::Span;
use ralph_core::turn_end::{EndClass, LimitUse, SeenLimit, TurnUse, Usage};
use ralph_core::words;

const FIVE_HOURS: Span = Span::from_mins(5 * 60);

/// The five-hour window of every account has this many tokens.
fn with_window(story: &mut Story, tokens: u64) {
    let (name, length, account) = ("5h".to_owned(), FIVE_HOURS, None);
    story.policy.throttle.windows = vec![WindowRule { name, length, tokens, account }];
}

/// The turn under way has used this much, and saw these limits.
pub(crate) fn uses(story: &mut Story, number: u64, tokens: u64, limits: Vec<SeenLimit>) {
    let attempt = story.managed(number).attempt;
    let used = TurnUse { usage: Usage::total(tokens), limits };
    story.tell(&Fact::of(number.key(), What::Used { attempt, used }));
}

fn limit(used: LimitUse, resets: Option<Span>, story: &Story) -> SeenLimit {
    let resets = resets.map(|span| story.now.plus(span));
    SeenLimit { window: "weekly".to_owned(), length: Span::from_mins(7 * 24 * 60), used, resets }
}

fn account(story: &Story) -> AccountUse {
    let names = [AccountName::default()];
    let [account] = story.world.account_use(names, &story.policy, story.now).try_into().unwrap();
    account
}

fn failed() -> Outcome {
    Outcome::AgentFailed { reason: "it broke".to_owned(), class: EndClass::Crashed }
}

/// Four issues of which one is claimed at a time.
fn one_at_a_time() -> Story {
    let mut story = Story::with(|rules| (rules.slots, rules.claims_max) = (4, 1));
    for number in [1, 2, 3, 4] {
        story.queued(number);
    }
    story.reaches(1, Step::Plan);
    story
}

#[test]
fn soft_claims_nothing_new_and_lets_started_work_go_on() {
    let mut story = at_plans();
    with_window(&mut story, 1_000);
    uses(&mut story, 1, 800, vec![]);
    story.ends(1, planned("a plan"));
    story.policy.repos.values_mut().for_each(|rules| (rules.slots, rules.claims_max) = (4, 4));
    story.looks_at_everything();
    assert_eq!(account(&story).level, Level::Soft);
    assert_eq!(at_work(&story), [1, 2, 3], "the review of 1 was started");
    assert_eq!(story.managed(4).phase, Phase::Queued);
    let until = account(&story).until.expect("its end is known");
    story.passes(Span(until.since(story.now).0 - 1));
    assert_eq!(story.managed(4).phase, Phase::Queued);
    story.passes(Span(1));
    assert!(matches!(story.managed(4).phase, Phase::Running { .. }), "at its end, not later");
}

#[test]
fn hard_starts_no_turn_at_all_and_escalates_nobody() {
    let mut story = at_plans();
    with_window(&mut story, 1_000);
    uses(&mut story, 1, 950, vec![]);
    story.ends(1, planned("a plan"));
    for number in [2, 3] {
        story.ends(number, planned("a plan"));
    }
    assert_eq!(at_work(&story), [0; 0]);
    let of = account(&story);
    assert_eq!((of.level, of.probe_at), (Level::Hard, None), "its end is known: nothing is tried");
    assert_eq!(of.until, Some(story.now.plus(FIVE_HOURS)));
    let says = words::throttled(&of).unwrap_or_default();
    assert!(says.contains("95% of its 5h window") && says.contains("no turn is started"), "{says}");
    story.passes(Span(FIVE_HOURS.0 - 1));
    assert_eq!(at_work(&story), [0; 0]);
    story.passes(Span(1));
    assert_eq!(at_work(&story), [1, 2, 3]);
}

#[test]
fn what_a_failed_turn_used_counts() {
    let mut story = at_plans();
    with_window(&mut story, 1_000);
    uses(&mut story, 1, 960, vec![]);
    story.ends(1, failed());
    assert_eq!((account(&story).level, at_work(&story)), (Level::Hard, vec![2, 3]));
    assert_eq!(story.managed(1).used.total().1.tokens, 960);
}

#[test]
fn a_turn_counts_once_however_often_its_end_is_told() {
    let mut story = at_plans();
    with_window(&mut story, 1_000_000);
    let attempt = story.managed(1).attempt;
    uses(&mut story, 1, 100, vec![]);
    uses(&mut story, 1, 100, vec![]);
    for _ in 0..2 {
        story.tell(&Fact::of(1.key(), What::Finished { attempt, outcome: failed() }));
    }
    assert_eq!(account(&story).windows[0].used, 100);
}

#[test]
fn a_turn_of_which_nothing_is_told_counts_as_reserved() {
    let mut story = one_at_a_time();
    with_window(&mut story, 1_000_000);
    story.ends(1, planned("a plan"));
    assert_eq!(
        story.managed(1).work.as_ref().and_then(|work| work.reserved).unwrap().tokens,
        200_000
    );
    story.settles();
    let attempt = story.managed(1).attempt;
    story.tell(&Fact::of(1.key(), What::Interrupted { attempt }));
    assert_eq!(account(&story).windows[0].used, 200_000, "Ralph died during it");
}

#[test]
fn a_turn_that_was_refused_at_once_has_used_nothing() {
    let mut story = one_at_a_time();
    with_window(&mut story, 1_000_000);
    story.ends(1, planned("a plan"));
    story.settles();
    let used = account(&story).windows[0].used;
    let class = EndClass::UsageLimit { until: None };
    story.ends(1, Outcome::AgentFailed { reason: "limit".to_owned(), class });
    assert_eq!(account(&story).windows[0].used, used);
}

#[test]
fn a_reported_limit_with_a_reset_is_hard_until_then() {
    let mut story = one_at_a_time();
    let reset = Span::from_mins(90);
    let reached = limit(LimitUse::Milli(960), Some(reset), &story);
    uses(&mut story, 1, 10, vec![reached]);
    story.ends(1, planned("a plan"));
    assert_eq!(at_work(&story), [0; 0]);
    story.passes(Span(reset.0 - 1));
    assert_eq!(at_work(&story), [0; 0]);
    story.passes(Span(1));
    assert_eq!(at_work(&story), [1]);
}

#[test]
fn without_a_reset_one_turn_is_tried_after_growing_pauses_and_its_success_ends_it() {
    let mut story = one_at_a_time();
    for minutes in [15, 30, 60, 120, 240, 240] {
        let reached = limit(LimitUse::Milli(990), None, &story);
        uses(&mut story, 1, 10, vec![reached]);
        let outcome = story.success(1, story.managed(1).work.as_ref().unwrap().step);
        story.ends(1, outcome);
        story.settles();
        while let Some(step) = other_work(&story) {
            let outcome = story.success(1, step);
            story.finishes(1, outcome);
        }
        assert_eq!(at_work(&story), [0; 0], "{minutes}");
        story.passes(Span(Span::from_mins(minutes).0 - 1));
        assert_eq!(at_work(&story), [0; 0], "before {minutes} minutes");
        story.passes(Span(1));
        assert_eq!(at_work(&story), [1], "after {minutes} minutes");
        assert!(story.managed(1).work.as_ref().unwrap().is_probe);
        if story.managed(1).work.as_ref().unwrap().step == Step::DevexReview {
            break;
        }
    }
    let outcome = story.success(1, story.managed(1).work.as_ref().unwrap().step);
    story.ends(1, outcome);
    assert_eq!(account(&story).level, Level::Free, "an answer without a report ends it");
}

/// The step of a process that is no turn.
fn other_work(story: &Story) -> Option<Step> {
    let work = story.managed(1).work.as_ref()?;
    (!work.step.takes_turn()).then_some(work.step)
}

#[test]
fn a_warning_of_the_program_is_soft() {
    let mut story = one_at_a_time();
    let near = limit(LimitUse::Near, Some(Span::from_mins(60)), &story);
    uses(&mut story, 1, 10, vec![near]);
    story.ends(1, planned("a plan"));
    assert_eq!((account(&story).level, at_work(&story)), (Level::Soft, vec![1]));
}

/// Planners have two accounts.
fn two_accounts(story: &mut Story) -> [AccountName; 2] {
    let names = ["one", "two"].map(AccountName::new);
    for role in Role::ALL {
        story.policy.accounts.insert(role, names.to_vec());
    }
    names
}

fn accounts_at_work(story: &Story) -> Vec<String> {
    let managed = story.world.issues().filter_map(|(_, issue)| issue.managed.as_ref());
    let turns = managed.filter_map(|managed| managed.work.as_ref()?.account.clone());
    turns.map(|account| account.to_string()).collect()
}

#[test]
fn new_work_goes_to_the_account_with_most_left_and_a_session_stays_with_its_own() {
    let mut story = Story::with(|rules| (rules.slots, rules.claims_max) = (4, 1));
    two_accounts(&mut story);
    with_window(&mut story, 10_000);
    story.queued(1);
    story.reaches(1, Step::Plan);
    assert_eq!(accounts_at_work(&story), ["one"]);
    uses(&mut story, 1, 1_000, vec![]);
    story.ends(1, planned("a plan"));
    story.reaches(1, Step::PlanReview);
    assert_eq!(accounts_at_work(&story), ["two"], "it has more left");
    uses(&mut story, 1, 2_000, vec![]);
    let outcome = story.success(1, Step::PlanReview);
    story.ends(1, outcome);
    story.reaches(1, Step::Implement);
    assert_eq!(accounts_at_work(&story), ["one"], "it has more left again");
    let session = ralph_core::fact::Answer::Unchanged;
    let session = Outcome::Turn {
        answer: session,
        session: Some("s-1".to_owned()),
        usage: Usage::total(5_000),
    };
    story.ends(1, session);
    story.settles();
    assert_eq!(story.run(1).session.as_deref(), Some("s-1"));
    assert_eq!(
        accounts_at_work(&story),
        ["one"],
        "although two has more left: it made the session"
    );
}

#[test]
fn a_limited_account_stops_only_what_has_no_other() {
    let mut story = at_plans();
    let [_, _] = two_accounts(&mut story);
    story.looks_at_everything();
    let until = story.now.plus(Span::from_mins(60));
    let class = EndClass::UsageLimit { until: Some(until) };
    story.ends(1, Outcome::AgentFailed { reason: "limit".to_owned(), class });
    // The turns under way began with the account without a name.
    assert_eq!(at_work(&story), [1, 2, 3], "another account goes on");
    let first = story.managed(1).work.as_ref().and_then(|work| work.account.clone()).unwrap();
    story.ends(1, Outcome::AgentFailed { reason: "limit".to_owned(), class });
    let second = story.managed(1).work.as_ref().and_then(|work| work.account.clone()).unwrap();
    assert_ne!(first, second);
    story.ends(1, Outcome::AgentFailed { reason: "limit".to_owned(), class });
    assert_eq!(at_work(&story), [2, 3], "none is left for 1");
    assert_eq!(story.managed(1).phase, Phase::Running { step: Step::Plan });
}

#[test]
fn a_full_disk_starts_nothing() {
    let mut story = at_plans();
    story.policy.is_short_of_disk = true;
    story.looks_at_everything();
    story.ends(1, planned("a plan"));
    assert_eq!(at_work(&story), [2, 3]);
    story.policy.is_short_of_disk = false;
    story.looks_at_everything();
    assert_eq!(at_work(&story), [1, 2, 3]);
}
