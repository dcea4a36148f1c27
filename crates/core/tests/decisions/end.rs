//! The last phases of an issue: in the bot branch, on the default branch, closed, cleaned up.

use crate::story::{Story, Which};
use insta::assert_snapshot;
use ralph_core::command::Command;
use ralph_core::fact::Observation;
use ralph_core::ids::{Branch, PullNumber, Sha};
use ralph_core::issue::{DoneEvidence, Phase};
use ralph_core::pull::PullState;
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::unread::ReadOf;
use ralph_core::watch::Pace;

/// The default branch moves, and contains the merge of this issue.
pub(crate) fn reaches_default(story: &mut Story, which: impl Which) {
    let key = which.key();
    story.reads_branches("main-2", Some("bot-2"));
    let default_head = Sha::new("main-2");
    let merged = Sha::new(&format!("merge-{}", key.number));
    let evidence = Some(DoneEvidence::Reachable { merged, default_head: default_head.clone() });
    story.reads(key, Observation::Reach { default_head, evidence });
}

pub(crate) fn merged(numbers: &[u64]) -> Story {
    let mut story = Story::plain();
    story.reads_branches("main-1", Some("bot-1"));
    for number in numbers {
        story.queued(*number);
        story.merges(*number);
    }
    story.told();
    story
}

#[test]
fn merged_to_the_bot_branch_is_in_bot_and_not_done() {
    let story = merged(&[7]);
    assert_eq!(story.stands(7), "in-bot: in the bot branch, waits for the next rollup");
    assert_eq!(story.labels(7), "ralph:status:in-bot");
    assert!(story.issue(7).is_open());
    assert!(story.run(7).workspace.is_some());
}

#[test]
fn a_look_that_finds_nothing_is_repeated_less_often_until_the_head_moves() {
    let pace = |story: &Story| story.decision(7).watch.iter().map(|w| w.pace).collect::<Vec<_>>();
    let mut story = merged(&[7]);
    assert_eq!(pace(&story), [Pace::Rarely], "it cannot be there before the head moves");
    let default_head = Sha::new("main-1");
    story.reads(7, Observation::Reach { default_head, evidence: None });
    assert_eq!(pace(&story), [Pace::Rarely]);
    story.reads_branches("main-2", Some("bot-1"));
    assert_eq!(pace(&story), [Pace::Normal]);
    assert_eq!(story.managed(7).status().map(|status| status.name()), Some("in-bot"));
}

#[test]
fn once_its_rollup_is_merged_it_is_looked_for_soon_until_it_is_found() {
    let pace = |story: &Story| story.decision(7).watch.iter().map(|w| w.pace).collect::<Vec<_>>();
    let mut story = merged(&[7]);
    story.passes(Span::from_mins(5));
    story.settles();
    let merged = PullState::Merged { commit: Sha::new("rolled-up") };
    crate::rollup::reads_rollup(&mut story, merged);
    assert_eq!(pace(&story), [Pace::Soon]);
    let default_head = Sha::new("main-1");
    story.reads(7, Observation::Reach { default_head, evidence: None });
    assert_eq!(pace(&story), [Pace::Soon], "a stale look proves nothing");
    reaches_default(&mut story, 7);
    assert!(story.stands(7).starts_with("done"), "{}", story.stands(7));
}

#[test]
fn whether_it_has_arrived_may_be_unreadable_and_then_says_so() {
    let mut story = merged(&[7]);
    story.passes(Span::from_mins(5));
    story.settles();
    let merged = PullState::Merged { commit: Sha::new("rolled-up") };
    crate::rollup::reads_rollup(&mut story, merged);
    let waits = "in-bot: rollup #916 is merged, looks for it on the default branch";
    assert_eq!(story.stands(7), waits);
    let (of, why) = (ReadOf::Reach, "403: no".to_owned());
    story.reads(7, Observation::Unread { of, why });
    let unread = "; whether its change has reached the default branch cannot be read: 403: no";
    assert_eq!(story.stands(7), format!("{waits}{unread}"));
    reaches_default(&mut story, 7);
    assert!(story.stands(7).starts_with("done"), "{}", story.stands(7));
}

#[test]
fn where_the_default_branch_itself_is_worked_on_merged_is_done() {
    let main = || Branch::new("main");
    for by_hand in [false, true] {
        let mut story = Story::with(|rules| rules.bot_branch = main());
        story.reads_branches("main-1", Some("main-1"));
        story.queued(7);
        story.reaches(7, Step::Checks);
        let commit = Sha::new("by-hand");
        let state = if by_hand { PullState::Merged { commit } } else { PullState::Open };
        story.reads_pull(7, |pull| (pull.base, pull.state) = (main(), state));
        if !by_hand {
            story.reads_checks(7, &[("ci", "success")]);
        }
        story.told();
        story.settles();
        assert_eq!(story.stands(7), "done: done");
        let told = story.told();
        assert!(!told.contains("in-bot") && !told.contains("rollup"), "{told}");
    }
}

