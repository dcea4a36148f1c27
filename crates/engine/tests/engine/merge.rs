//! The last check before a merge: it is called off if the pull request has changed since the decision.

use crate::desk::Desk;
use crate::life;
use ralph_core::bound::Bound;
use ralph_core::fact::{RunSettled, Settled, What};
use ralph_core::ids::{Branch, Sha};
use ralph_core::pull::CheckState;
use ralph_core::time::Span;
use ralph_engine::ports::Unread;
use ralph_engine::{Leased, Performed};

/// Everything has passed, and the merge is leased.
fn about_to_merge() -> (Desk, Leased) {
    let mut desk = life::waiting_for_checks();
    desk.forge.ci = Some(CheckState::Pass);
    let merge = desk.leases_next(":merge:");
    assert_eq!(merge.key, "acme/widgets#7:merge:#50:head-1");
    (desk, merge)
}

fn is_asked_to_merge(desk: &Desk) -> bool {
    desk.forge.asked.iter().any(|asked| asked == "pull #50 merge")
}

#[test]
fn an_unchanged_pull_request_is_merged() {
    let (mut desk, merge) = about_to_merge();
    assert!(matches!(desk.performs(&merge), Performed::Happened(_)));
    assert!(is_asked_to_merge(&desk));
}

#[test]
fn a_merge_is_called_off_when_the_base_was_changed_since_the_decision() {
    let (mut desk, merge) = about_to_merge();
    desk.forge.pulls.get_mut(&50).unwrap().base = Branch::new("main");
    let called_off = desk.performs(&merge);
    let reason = "its base is main by now, and bot/integration was to be merged";
    assert_eq!(called_off, Performed::declined(reason.to_owned()));
    assert!(!is_asked_to_merge(&desk));

    desk.settles(merge.id, called_off);
    assert_eq!(desk.managed(7).run.as_ref().unwrap().spent.of(Bound::MERGE_REFUSALS), 1);
    let escalated = |desk: &Desk| desk.managed(7).episodes == 1;
    desk.rounds_until(escalated);
    assert!(!is_asked_to_merge(&desk));
}

#[test]
fn a_merge_is_called_off_when_the_head_was_changed_since_the_decision() {
    let (mut desk, merge) = about_to_merge();
    desk.forge.pulls.get_mut(&50).unwrap().head = Sha::new("head-2");
    let reason = "its head is head-2 by now, and head-1 was to be merged";
    assert_eq!(desk.performs(&merge), Performed::declined(reason.to_owned()));
    assert!(!is_asked_to_merge(&desk));
}

#[test]
fn a_merge_whose_pull_request_cannot_be_read_waits() {
    let (mut desk, merge) = about_to_merge();
    let (until, why) = (Some(desk.now.plus(Span::from_secs(90))), "slow down".to_owned());
    desk.forge.pulls_unread = Some(Unread { until, why: why.clone(), is_refused: false });
    let waits = desk.performs(&merge);
    assert_eq!(waits, Performed::Later { until, why });
    assert!(!is_asked_to_merge(&desk));

    desk.settles(merge.id, waits);
    assert_eq!((Some(desk.row(&merge.key).due), desk.row(&merge.key).tries), (until, 0));
    desk.forge.pulls_unread = None;
    desk.later(Span::from_secs(90));
    desk.works_off();
    assert!(is_asked_to_merge(&desk));
}

#[test]
fn a_merge_is_called_off_when_the_bot_branch_has_moved_on_untested() {
    let (mut desk, merge) = about_to_merge();
    desk.forge.bot_head = Some(Sha::new("bot-2"));
    let called_off = desk.performs(&merge);
    let Performed::Happened(facts) = &called_off else { panic!("{called_off:?}") };
    let moved = RunSettled::BaseMoved { head: Sha::new("bot-2") };
    assert_eq!(facts.first().map(|fact| &fact.what), Some(&What::Settled(Settled::Run(moved))));
    assert!(!is_asked_to_merge(&desk));

    desk.settles(merge.id, called_off);
    let run = desk.managed(7).run.clone().unwrap();
    assert!(run.is_outdated, "it is tested again");
    assert_eq!((run.spent.of(Bound::MERGE_REFUSALS), run.spent.of(Bound::REFRESHES)), (0, 1));
}

#[test]
fn a_read_of_the_bot_branch_that_is_older_than_what_was_tested_holds_nothing_up() {
    let (mut desk, merge) = about_to_merge();
    desk.forge.bot_head = Some(Sha::new("bot-0"));
    desk.forge.holds.insert((Sha::new("head-1"), Sha::new("bot-0")));
    assert!(matches!(desk.performs(&merge), Performed::Happened(_)));
    assert!(is_asked_to_merge(&desk));
}
