//! Issues without a managed label: queued where every open issue is worked on, and left alone once people have given a
//! command about them.

use crate::outside::QUEUED;
use crate::story::Story;
use ralph_core::command::Command;
use ralph_core::fold::READ_LAG;
use ralph_core::issue::Phase;
use ralph_core::policy::AutoQueue;
use ralph_core::standing::Standing;
use ralph_core::time::Span;

fn repository(auto_queue: AutoQueue) -> Story {
    Story::with(|rules| rules.auto_queue = auto_queue)
}

fn is_managed(story: &Story, number: u64) -> bool {
    story.issue(number).managed.is_some()
}

#[test]
fn every_open_issue_is_queued_and_worked_on_in_its_turn() {
    let mut story = repository(AutoQueue::AllOpen);
    story.sees(7, &["bug", "ralph:priority:p3"]);
    story.sees(8, &["ralph:priority:p0"]);
    insta::assert_snapshot!(story.told(), @"
    #7 queued by itself: every open issue is to be worked on
    #7 > label+ralph:status:queued
    #7 claimed
    #7 > label+ralph:status:in-progress
    #7 attempt 1 of this issue: workspace
    #7 > start:1
    #8 queued by itself: every open issue is to be worked on
    #8 > label+ralph:status:queued
    ");
    story.merges(7);
    assert!(matches!(story.managed(7).phase, Phase::InBot { .. }));
}

#[test]
fn what_is_closed_or_not_wanted_is_left_alone() {
    let mut story = repository(AutoQueue::AllOpen);
    story.sees_issue(7, |seen| seen.open = false);
    assert!(!is_managed(&story, 7), "a closed issue");
    let mut story = repository(AutoQueue::LabeledOnly);
    story.sees(7, &["bug"]);
    story.looks_at_everything();
    assert!(!is_managed(&story, 7), "nobody asked for it");
    let mut story = repository(AutoQueue::AllOpen);
    story.sees(("acme/other", 7), &[]);
    assert!(story.issue(("acme/other", 7)).managed.is_none(), "not a repository of ours");
}

#[test]
fn a_label_of_ours_speaks_for_the_issue() {
    let mut story = repository(AutoQueue::AllOpen);
    story.sees(7, &["ralph:status:paused"]);
    assert!(story.stands(7).starts_with("paused"), "{}", story.stands(7));
    story.sees(8, &["ralph:cmd:stop"]);
    assert!(!is_managed(&story, 8), "who gave the command is read first");
    story.labelled(8, Command::Stop);
    assert!(story.stands(8).starts_with("no status"), "{}", story.stands(8));
    story.sees(8, &[]);
    story.passes(Span::from_mins(60));
    story.looks_at_everything();
    assert_eq!(story.managed(8).phase, Phase::Out);
}

#[test]
fn whoever_takes_an_issue_out_of_the_queue_keeps_it_out() {
    let mut story = repository(AutoQueue::AllOpen);
    story.policy.draining = true;
    story.sees(7, &[]);
    story.settles();
    story.passes(READ_LAG);
    story.sees(7, &[QUEUED]);
    story.sees(7, &[]);
    assert_eq!(story.managed(7).phase, Phase::Out);
    for _ in 0..3 {
        story.passes(Span::from_mins(60));
        story.sees_issue(7, |seen| seen.title = "another title".into());
        story.looks_at_everything();
        assert_eq!(story.managed(7).phase, Phase::Out);
    }
    story.queued(7);
    assert_eq!(story.managed(7).phase, Phase::Queued, "a person may put it back");
}

#[test]
fn a_dry_run_says_what_it_would_do_and_does_nothing() {
    let mut story = repository(AutoQueue::AllOpenDryRun);
    story.sees(7, &["bug"]);
    assert_eq!(story.decision(7).standing, Some(Standing::WouldQueue));
    insta::assert_snapshot!(story.stands(7), @"no status: would be queued by itself (dry run)");
    assert_eq!((story.wants(7).as_str(), is_managed(&story, 7)), ("", false));
    story.sees_issue(7, |seen| seen.open = false);
    assert_eq!(story.decision(7).standing, None);
    story.queued(8);
    assert!(story.stands(8).starts_with("in-progress"), "{}", story.stands(8));
}

#[test]
fn what_was_known_before_is_queued_when_the_setting_changes() {
    let mut story = repository(AutoQueue::LabeledOnly);
    story.sees(7, &[]);
    story.policy.repos.values_mut().for_each(|rules| rules.auto_queue = AutoQueue::AllOpen);
    story.looks_at_everything();
    assert!(is_managed(&story, 7));
}
