//! The merge: only the head that was judged, only while the pull request is as Ralph left it.

use crate::end::reaches_default;
use crate::outside::{changed, head, workspace};
use crate::story::{Story, Which};
use insta::assert_snapshot;
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::effect::{Effect, IssueAct};
use ralph_core::fact::{Fact, RunSettled, Settled, What};
use ralph_core::ids::{Branch, PullNumber, Sha};
use ralph_core::issue::Slot;
use ralph_core::pull::{Mergeable, Pull, PullState};
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::watch::{Pace, Resource, Watch};
use std::fmt::Write as _;

fn published() -> Story {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Implement);
    story.finishes(7, changed("a"));
    story.reaches(7, Step::Checks);
    story.told();
    story
}

fn ready() -> Story {
    let mut story = published();
    story.reads_pull(7, |_| {});
    story.reads_checks(7, &[("ci", "success")]);
    story
}

#[test]
fn the_head_that_was_judged_is_what_is_merged() {
    let story = ready();
    assert_eq!(story.wants(7), "merge:#107:commit-a");
    let merge = story.wanted().into_iter().find_map(|effect| {
        let Effect::Issue(_, IssueAct::Merge { head, method, .. }) = effect else { return None };
        Some((head, method))
    });
    let method = ralph_core::policy::MergeMethod::Merge;
    assert_eq!(merge, Some((Sha::new("commit-a"), method)));
}

#[test]
fn each_word_of_the_forge_on_mergeability() {
    let mut table = String::new();
    for mergeable in [
        Mergeable::Clean,
        Mergeable::Unstable,
        Mergeable::Unknown,
        Mergeable::Blocked,
        Mergeable::Draft,
    ] {
        let mut story = published();
        story.reads_pull(7, |pull| pull.mergeable = mergeable);
        story.reads_checks(7, &[("ci", "success")]);
        let now = story.stands(7);
        story.passes(Span::from_mins(45));
        writeln!(table, "{mergeable:?}\n  {now}\n  {}", story.stands(7)).expect("text");
    }
    assert_snapshot!(table, @"
    Clean
      in-progress: merging #107
      in-progress: merging #107
    Unstable
      in-progress: merging #107
      in-progress: merging #107
    Unknown
      in-progress: waits until the forge can merge it
      escalated: needs a person: The forge keeps refusing the merge.
    Blocked
      in-progress: waits until the forge can merge it
      escalated: needs a person: The forge keeps refusing the merge.
    Draft
      in-progress: waits until the forge can merge it
      escalated: needs a person: The forge keeps refusing the merge.
    ");
}

#[test]
fn a_pull_request_that_conflicts_or_is_behind_is_never_merged() {
    for mergeable in [Mergeable::Dirty, Mergeable::Behind] {
        let mut story = published();
        story.reads_pull(7, |pull| pull.mergeable = mergeable);
        story.reads_checks(7, &[("ci", "success")]);
        story.settles();
        assert!(!story.told().contains("> merge"), "{mergeable:?}");
    }
}

#[test]
fn a_pull_request_that_is_not_as_ralph_left_it_escalates() {
    let mut closed = published();
    closed.reads_pull(7, |pull| pull.state = PullState::Closed);
    assert_snapshot!(closed.stands(7), @"escalated: needs a person: The pull request was closed without being merged.");

    let mut rebased = published();
    rebased.reads_pull(7, |pull| pull.base = Branch::new("main"));
    assert_snapshot!(rebased.stands(7), @"escalated: needs a person: The pull request's base was changed to `main`.");

    let mut moved = published();
    moved.passes(Span::from_mins(2));
    moved.reads_pull(7, |pull| pull.head = Sha::new("someone-elses"));
    assert_snapshot!(moved.stands(7), @"escalated: needs a person: Someone else pushed to the pull request's branch.");
    let asked = moved.wanted_comment(&Slot::Escalation { episode: 1 }).unwrap_or_default();
    assert!(asked.contains("Do these commits belong to this change?"), "{asked}");
    assert!(!asked.to_lowercase().contains("conflict"), "{asked}");
}

/// A fault of a pull request, by name.
type Harm = (&'static str, fn(&mut Pull));

#[test]
fn a_pull_request_that_a_person_mended_is_not_judged_by_what_an_earlier_run_saw() {
    let harms: [Harm; 3] = [
        ("closed", |pull| pull.state = PullState::Closed),
        ("on another base", |pull| pull.base = Branch::new("main")),
        ("pushed to", |pull| pull.head = Sha::new("someone-elses")),
    ];
    for (name, harm) in harms {
        let mut story = published();
        story.passes(Span::from_mins(2));
        story.reads_pull(7, harm);
        assert!(story.stands(7).starts_with("escalated"), "{name}: {}", story.stands(7));
        story.settles();
        let judged = story.run(7).head.clone();
        story.passes(Span::from_mins(2));
        story.ordered(7, Command::Queue);
        story.settles();
        story.finishes(7, workspace(&story, 7, judged));
        let waits = "in-progress: waits until the forge shows the pull request";
        assert_eq!(story.stands(7), waits, "{name}");
        story.reads_pull(7, |_| {});
        story.reads_checks(7, &[("ci", "success")]);
        assert_eq!(story.wants(7), "merge:#107:commit-a", "{name}");
    }
}

#[test]
fn the_same_happens_right_before_the_merge() {
    for (change, cause) in [
        (
            PullState::Closed,
            "escalated: needs a person: The pull request was closed without being merged.",
        ),
        (
            PullState::Merged { commit: Sha::new("m") },
            "in-bot: in the bot branch, waits for the next rollup",
        ),
    ] {
        let mut story = ready();
        story.reads_pull(7, |pull| pull.state = change);
        assert_eq!(story.stands(7), cause);
        assert!(!story.wants(7).contains("merge"));
    }
}

#[test]
fn right_after_a_push_an_old_head_is_a_read_that_lags() {
    let mut story = published();
    story.passes(Span::from_secs(60));
    story.reads_pull(7, |pull| pull.head = Sha::new("old"));
    assert_eq!(story.stands(7), "in-progress: waits until the forge shows the pull request");
    story.passes(Span(1));
    story.reads_pull(7, |pull| pull.head = Sha::new("old"));
    assert!(story.stands(7).starts_with("escalated"));
}

#[test]
fn an_older_read_does_not_undo_a_newer_one() {
    let mut story = ready();
    let earlier = story.now.minus(Span::from_secs(1));
    story.reads_pull(7, |pull| {
        pull.state = PullState::Closed;
        pull.read_at = earlier;
    });
    assert_eq!(story.wants(7), "merge:#107:commit-a");
}

#[test]
fn a_refused_merge_is_looked_at_again_and_bounded() {
    let mut story = ready();
    for refused in 1..=5 {
        story.refuses("merge:");
        assert_eq!(story.run(7).spent.of(Bound::MERGE_REFUSALS), refused);
        if refused < 5 {
            assert_eq!(story.stands(7), "in-progress: waits until the forge can merge it");
            assert_eq!(story.wants(7), "", "not before it was read again");
            story.reads_pull(7, |_| {});
            assert_eq!(story.wants(7), "merge:#107:commit-a");
        }
    }
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The forge keeps refusing the merge.");
}

#[test]
fn refused_pushes_and_pull_requests_are_bounded() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::DevexReview);
    story.ends(7, story.success(7, Step::DevexReview));
    let mut refused_pull = story.clone();
    story.refuses("push:");
    // The branch may have moved at the forge, so the worktree looks there first.
    let found = workspace(&story, 7, story.run(7).head.clone());
    story.ends(7, found);
    story.refuses("push:");
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The branch could not be pushed.");
    refused_pull.performs("push:");
    refused_pull.refuses("pull:");
    refused_pull.refuses("pull:");
    assert_snapshot!(refused_pull.stands(7), @"escalated: needs a person: The pull request could not be opened.");
}

