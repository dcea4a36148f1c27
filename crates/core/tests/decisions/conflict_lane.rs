//! The merge-conflict lane: how a conflict is found, the agent that resolves it, its number of attempts, and the
//! comments.

use crate::outside::{changed, head, turn, workspace};
use crate::red_checks::escalation;
use crate::story::{Story, Which};
use insta::assert_snapshot;
use ralph_core::command::Command;
use ralph_core::fact::{Answer, ConflictAt, Outcome};
use ralph_core::gate::Gate;
use ralph_core::ids::Sha;
use ralph_core::issue::Slot;
use ralph_core::job::Role;
use ralph_core::lane::{Lane, LaneBook};
use ralph_core::pull::Mergeable;
use ralph_core::recipe::Recipe;
use ralph_core::steps::Step;
use ralph_core::time::Span;

/// The outcome of a failed merge of this base: the branch is at `commit-a`, and these files conflict.
fn conflict(story: &Story, base: &str, files: &[&str]) -> Outcome {
    let Outcome::WorkspaceReady { path, .. } = story.success(7, Step::Workspace) else {
        panic!("a workspace's success is a workspace")
    };
    let at =
        ConflictAt { path, base: Sha::new(base), head: head("a"), guidance: Default::default() };
    let files = files.iter().map(|file| (*file).to_owned()).collect();
    Outcome::WorkspaceConflict { files, at: Some(Box::new(at)) }
}

/// A run that waits for its checks, and that the forge cannot merge.
fn dirty() -> Story {
    let mut story = Story::at_checks();
    is_dirty(&mut story);
    story
}

fn is_dirty(story: &mut Story) {
    story.reads_pull(7, |pull| pull.mergeable = Mergeable::Dirty);
    story.settles();
}

/// The dedicated run under way finds the conflict in its own worktree.
fn sets_out(story: &mut Story, base: &str, files: &[&str]) {
    story.finishes(7, conflict(story, base, files));
    story.reaches(7, Step::Repair);
}

fn unresolved(files: &[&str]) -> Outcome {
    turn(Answer::Unresolved { files: files.iter().map(|file| (*file).to_owned()).collect() })
}

/// Returns the comment of the lane that is desired now.
fn comment(story: &Story) -> Option<String> {
    story.wanted_comment(&Slot::Lane { lane: Lane::MergeConflict })
}

