//! The last check before a merge: it is called off if the pull request has changed since the decision.

use crate::harness::Harness;
use crate::whole_run;
use ralph_core::bound::Bound;
use ralph_core::fact::{RunSettled, Settled, What};
use ralph_core::ids::{Branch, Sha};
use ralph_core::pull::CheckState;
use ralph_core::time::Span;
use ralph_engine::ports::Unread;
use ralph_engine::{Leased, Performed};

/// Everything has passed, and the merge is leased.
fn about_to_merge() -> (Harness, Leased) {
    let mut harness = whole_run::waiting_for_checks();
    harness.forge.ci = Some(CheckState::Pass);
    let merge = harness.leases_next(":merge:");
    assert_eq!(merge.key, "acme/widgets#7:merge:#50:head-1");
    (harness, merge)
}

fn is_asked_to_merge(harness: &Harness) -> bool {
    harness.forge.asked.iter().any(|asked| asked == "pull #50 merge")
}

#[test]
fn an_unchanged_pull_request_is_merged() {
    let (mut harness, merge) = about_to_merge();
    assert!(matches!(harness.performs(&merge), Performed::Happened(_)));
    assert!(is_asked_to_merge(&harness));
}

#[test]
fn a_merge_is_called_off_when_the_base_was_changed_since_the_decision() {
    let (mut harness, merge) = about_to_merge();
    harness.forge.pulls.get_mut(&50).unwrap().base = Branch::new("main");
    let called_off = harness.performs(&merge);
    let reason = "its base is main by now, and bot/integration was to be merged";
    assert_eq!(called_off, Performed::declined(reason.to_owned()));
    assert!(!is_asked_to_merge(&harness));

    harness.settles(merge.id, called_off);
    assert_eq!(harness.managed(7).run.as_ref().unwrap().spent.of(Bound::MERGE_REFUSALS), 1);
    let escalated = |harness: &Harness| harness.managed(7).episodes == 1;
    harness.rounds_until(escalated);
    assert!(!is_asked_to_merge(&harness));
}

#[test]
fn a_merge_is_called_off_when_the_head_was_changed_since_the_decision() {
    let (mut harness, merge) = about_to_merge();
    harness.forge.pulls.get_mut(&50).unwrap().head = Sha::new("head-2");
    let reason = "its head is head-2 by now, and head-1 was to be merged";
    assert_eq!(harness.performs(&merge), Performed::declined(reason.to_owned()));
    assert!(!is_asked_to_merge(&harness));
}

#[test]
fn a_merge_whose_pull_request_cannot_be_read_waits() {
    let (mut harness, merge) = about_to_merge();
    let (until, why) = (Some(harness.now.plus(Span::from_secs(90))), "slow down".to_owned());
    harness.forge.pulls_unread = Some(Unread { until, why: why.clone(), is_refused: false });
    let waits = harness.performs(&merge);
    assert_eq!(waits, Performed::Later { until, why });
    assert!(!is_asked_to_merge(&harness));

    harness.settles(merge.id, waits);
    assert_eq!((Some(harness.row(&merge.key).due), harness.row(&merge.key).tries), (until, 0));
    harness.forge.pulls_unread = None;
    harness.later(Span::from_secs(90));
    harness.works_off();
    assert!(is_asked_to_merge(&harness));
}

#[test]
fn a_merge_is_called_off_when_the_bot_branch_has_moved_on_untested() {
    let (mut harness, merge) = about_to_merge();
    harness.forge.bot_head = Some(Sha::new("bot-2"));
    let called_off = harness.performs(&merge);
    let Performed::Happened(facts) = &called_off else { panic!("{called_off:?}") };
    let moved = RunSettled::BaseMoved { head: Sha::new("bot-2") };
    assert_eq!(facts.first().map(|fact| &fact.what), Some(&What::Settled(Settled::Run(moved))));
    assert!(!is_asked_to_merge(&harness));

    harness.settles(merge.id, called_off);
    let run = harness.managed(7).run.clone().unwrap();
    assert!(run.is_outdated, "it is tested again");
    assert_eq!((run.spent.of(Bound::MERGE_REFUSALS), run.spent.of(Bound::REFRESHES)), (0, 1));
}

#[test]
fn a_read_of_the_bot_branch_that_is_older_than_what_was_tested_holds_nothing_up() {
    let (mut harness, merge) = about_to_merge();
    harness.forge.bot_head = Some(Sha::new("bot-0"));
    harness.forge.holds.insert((Sha::new("head-1"), Sha::new("bot-0")));
    assert!(matches!(harness.performs(&merge), Performed::Happened(_)));
    assert!(is_asked_to_merge(&harness));
}
