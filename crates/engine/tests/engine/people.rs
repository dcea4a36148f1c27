//! Requests to continue an escalated issue: by whom and in which way they are accepted.

use crate::hand_forge::{BOT, QUEUED, STRANGER, TRIAGER};
use crate::harness::{Harness, key};
use ralph_core::fold::READ_LAG;
use ralph_core::ids::{Branch, RepoName};
use ralph_core::issue::{Phase, Slot};
use ralph_core::time::Span;
use ralph_core::words;
use ralph_engine::ports::ClosedBy;

const WRITER: &str = "alice";
const QUEUE: &str = "ralph:cmd:queue";
const RESOLVED: &str = "RALPH RESOLVED: go on";

/// A person's action.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Says(&'static str),
    /// Before the escalation was posted.
    SaidBefore(&'static str),
    /// Writes something else first, then edits it into this.
    EditsInto(&'static str),
    /// With the marker of the escalation's comment.
    SaysWithMarker(&'static str),
    Labels(&'static str),
    LabelsAndTakesBack(&'static str),
}

/// Issue 7 is escalated.
fn escalated(who: &str, deed: Deed) -> Harness {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Add a flag", "");
    harness.forge.labels(&key(7), "ralph:status:escalated");
    harness.reads();
    if let Deed::SaidBefore(text) = deed {
        harness.forge.says(who, &key(7), text);
    }
    harness.works_off();
    assert!(is_escalated(&harness));
    harness
}

fn is_escalated(harness: &Harness) -> bool {
    matches!(harness.managed(7).phase, Phase::Escalated { .. })
}

fn does(harness: &mut Harness, who: &str, deed: Deed) {
    let issue = key(7);
    match deed {
        Deed::Says(text) => {
            harness.forge.says(who, &issue, text);
        }
        Deed::SaidBefore(_) => {}
        Deed::EditsInto(text) => {
            let id = harness.forge.says(who, &issue, "Let me think.");
            harness.later(Span::from_secs(10));
            harness.forge.rewords(id, text);
        }
        Deed::SaysWithMarker(text) => {
            let marker = words::marker(&issue, &Slot::Escalation { episode: 1 });
            harness.forge.says(who, &issue, &format!("{text}\n{}", marker.render()));
        }
        Deed::Labels(label) => harness.forge.person_labels(who, &issue, label, true),
        Deed::LabelsAndTakesBack(label) => {
            harness.forge.person_labels(who, &issue, label, true);
            harness.forge.person_labels(who, &issue, label, false);
            // Another label makes Ralph read the events.
            harness.forge.labels(&issue, "ralph:cmd:satisfy");
        }
    }
}

#[test]
fn who_says_what_decides_whether_an_escalation_is_resolved() {
    use Deed::{EditsInto, Labels, LabelsAndTakesBack, SaidBefore, Says, SaysWithMarker};
    let quoted = "> RALPH RESOLVED: says who?\n\nI do not think so.";
    let fenced = "Write this:\n```\nRALPH RESOLVED: your answer\n```";
    for (who, deed, is_heard) in [
        (STRANGER, Says(RESOLVED), false),
        (TRIAGER, Says(RESOLVED), false),
        (WRITER, Says(RESOLVED), true),
        (BOT, Says(RESOLVED), true),
        (WRITER, Says(quoted), false),
        (BOT, Says(quoted), false),
        (WRITER, Says(fenced), false),
        (WRITER, SaidBefore(RESOLVED), false),
        (BOT, SaidBefore(RESOLVED), false),
        (WRITER, EditsInto(RESOLVED), false),
        (BOT, EditsInto(RESOLVED), false),
        (STRANGER, SaysWithMarker(RESOLVED), false),
        (WRITER, SaysWithMarker(RESOLVED), true),
        (BOT, SaysWithMarker(RESOLVED), false),
        (STRANGER, Labels(QUEUE), false),
        (TRIAGER, Labels(QUEUE), true),
        (WRITER, Labels(QUEUE), true),
        (BOT, Labels(QUEUE), true),
        (STRANGER, Labels(QUEUED), false),
        (TRIAGER, Labels(QUEUED), true),
        (WRITER, Labels(QUEUED), true),
        (BOT, Labels(QUEUED), true),
        (WRITER, LabelsAndTakesBack(QUEUE), false),
        (BOT, LabelsAndTakesBack(QUEUE), false),
        (WRITER, LabelsAndTakesBack(QUEUED), false),
        (BOT, LabelsAndTakesBack(QUEUED), false),
    ] {
        let mut harness = escalated(who, deed);
        harness.later(Span::from_secs(30));
        does(&mut harness, who, deed);
        harness.hears_of(&key(7));
        assert_eq!(!is_escalated(&harness), is_heard, "{who}: {deed:?}");
        (0..8).for_each(|_| harness.round());
        assert_eq!(!is_escalated(&harness), is_heard, "{who}: {deed:?}, four minutes later");
    }
}

#[test]
fn an_answer_in_the_first_minute_is_heard_although_our_clock_is_ahead() {
    for minutes in [0, 1, 5, 20] {
        let mut harness = Harness::new();
        harness.ahead = Span::from_mins(minutes);
        harness.later(Span::from_mins(minutes));
        harness.forge.opens(&key(7), "Add a flag", "");
        harness.forge.labels(&key(7), "ralph:status:escalated");
        harness.reads();
        harness.works_off();
        harness.later(Span::from_secs(30));
        harness.forge.says(WRITER, &key(7), RESOLVED);
        harness.reads();
        assert!(!is_escalated(&harness), "{minutes} minutes ahead");
    }
}

#[test]
fn a_title_is_kept_as_one_bounded_line_without_secrets() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), &format!("Use {token}\nand\u{1b}[31m go on"), "");
    harness.forge.opens(&key(8), &"long ".repeat(1_000), "");
    harness.reads();
    let (short, long) = (harness.issue(7).title(), harness.issue(8).title());
    assert!(short.starts_with("Use ") && short.ends_with(" and go on"), "{short}");
    assert!(!short.contains(&token) && !short.contains('\n'), "{short}");
    assert!(long.len() <= 500 && !long.contains('\n'), "{long}");
}

#[test]
fn a_queued_label_of_somebody_who_may_not_ask_comes_off_with_a_word_on_why() {
    for is_open in [true, false] {
        let mut harness = Harness::new();
        harness.forge.opens(&key(7), "Add a flag", "");
        if !is_open {
            harness.forge.rewrites(&key(7), &[], false, "");
        }
        harness.forge.person_labels(STRANGER, &key(7), QUEUED, true);
        harness.reads();
        (0..8).for_each(|_| harness.round());
        let shown = harness.forge.shown(&key(7));
        assert!(shown.labels.is_empty(), "open {is_open}: {:?}", shown.labels);
        let said: Vec<_> = harness.forge.comments.iter().map(|(_, it)| it.body.as_str()).collect();
        assert!(said.concat().contains("was refused"), "open {is_open}: {said:?}");
    }
}

#[test]
fn an_issue_that_a_commit_of_ralphs_own_closed_goes_on_and_one_that_a_person_closed_is_stopped() {
    let by = |branch: &str| ClosedBy::Commit(vec![(key(7).repo, Branch::new(branch))]);
    let foreign = RepoName::parse("mallory/lib").unwrap();
    for (closed_by, is_stopped) in [
        (by("bot/integration"), false),
        (by("ralph/issue-2-x"), false),
        (by("ralph/sync-0123456789"), true),
        (by("mia/x"), true),
        (ClosedBy::Commit(vec![(foreign, Branch::new("ralph/issue-2-x"))]), true),
        (ClosedBy::Commit(Vec::new()), true),
        (ClosedBy::Untold, true),
        (ClosedBy::Person, true),
    ] {
        let mut harness = crate::whole_run::begun();
        harness.forge.closers.insert(key(7), closed_by.clone());
        harness.later(Span::from_secs(10));
        harness.forge.closes(&key(7));
        let is = |harness: &Harness| matches!(harness.managed(7).phase, Phase::Stopped { .. });
        harness.hears_of(&key(7));
        assert_eq!(is(&harness), closed_by == ClosedBy::Person, "{closed_by:?}: more may show up");
        harness.later(READ_LAG);
        harness.hears_of(&key(7));
        assert_eq!(is(&harness), is_stopped, "{closed_by:?}: {:?}", harness.managed(7).phase);
    }
}
