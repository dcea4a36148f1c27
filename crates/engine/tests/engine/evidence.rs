//! Issues that a label calls merged or done although the store knows nothing about them: the evidence decides.

use crate::hand_forge::BOT;
use crate::harness::{Harness, key};
use ralph_core::escalation::Cause;
use ralph_core::ids::{Branch, PullNumber, Sha};
use ralph_core::issue::{DoneEvidence, Phase};
use ralph_core::pull::PullState;
use ralph_engine::ports::{NewPull, TimelineEntry};

/// A merged pull request from one branch to another. Its head is `head-1`, that of a rollup `bot-1`.
fn merged(harness: &mut Harness, who: &str, from: &str, to: &str) -> u64 {
    let (head, base) = (&Branch::new(from), &Branch::new(to));
    let pull = harness.forge.proposes(who, &NewPull { head, base, title: "", body: "" });
    harness.forge.merges(pull.number.0);
    pull.number.0
}

fn own(harness: &mut Harness) -> u64 {
    merged(harness, BOT, "ralph/issue-7-add-a-flag", "bot/integration")
}

/// Records that a head of the default branch, the bot branch or a rollup contains a commit.
fn holds(harness: &mut Harness, head: &str, commit: &str) {
    harness.forge.holds.insert((Sha::new(head), Sha::new(commit)));
}

/// The phase of an issue that was adopted with this label.
fn adopted(label: &str, prepare: impl FnOnce(&mut Harness)) -> Phase {
    let mut harness = Harness::in_memory();
    harness.forge.opens(&key(7), "Add a flag", "");
    harness.forge.labels(&key(7), label);
    prepare(&mut harness);
    harness.reads();
    harness.managed(7).phase.clone()
}

fn is_without_evidence(phase: &Phase) -> bool {
    matches!(phase, Phase::Escalated { cause: Cause::NoEvidence, .. })
}

fn done(phase: Phase) -> Option<DoneEvidence> {
    let Phase::Done { evidence, .. } = phase else { return None };
    Some(evidence)
}

fn sha(text: &str) -> Sha {
    Sha::new(text)
}

#[test]
fn a_label_alone_proves_nothing() {
    for label in ["ralph:status:in-bot", "ralph:status:done", "ralph:done"] {
        assert!(is_without_evidence(&adopted(label, |_| {})), "{label}");
        let open = adopted(label, |harness| {
            let number = own(harness);
            harness.forge.pulls.get_mut(&number).unwrap().state = PullState::Open;
            holds(harness, "main-1", "head-1");
        });
        assert!(is_without_evidence(&open), "{label}: not merged");
        let nowhere = adopted(label, |harness| {
            own(harness);
        });
        assert!(is_without_evidence(&nowhere), "{label}: merged, and on no branch by now");
    }
}

#[test]
fn the_pull_request_of_its_own_branch_counts_for_where_its_merge_is() {
    let (merged, default_head) = (sha("merge-50"), sha("main-1"));
    let in_bot = adopted("ralph:status:done", |harness| {
        own(harness);
        holds(harness, "bot-1", "merge-50");
    });
    let expected = Phase::InBot {
        pull: PullNumber(50),
        merged: merged.clone(),
        batch: 0,
        manual_checks: Vec::new(),
    };
    assert_eq!(in_bot, expected, "the label was ahead");
    let there = adopted("ralph:status:in-bot", |harness| {
        own(harness);
        holds(harness, "main-1", "merge-50");
    });
    let reachable = DoneEvidence::Reachable { merged: merged.clone(), default_head };
    assert_eq!(done(there), Some(reachable), "the label was behind");
    let by_head = adopted("ralph:status:done", |harness| {
        own(harness);
        holds(harness, "main-1", "head-1");
    });
    let (head, default_head) = (sha("head-1"), sha("main-1"));
    assert_eq!(done(by_head), Some(DoneEvidence::HeadReachable { head, merged, default_head }));
}

#[test]
fn a_rollup_that_contained_it_counts_whoever_opened_it_and_however_it_was_merged() {
    let squashed = adopted("ralph:status:in-bot", |harness| {
        own(harness);
        merged(harness, "alice", "bot/integration", "main");
        holds(harness, "bot-1", "merge-50");
        holds(harness, "main-1", "merge-51");
    });
    let (rollup, merged, default_head) = (PullNumber(51), sha("merge-50"), sha("main-1"));
    let expected = DoneEvidence::RolledUp { rollup, merged, default_head };
    assert_eq!(done(squashed), Some(expected));
}

#[test]
fn a_merged_pull_request_of_a_person_counts_if_its_text_closes_the_issue() {
    for (body, counts) in [("Fixes #7", true), ("See #7", false), ("Fixes #70", false)] {
        let phase = adopted("ralph:status:done", |harness| {
            let number = PullNumber(merged(harness, "alice", "alice/flag", "main"));
            let body = body.to_owned();
            harness.forge.timeline = vec![TimelineEntry::MergedPull { number, body }];
            holds(harness, "main-1", "merge-50");
        });
        assert_eq!(done(phase.clone()).is_some(), counts, "{body}");
        assert_eq!(is_without_evidence(&phase), !counts, "{body}");
    }
}

#[test]
fn the_commit_that_closed_it_counts_while_it_is_on_the_default_branch() {
    for (head, counts) in [("main-1", true), ("bot-1", false)] {
        let phase = adopted("ralph:status:done", |harness| {
            harness.forge.timeline = vec![TimelineEntry::ClosedBy { commit: sha("by-hand") }];
            holds(harness, head, "by-hand");
        });
        assert_eq!(done(phase).is_some(), counts, "{head}");
    }
}