#[test]
fn a_change_of_ci_files_alone_needs_a_label_that_says_so() {
    for (label, is_published) in
        [("bug", false), ("decide", false), ("CI", true), ("area: build", true), ("infra/x", true)]
    {
        let mut story = Story::plain();
        story.sees(7, &[label]);
        story.queued(7);
        story.reaches(7, Step::Implement);
        let ci_only = ralph_core::run::Head { ci_only: true, ..head("a") };
        story.finishes(7, crate::outside::turn(ralph_core::fact::Answer::Changed(ci_only)));
        assert_eq!(story.managed(7).work.is_some(), is_published, "{label}: {}", story.stands(7));
        if !is_published {
            assert!(story.stands(7).starts_with("escalated"), "{label}: {}", story.stands(7));
            continue;
        }
        for step in [Step::Preflight, Step::ProductReview, Step::DevexReview] {
            story.finishes(7, story.success(7, step));
        }
        assert!(story.run(7).pull.is_some(), "{label}: {}", story.stands(7));
        story.sees_issue(7, |seen| seen.labels.retain(|known| &**known != label));
        story.passes_checks(7.key());
        assert!(story.stands(7).starts_with("escalated"), "{label} is gone: {}", story.stands(7));
    }
}

#[test]
fn an_escalated_issue_whose_pull_request_a_person_merges_is_in_the_bot_branch() {
    let mut story = published();
    story.reads_pull(7, |pull| pull.mergeable = Mergeable::Blocked);
    story.reads_checks(7, &[("ci", "success")]);
    story.passes(Span::from_mins(45));
    story.settles();
    assert!(story.stands(7).starts_with("escalated"), "{}", story.stands(7));
    let watch = Watch { resource: Resource::Pull(7.key(), PullNumber(107)), pace: Pace::Normal };
    assert!(story.decision(7).watch.contains(&watch), "{:?}", story.decision(7).watch);
    let merged = PullState::Merged { commit: Sha::new("by-hand") };
    let mut elsewhere = story.clone();
    elsewhere.reads_pull(7, |pull| {
        pull.base = Branch::new("release");
        pull.state = merged.clone();
    });
    assert!(elsewhere.stands(7).starts_with("escalated"), "merged to another branch");
    elsewhere.sees_issue(7, |seen| seen.open = false);
    assert_eq!(elsewhere.stands(7), "stopped: stopped: the issue was closed");
    story.reads_pull(7, |pull| pull.state = merged);
    assert_eq!(story.stands(7), "in-bot: in the bot branch, waits for the next rollup");
}

