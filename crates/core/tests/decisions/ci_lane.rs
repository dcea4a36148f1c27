//! The CI-debug lane: the agent that repairs a red check, its number of attempts, and the comments during and after
//! them.

use crate::outside::{changed, failed, in_session, turn, workspace};
use crate::red_checks::{ASSERTION, escalation, red, turns_red};
use crate::story::{Story, Which};
use insta::assert_snapshot;
use ralph_core::command::Command;
use ralph_core::fact::Answer;
use ralph_core::issue::Slot;
use ralph_core::job::Role;
use ralph_core::lane::{How, Lane};
use ralph_core::recipe::Recipe;
use ralph_core::run::Head;
use ralph_core::steps::Step;

const OTHER: &str = "error[E0308]: mismatched types\n --> src/a.rs:1:2\n";
const THIRD: &str = "error[E0425]: cannot find value `x` in this scope\n --> src/a.rs:1:2\n";

/// The attempt under way pushes a commit, and its check is red again with this log.
fn ends_red(story: &mut Story, log: &str) {
    story.reaches(7, Step::Checks);
    turns_red(story);
    story.reads_log(7, "ci", log);
}

/// Returns the comment of the lane that is desired now.
fn comment(story: &Story) -> Option<String> {
    story.wanted_comment(&Slot::Lane { lane: Lane::CiDebug })
}

fn attempts(story: &Story) -> Vec<(String, How)> {
    let attempts = story.managed(7).lanes.attempts(Lane::CiDebug).iter();
    attempts.map(|attempt| (attempt.run.to_string(), attempt.how)).collect()
}

#[test]
fn a_regression_goes_back_to_the_session_that_made_it_and_then_to_dedicated_runs() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Implement);
    story.finishes(7, in_session(changed("a"), "s1"));
    story.reaches(7, Step::Checks);
    turns_red(&mut story);
    story.told();
    story.reads_log(7, "ci", ASSERTION);
    let resumed = story.wanted_turn().expect("a turn");
    assert_eq!((resumed.role, resumed.session.as_deref()), (Role::Implement, Some("s1")));
    assert_eq!(resumed.path, story.run(7).workspace.as_ref().expect("a worktree").path);
    let told = resumed.feedback.unwrap_or_default();
    for part in ["- ci", "#107", "commit-a", "bot/integration", "left: 3"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }

    ends_red(&mut story, OTHER);
    assert_eq!(attempts(&story), [("7-1".to_owned(), How::Resume), ("7-2".to_owned(), How::Spawn)]);
    let (run, before) = (story.run(7), resumed.path);
    assert_eq!((run.recipe, &run.session, &run.workspace), (Recipe::CiDebug, &None, &None));
    assert!(run.plan.is_some() && run.pull.is_some(), "{run:?}");
    story.settles();
    story.finishes(7, workspace(&story, 7, Some(crate::outside::head("a"))));
    story.told();
    let turn = story.wanted_turn();
    assert!(turn.is_none(), "it is under way: {turn:?}");
    assert_eq!(story.stands(7), "in-progress: running repair, until 2026-01-05 09:32:00Z at most");
    assert_ne!(story.run(7).workspace.as_ref().expect("a worktree").path, before);

    story.merges(7);
    assert!(story.stands(7).starts_with("in-bot: "), "{}", story.stands(7));
}

#[test]
fn a_dedicated_run_is_told_what_failed_and_plans_nothing() {
    let mut story = red();
    story.reads_log(7, "ci", ASSERTION);
    ends_red(&mut story, OTHER);
    story.performs(":start:");
    story.told();
    story.ends(7, workspace(&story, 7, Some(crate::outside::head("a"))));
    let turn = story.wanted_turn().expect("a turn");
    assert_eq!((turn.role, turn.session), (Role::CiDebug, None));
    assert!(turn.feedback.unwrap_or_default().contains("E0308"));
    story.settles();
    story.finishes(7, changed("b"));
    story.reaches(7, Step::Checks);
    let told = story.told();
    assert!(!told.contains("plan"), "{told}");
    for step in ["preflight", "product review", "devex review"] {
        assert!(told.contains(&format!("next step: {step}")), "{step} is not in {told}");
    }
}