#[test]
fn evidence_about_another_commit_is_none() {
    let mut story = merged(&[7]);
    let default_head = Sha::new("main-2");
    let merged = Sha::new("something-else");
    let evidence = Some(DoneEvidence::Reachable { merged, default_head: default_head.clone() });
    story.reads(7, Observation::Reach { default_head, evidence });
    assert!(matches!(story.managed(7).phase, Phase::InBot { .. }));
}

#[test]
fn done_closes_and_cleans_up_once() {
    let mut story = merged(&[7]);
    reaches_default(&mut story, 7);
    assert_snapshot!(story.told(), @"
    #7 done: merge-7 is part of main-2
    #7 > close
    #7 > label+ralph:status:done
    ");
    story.settles();
    assert_snapshot!(story.told(), @"
    #7 > rmworktree:/srv/trees/acme__app/slot-0/7/7-1
    #7 > label-ralph:status:in-bot
    ");
    assert_eq!((story.stands(7), story.wants(7)), ("done: done".to_owned(), String::new()));
    story.sees_issue(7, |seen| seen.open = true);
    assert_eq!(story.wants(7), "", "reopened by a person: theirs");
}

#[test]
fn a_refused_close_does_not_keep_the_worktree() {
    let mut story = merged(&[7]);
    reaches_default(&mut story, 7);
    story.refuses("close");
    assert!(story.wants(7).contains("rmworktree"), "{}", story.wants(7));
    story.settles();
    assert_eq!(story.wants(7), "");
}

#[test]
fn an_issue_closed_by_the_rollups_own_line_is_not_closed_again() {
    let mut story = merged(&[7]);
    story.sees_issue(7, |seen| seen.open = false);
    reaches_default(&mut story, 7);
    assert!(!story.wants(7).contains("close"), "{}", story.wants(7));
}

#[test]
fn the_head_that_was_merged_is_evidence_too() {
    let mut story = merged(&[7]);
    let (merged, default_head) = (Sha::new("merge-7"), Sha::new("main-2"));
    let head = Sha::new("commit-4");
    let evidence = DoneEvidence::HeadReachable { head, merged, default_head: default_head.clone() };
    story.reads(7, Observation::Reach { default_head, evidence: Some(evidence) });
    assert_eq!(story.told().lines().next(), Some("#7 done: commit-4 is part of main-2"));
}

#[test]
fn a_squashed_rollup_is_evidence() {
    let mut story = merged(&[7]);
    let (merged, default_head) = (Sha::new("merge-7"), Sha::new("main-2"));
    let evidence = DoneEvidence::RolledUp {
        rollup: PullNumber(900),
        merged,
        default_head: default_head.clone(),
    };
    story.reads(7, Observation::Reach { default_head, evidence: Some(evidence) });
    story.settles();
    assert_eq!(story.stands(7), "done: done");
    assert!(!story.issue(7).is_open());
}

#[test]
fn an_issue_that_only_a_commit_of_ralphs_own_has_closed_can_be_queued_again() {
    for (by, expected) in [(Some("bot/integration"), "in-progress: "), (None, "stopped: ")] {
        let mut story = Story::at_checks();
        story.reads_pull(7, |pull| pull.head = Sha::new("by-hand"));
        story.passes(Span::from_mins(2));
        story.reads_pull(7, |pull| pull.head = Sha::new("by-hand"));
        assert!(story.stands(7).starts_with("escalated: "), "{}", story.stands(7));
        story.settles();
        story.sees_issue(7, |seen| (seen.open, seen.closed_by) = (false, by.map(Branch::new)));
        story.ordered(7, Command::Queue);
        assert!(story.stands(7).starts_with(expected), "{by:?}: {}", story.stands(7));
    }
}

#[test]
fn a_commit_of_ralphs_own_that_closes_an_issue_stops_nothing() {
    let mut story = Story::at_checks();
    let by = Branch::new("bot/integration");
    story.sees_issue(7, |seen| (seen.open, seen.closed_by) = (false, Some(by)));
    assert!(story.stands(7).starts_with("in-progress: "), "{}", story.stands(7));
    story.merges(7);
    assert!(story.stands(7).starts_with("in-bot: "), "{}", story.stands(7));

    let mut story = Story::at_checks();
    story.sees_issue(7, |seen| seen.open = false);
    assert!(story.stands(7).starts_with("stopped: "), "{}", story.stands(7));
}