#[test]
fn an_escalated_issue_whose_pull_request_a_person_merges_past_the_bot_branch_is_done() {
    let mut story = published();
    story.reads_branches("main-1", Some("bot-1"));
    story.reads_pull(7, |pull| pull.base = Branch::new("main"));
    assert!(story.stands(7).starts_with("escalated"), "{}", story.stands(7));
    story.settles();
    story.reads_pull(7, |pull| {
        pull.base = Branch::new("main");
        pull.state = PullState::Merged { commit: Sha::new("merge-7") };
    });
    // The forge closes the issue, because its pull request says that it fixes it.
    story.sees_issue(7, |seen| seen.open = false);
    reaches_default(&mut story, 7);
    assert!(story.stands(7).starts_with("done"), "{}", story.stands(7));
}

#[test]
fn a_stopped_issue_whose_pull_request_a_person_merges_stays_stopped() {
    let mut story = published();
    story.ordered(7, Command::Stop);
    story.settles();
    story.reads_pull(7, |pull| pull.state = PullState::Merged { commit: Sha::new("by-hand") });
    assert_eq!(story.stands(7), "stopped: stopped by command");
}

/// An action of a person, by name.
type Wish = (&'static str, fn(&mut Story));

#[test]
fn a_merge_in_flight_that_took_place_wins_over_what_people_wanted_meanwhile() {
    let wishes: [Wish; 6] = [
        ("closed", |story| story.sees_issue(7, |seen| seen.open = false)),
        ("stopped", |story| story.ordered(7, Command::Stop)),
        ("paused", |story| story.ordered(7, Command::Pause)),
        ("parked", |story| {
            story.sees(3, &[]);
            story.blocks_in_body(7, &["acme/app#3"]);
        }),
        ("escalated over its base", |story| {
            story.reads_pull(7, |pull| pull.base = Branch::new("main"));
        }),
        ("stopped and queued again", |story| {
            story.ordered(7, Command::Stop);
            story.ordered(7, Command::Queue);
        }),
    ];
    for (name, wish) in wishes {
        let mut story = ready();
        let merge = story.wanted().into_iter().find(|effect| effect.key().contains("merge"));
        wish(&mut story);
        assert!(!story.wants(7).contains("merge:"), "{name}: {}", story.wants(7));
        let fact = story.happens(&merge.expect("a merge"));
        story.tell(&fact);
        story.settles();
        assert!(story.stands(7).starts_with("in-bot"), "{name}: {}", story.stands(7));
    }
}

#[test]
fn a_merge_in_flight_that_never_took_place_changes_nothing_for_a_closed_issue() {
    let mut story = ready();
    let merge = story.wanted().into_iter().find(|effect| effect.key().contains("merge"));
    story.sees_issue(7, |seen| seen.open = false);
    story.tell(&merge.expect("a merge").refused("conflict"));
    story.settles();
    assert_eq!(story.stands(7), "stopped: stopped: the issue was closed");
}

/// A person closed the pull request, Ralph asked, and a person queued the issue again.
fn closed_and_queued() -> Story {
    let mut story = Story::at_checks();
    story.reads_pull(7, |pull| pull.state = PullState::Closed);
    story.settles();
    story.passes(Span::from_mins(2));
    story.ordered(7, Command::Queue);
    story.settles();
    story.finishes(7, workspace(&story, 7, Some(head("a"))));
    story
}

#[test]
fn a_closed_pull_request_gets_a_successor_once_the_issue_is_queued_again() {
    let mut story = closed_and_queued();
    assert_eq!(story.run(7).pull.map(|pull| pull.0), Some(107), "it may be open again by now");
    story.reads_pull(7, |pull| pull.state = PullState::Closed);
    assert_eq!(story.wants(7), "push:commit-a", "its branch may have gone with it");
    story.performs(":push:");
    assert_eq!(story.wants(7), "pull:ralph/issue-7-issue-7:bot/integration:after-#107");
    let opened = PullNumber(110);
    let settled = Settled::Run(RunSettled::PullOpened { number: opened, head: None });
    story.tell(&Fact::of(7.key(), What::Settled(settled)));
    assert_eq!(story.run(7).pull, Some(opened));
    story.reads_pull(7, |pull| (pull.number, pull.state) = (opened, PullState::Open));
    story.reads_pull(7, |pull| (pull.number, pull.state) = (opened, PullState::Closed));
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The pull request was closed without being merged.");
}

#[test]
fn a_pull_request_that_was_opened_again_goes_on() {
    let mut story = closed_and_queued();
    story.reads_pull(7, |pull| pull.state = PullState::Open);
    story.reads_pull(7, |pull| pull.state = PullState::Closed);
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The pull request was closed without being merged.");
}