#[test]
fn where_nothing_is_planned_the_one_who_repairs_hears_of_tests_that_were_changed() {
    let mut story = red();
    story.reads_log(7, "ci", ASSERTION);
    ends_red(&mut story, OTHER);
    story.settles();
    story.finishes(7, workspace(&story, 7, Some(crate::outside::head("a"))));
    let changes = Some(crate::outside::changes(&["tests/a.rs"]));
    let head = Head { changes, ..crate::outside::head("b") };
    story.finishes(7, turn(Answer::Changed(head)));
    story.finishes(7, story.success(7, Step::Preflight));
    story.finishes(7, crate::outside::commands_failed("tests/a.rs was edited"));
    assert!(story.stands(7).contains("running repair"), "{}", story.stands(7));
    assert!(story.run(7).plan.is_some());
}

#[test]
fn the_bound_of_the_lane_asks_a_person_with_every_attempt() {
    let mut story = red();
    for log in [ASSERTION, OTHER, THIRD] {
        story.reads_log(7, "ci", log);
        assert!(story.stands(7).starts_with("in-progress: "), "{}", story.stands(7));
        story.reaches(7, Step::Checks);
        turns_red(&mut story);
    }
    story.reads_log(7, "ci", ASSERTION);
    assert_eq!(
        story.stands(7),
        "escalated: needs a person: Required checks are still red after 3 attempts: ci."
    );
    let body = escalation(&story);
    let (told, packet) = body.split_once("\nWhat is missing").expect("a packet");
    assert_snapshot!(told, @"
    <!-- ralph-escalation:id=7-1 -->
    @ann Ralph needs a person here.

    **Required checks are still red after 3 attempts: ci.**

    `ci` looks like a regression: a test finds another value than it expects (signature `89b0a384d07c021f`).

    ```text
    ---- tests::adds stdout ----

    thread 'tests::adds' (7) panicked at src/lib.rs:18:9:
    assertion `left == right` failed
      left: 3
     right: 4
    note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
    ```

    What was tried:
    1. run 7-1, in the session that made the change, 2026-01-05 09:00:00Z: ci on commit-4 (signature `89b0a384d07c021f`)
    2. run 7-2, a dedicated run, 2026-01-05 09:00:00Z: ci on commit-8 (signature `d89af7f3860389e0`)
    3. run 7-3, a dedicated run, 2026-01-05 09:00:00Z: ci on commit-13 (signature `1102c0a762465608`)
    ");
    for field in [r#""class":"regression""#, r#""signature":"89b0a384d07c021f""#] {
        assert!(packet.contains(field), "{field} is not in {packet}");
    }
}

#[test]
fn two_attempts_that_end_alike_end_the_lane_early() {
    let mut story = red();
    story.reads_log(7, "ci", ASSERTION);
    ends_red(&mut story, &ASSERTION.replace(":18:9", ":20:9"));
    assert!(story.stands(7).starts_with("in-progress: "), "one may repeat what was there before");
    ends_red(&mut story, &ASSERTION.replace(":18:9", ":22:9"));
    assert_snapshot!(story.stands(7), @"escalated: needs a person: Required checks are still red after 2 attempts, the last two with the same failure: ci.");
}

#[test]
fn what_is_red_after_it_was_green_is_no_repetition() {
    let mut story = red();
    story.reads_log(7, "ci", ASSERTION);
    ends_red(&mut story, OTHER);
    story.reads_branches("main-0", Some("bot-1"));
    story.reaches(7, Step::Checks);
    story.passes_checks(7.key());
    story.reads_branches("main-0", Some("bot-2"));
    ends_red(&mut story, OTHER);
    assert!(story.stands(7).starts_with("in-progress: "), "{}", story.stands(7));
    assert_eq!(attempts(&story).len(), 3);
}

#[test]
fn an_attempt_that_comes_to_nothing_leaves_the_failure_as_it_was() {
    let mut story = red();
    story.reads_log(7, "ci", ASSERTION);
    story.settles();
    // Two of three turns were left, and one for the repair.
    for _ in 0..3 {
        assert_eq!(
            story.stands(7),
            "in-progress: running implement, until 2026-01-05 09:32:00Z at most"
        );
        story.finishes(7, turn(Answer::Unchanged));
    }
    assert_eq!(attempts(&story).len(), 2, "{}", story.stands(7));
    story.finishes(7, workspace(&story, 7, Some(crate::outside::head("a"))));
    for _ in 0..3 {
        assert!(story.stands(7).contains("running repair"), "{}", story.stands(7));
        story.finishes(7, failed("exit status 1"));
    }
    assert_snapshot!(story.stands(7), @"escalated: needs a person: Required checks are still red after 2 attempts, the last two with the same failure: ci.");
}

#[test]
fn the_lane_has_one_comment_that_is_edited() {
    let mut story = red();
    assert_eq!(comment(&story), None);
    story.reads_log(7, "ci", ASSERTION);
    assert_snapshot!(comment(&story).expect("a comment"), @"
    <!-- ralph-ci-debug:id=7 -->
    Ralph has the session that made the change make required checks green.

    Failing required checks of #107: 1
    - ci

    Base `bot/integration` at base, head `ralph/issue-7-issue-7` at commit-4.

    Attempts, of at most 3 in a row without a repair:
    1. run 7-1, in the session that made the change, 2026-01-05 09:00:00Z: ci on commit-4 (signature `89b0a384d07c021f`)
    ");
    story.settles();
    assert_eq!(comment(&story), None);
    ends_red(&mut story, OTHER);
    assert_snapshot!(comment(&story).expect("an edit"), @"
    <!-- ralph-ci-debug:id=7 -->
    Ralph is spawning a dedicated CI-debug run to make required checks green.

    Failing required checks of #107: 1
    - ci

    Base `bot/integration` at base, head `ralph/issue-7-issue-7` at commit-8.

    Attempts, of at most 3 in a row without a repair:
    1. run 7-1, in the session that made the change, 2026-01-05 09:00:00Z: ci on commit-4 (signature `89b0a384d07c021f`)
    2. run 7-2, a dedicated run, 2026-01-05 09:00:00Z: ci on commit-8 (signature `d89af7f3860389e0`)
    ");
    let wanted = story.wants(7);
    assert!(wanted.contains("comment-edit:"), "{wanted}");
    story.settles();
    story.reaches(7, Step::Checks);
    story.passes_checks(7.key());
    let said = comment(&story).unwrap_or_default();
    let first = said.lines().nth(1).unwrap_or_default();
    assert_eq!(first, "Required checks are green again.");
    assert!(said.ends_with(", repaired\n") && !said.contains("is spawning"), "{said}");
    story.settles();
    assert_eq!(comment(&story), None, "it was told");
}

#[test]
fn the_comment_says_when_a_person_is_asked_for_another_reason() {
    let mut story = red();
    story.reads_log(7, "ci", ASSERTION);
    story.settles();
    story.reaches(7, Step::Checks);
    story.reads_pull(7, |pull| pull.state = ralph_core::pull::PullState::Closed);
    let said = comment(&story).unwrap_or_default();
    assert!(said.contains("Ralph asks for a person for another reason."), "{said}");
}

#[test]
fn attempts_before_a_repair_do_not_count_against_what_is_red_later() {
    let mut story = red();
    for (log, bot) in [(ASSERTION, "bot-1"), (OTHER, "bot-2"), (THIRD, "bot-3"), (OTHER, "bot-4")] {
        story.reads_log(7, "ci", log);
        story.reaches(7, Step::Checks);
        story.passes_checks(7.key());
        story.reads_branches("main-0", Some(bot));
        story.reaches(7, Step::Checks);
        turns_red(&mut story);
    }
    story.reads_log(7, "ci", ASSERTION);
    assert!(story.stands(7).starts_with("in-progress: "), "{}", story.stands(7));
    assert_eq!(attempts(&story).len(), 5);
}

#[test]
fn only_queue_clears_the_attempts() {
    let mut story = red();
    story.reads_log(7, "ci", ASSERTION);
    story.settles();
    story.ordered(7, Command::Queue);
    assert_eq!(attempts(&story).len(), 1, "queue on an issue in progress does nothing");
    story.ordered(7, Command::Pause);
    assert_eq!(attempts(&story).len(), 1);
    story.ordered(7, Command::Stop);
    story.settles();
    assert_eq!(attempts(&story).len(), 1);
    story.ordered(7, Command::Queue);
    assert_eq!(attempts(&story).len(), 0);
}

#[test]
fn a_paused_issue_enters_no_lane_and_tells_of_none() {
    let mut story = red();
    story.ordered(7, Command::Pause);
    story.settles();
    story.reads_log(7, "ci", ASSERTION);
    assert_eq!(attempts(&story), []);
    assert_eq!(story.wants(7), "");
}

#[test]
fn attempts_are_read_back_as_they_were_stored() {
    let mut story = red();
    story.reads_log(7, "ci", ASSERTION);
    let issue = story.issue(7);
    let stored = serde_json::to_string(issue).expect("a row");
    let read: ralph_core::issue::Issue = serde_json::from_str(&stored).expect("an issue");
    assert_eq!(read, *issue);
    let before = stored.replacen("\"lanes\":", "\"lanes_of_tomorrow\":", 1);
    let read: ralph_core::issue::Issue = serde_json::from_str(&before).expect("an issue");
    assert!(read.managed.expect("managed").lanes.is_empty());
}