#[test]
fn a_conflict_is_looked_for_in_the_worktree_and_resolved_by_a_run_of_its_own() {
    let mut story = dirty();
    assert_eq!(story.managed(7).work.as_ref().map(|work| work.step), Some(Step::Workspace));
    let before = story.run(7).workspace.as_ref().expect("a worktree").path.clone();
    story.ends(7, conflict(&story, "base-2", &["b.rs", "a.rs"]));
    assert_snapshot!(comment(&story).unwrap_or_default(), @"
    <!-- ralph-merge-conflict:id=7 -->
    Ralph merges the base into the branch in a dedicated run, resolves the conflicts, runs preflight and pushes; nothing is rebased or force-pushed.

    Conflicting files of #107: 2
    - b.rs
    - a.rs

    Base `bot/integration` at base-2, head `ralph/issue-7-issue-7` at commit-a.

    Attempts, of at most 2 in a row without a repair:
    1. run 7-2, a dedicated run, 2026-01-05 09:02:00Z: b.rs and 1 more on commit-a (signature `755c1fc98b0c97cf9cd3d917ad14bdfe`)
    ");
    let run = story.run(7);
    assert_eq!((run.id.run, run.recipe, &run.session), (2, Recipe::MergeConflict, &None));
    assert!(run.plan.is_some() && run.pull.is_some() && run.workspace.is_none(), "{run:?}");
    story.settles();

    story.ends(7, conflict(&story, "base-2", &["b.rs", "a.rs"]));
    let turn = story.wanted_turn().expect("a turn");
    assert_eq!((turn.role, turn.session), (Role::MergeConflict, None));
    assert_eq!((turn.merging, turn.base), (Some(Sha::new("base-2")), Sha::new("base-2")));
    assert_eq!(turn.head, Some(Sha::new("commit-a")));
    assert_ne!(turn.path, before, "a fresh worktree");
    let told = turn.feedback.unwrap_or_default();
    for part in ["commit-a", "bot/integration", "base-2", "- a.rs", "- b.rs", "2 in all"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    story.settles();

    story.told();
    story.finishes(7, changed("m"));
    assert!(!story.run(7).passed(Gate::Preflight) && !story.run(7).passed(Gate::ProductReview));
    story.reaches(7, Step::Checks);
    let told = story.told();
    for step in ["preflight", "product review", "devex review", "publish"] {
        assert!(told.contains(&format!("next step: {step}")), "{step} is not in {told}");
    }
    assert!(!told.contains("plan"), "{told}");
    story.reads_pull(7, |pull| pull.mergeable = Mergeable::Unknown);
    story.reads_checks(7, &[("ci", "success")]);
    assert_eq!(story.wants(7), "", "not before the forge says that it can be merged");
    story.passes_checks(7.key());
    story.settles();
    assert!(story.stands(7).starts_with("in-bot: "), "{}", story.stands(7));
}

#[test]
fn a_resolution_that_is_lost_with_its_worktree_is_made_again() {
    let mut story = dirty();
    story.finishes(7, conflict(&story, "base-2", &["a.rs"]));
    sets_out(&mut story, "base-2", &["a.rs"]);
    story.finishes(7, changed("m"));
    story.reaches(7, Step::Preflight);
    story.finishes(7, Outcome::WorkspaceLost { reason: "the mirror is gone".to_owned() });
    story.finishes(7, conflict(&story, "base-2", &["a.rs"]));
    let at = story.managed(7).work.as_ref().map(|work| work.step);
    assert_eq!(at, Some(Step::Repair), "{}", story.stands(7));
}

#[test]
fn what_turns_out_to_be_no_conflict_goes_on_with_the_base_merged_in() {
    let mut story = dirty();
    story.finishes(7, workspace(&story, 7, Some(head("m"))));
    story.merges(7);
    assert!(story.stands(7).starts_with("in-bot: "), "{}", story.stands(7));
    assert!(story.managed(7).lanes.is_empty());

    // The base was reset before the dedicated run began: nothing is left to resolve.
    let mut story = dirty();
    story.finishes(7, conflict(&story, "base-2", &["a.rs"]));
    story.finishes(7, workspace(&story, 7, Some(head("m"))));
    story.merges(7);
    assert!(story.stands(7).starts_with("in-bot: "), "{}", story.stands(7));
    assert_eq!(story.managed(7).lanes.attempts(Lane::MergeConflict).len(), 1);
}

#[test]
fn a_forge_that_sees_a_conflict_where_there_is_none_is_asked_twice() {
    let mut story = dirty();
    for _ in 0..2 {
        story.finishes(7, workspace(&story, 7, Some(head("a"))));
        assert!(story.stands(7).starts_with("in-progress: "), "{}", story.stands(7));
        story.passes(Span::from_mins(2));
        is_dirty(&mut story);
    }
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The forge says that the change conflicts with the bot branch, and git merged the two without a conflict, 2 times.");
    assert!(story.managed(7).lanes.is_empty(), "nothing was there to resolve");
    let body = escalation(&story);
    assert!(!body.contains("Which side of the conflict should win?"), "{body}");
}

#[test]
fn the_same_conflict_twice_asks_a_person_with_every_attempt() {
    let mut story = dirty();
    story.finishes(7, conflict(&story, "base-2", &["a.rs", "b.rs"]));
    for attempt in 1..=2 {
        assert_eq!(story.managed(7).lanes.attempts(Lane::MergeConflict).len(), attempt);
        sets_out(&mut story, "base-2", &["a.rs", "b.rs"]);
        for _ in 0..2 {
            story.finishes(7, unresolved(&["b.rs"]));
            let told = story.run(7).feedback.clone().unwrap_or_default();
            assert!(told.contains("these files are in conflict still: b.rs"), "{told}");
            assert!(story.stands(7).starts_with("in-progress: "), "{}", story.stands(7));
        }
        story.ends(7, unresolved(&["b.rs"]));
        if attempt == 1 {
            story.settles();
        }
    }
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The conflict with the bot branch remains after 2 attempts, the last two with the same failure: a.rs, b.rs.");
    let body = escalation(&story);
    for part in
        ["run 7-2", "run 7-3", "commit-a", "merge the base into the branch", "RALPH RESOLVED:"]
    {
        assert!(body.contains(part), "{part} is not in {body}");
    }
    assert!(comment(&story).is_some_and(|body| body.contains("tries no more")));
    story.settles();
    story.ordered(7, Command::Queue);
    assert!(story.managed(7).lanes.is_empty(), "queued again, it counts anew");
}

/// The attempt under way resolves the conflict with this base, and the branch is pushed.
fn resolves(story: &mut Story, base: &str) {
    story.finishes(7, conflict(story, base, &["a.rs"]));
    sets_out(story, base, &["a.rs"]);
    story.finishes(7, changed(base));
    story.reaches(7, Step::Checks);
    story.passes(Span::from_mins(2));
}

#[test]
fn what_was_resolved_does_not_count_against_the_next_conflict() {
    let mut story = dirty();
    for base in ["base-2", "base-3", "base-4"] {
        resolves(&mut story, base);
        let book = story.managed(7).lanes.book(Lane::MergeConflict);
        assert!(book.is_some_and(LaneBook::is_repaired), "it was pushed");
        story.settles();
        is_dirty(&mut story);
    }
    story.finishes(7, conflict(&story, "base-5", &["a.rs"]));
    let book = story.managed(7).lanes.book(Lane::MergeConflict).expect("a book");
    assert_eq!((book.attempts.len(), book.in_vain()), (4, 1), "{}", story.stands(7));

    // Two failed attempts at the same conflict count as two.
    for _ in 0..2 {
        sets_out(&mut story, "base-5", &["a.rs"]);
        for _ in 0..3 {
            story.finishes(7, unresolved(&["a.rs"]));
        }
    }
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The conflict with the bot branch remains after 2 attempts, the last two with the same failure: a.rs.");
}

#[test]
fn another_base_that_is_merged_without_a_conflict_is_another_look() {
    let mut story = dirty();
    for base in ["base-2", "base-3", "base-4", "base-5"] {
        let Outcome::WorkspaceReady { path, .. } = workspace(&story, 7, None) else {
            panic!("a workspace's success is a workspace")
        };
        let head = Some(head(base));
        story.finishes(
            7,
            Outcome::WorkspaceReady {
                path,
                base: Sha::new(base),
                head,
                guidance: Default::default(),
            },
        );
        story.reaches(7, Step::Checks);
        assert!(story.stands(7).starts_with("in-progress: "), "{}", story.stands(7));
        story.passes(Span::from_mins(2));
        is_dirty(&mut story);
    }
    assert!(story.stands(7).starts_with("in-progress: "), "{}", story.stands(7));
}

#[test]
fn the_lane_waits_while_a_person_has_paused_it_and_ends_when_it_is_stopped() {
    let mut story = dirty();
    story.ordered(7, Command::Pause);
    story.finishes(7, conflict(&story, "base-2", &["a.rs"]));
    assert!(story.managed(7).lanes.is_empty() && story.managed(7).work.is_none());
    story.ordered(7, Command::Stop);
    story.settles();
    assert!(story.managed(7).lanes.is_empty());
}

#[test]
fn a_branch_whose_plan_nobody_reviewed_is_left_to_a_person() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Workspace);
    story.finishes(7, conflict(&story, "base-2", &["a.rs"]));
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The change conflicts with the bot branch, and no reviewed plan says what it is to be.");
}
