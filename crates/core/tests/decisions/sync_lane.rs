//! A sync pull request that conflicts with the bot branch passes through the conflict lane and then continues.

use crate::outside::{changed, head, turn};
use crate::red_checks::escalation_of;
use crate::story::{Story, Which, repo};
use crate::sync::{APP, body_of, checks, opened, reads, sync};
use ralph_core::command::{Command, Manner};
use ralph_core::digest::Digest;
use ralph_core::fact::{Answer, ConflictAt, Observation, Outcome};
use ralph_core::fold::READ_LAG;
use ralph_core::ids::{Branch, Sha};
use ralph_core::issue::{CommandId, CommandVia, PendingCommand, Phase, Slot};
use ralph_core::job::Role;
use ralph_core::lane::Lane;
use ralph_core::pull::{CheckState, Mergeable, Pull, PullState};
use ralph_core::recipe::Recipe;
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::watch::{Pace, Resource};

/// The number of the sync pull request.
const SYNC: u64 = 902;

fn dirty() -> Story {
    let mut story = opened(Story::plain());
    reads(&mut story, |pull| pull.mergeable = Mergeable::Dirty);
    story
}

/// The sync pull request was read like an issue and taken up.
fn taken_up() -> Story {
    let mut story = dirty();
    story.sees_issue(SYNC, |seen| seen.is_pull = Some(true));
    story
}

/// The worktree cannot merge the bot branch.
fn conflict(story: &Story) -> Outcome {
    conflict_of(story, SYNC)
}

fn conflict_of(story: &Story, number: u64) -> Outcome {
    let Outcome::WorkspaceReady { path, .. } = story.success(number, Step::Workspace) else {
        panic!("a workspace's success is a workspace")
    };
    let at =
        ConflictAt { path, base: Sha::new("bot-5"), head: head("s"), guidance: Default::default() };
    Outcome::WorkspaceConflict { files: vec!["a.rs".to_owned()], at: Some(Box::new(at)) }
}

/// Every attempt at the conflict fails.
fn spends_the_lane(story: &mut Story, number: u64) {
    for _ in 0..2 {
        story.finishes(number, conflict_of(story, number));
        for _ in 0..3 {
            let open = Answer::Unresolved { files: vec!["a.rs".to_owned()] };
            story.ends(number, turn(open));
            if matches!(story.managed(number).phase, Phase::Running { .. }) {
                story.settles();
            }
        }
    }
    let phase = &story.managed(number).phase;
    assert!(matches!(phase, Phase::Escalated { .. }), "{}", story.stands(number));
}

/// Every gate of the lane has passed the resolution, and it is pushed.
fn resolved() -> Story {
    let mut story = taken_up();
    story.settles();
    story.finishes(SYNC, conflict(&story));
    story.finishes(SYNC, conflict(&story));
    story.finishes(SYNC, changed("m"));
    for step in [Step::Preflight, Step::ProductReview, Step::DevexReview] {
        story.finishes(SYNC, story.success(SYNC, step));
    }
    assert_eq!(story.managed(SYNC).phase, Phase::Out, "{}", story.stands(SYNC));
    story
}

/// Sets the head that the lane pushed.
fn as_pushed(pull: &mut Pull) {
    pull.head = Sha::new("commit-m");
    pull.checks = Some(checks(&pull.head, CheckState::Pass));
}

#[test]
fn it_is_resolved_by_a_run_and_merged_once_its_checks_are_green() {
    let mut story = dirty();
    assert_eq!(story.wants_of_repo(APP), "", "no person is asked yet");
    assert!(story.repo_stands(APP).contains("its conflict is being resolved"));
    let resource = Resource::Issue(SYNC.key());
    let watch = &story.repo_decision(APP).watch;
    assert!(watch.iter().any(|it| it.resource == resource && it.pace == Pace::Soon), "{watch:?}");
    story.sees_issue(SYNC, |seen| seen.is_pull = Some(true));
    assert_eq!(story.stands(SYNC), "in-progress: starting workspace");
    let branch = story.run(SYNC).branch.to_string();
    assert_eq!((story.run(SYNC).recipe, branch.as_str()), (Recipe::Sync, "ralph/sync-main-5"));

    story.settles();
    story.ends(SYNC, conflict(&story));
    let comment = story.wanted_comment(&Slot::Lane { lane: Lane::MergeConflict });
    assert!(comment.is_some_and(|said| said.contains("- a.rs")), "on the pull request itself");
    assert_eq!(story.run(SYNC).recipe, Recipe::SyncConflict);
    story.settles();
    story.ends(SYNC, conflict(&story));
    let turn = story.wanted_turn().expect("a turn");
    assert_eq!((turn.role, turn.merging), (Role::MergeConflict, Some(Sha::new("bot-5"))));
    story.settles();
    story.told();
    story.finishes(SYNC, changed("m"));
    assert_eq!(story.managed(SYNC).work.as_ref().map(|work| work.step), Some(Step::Preflight));
    for step in [Step::Preflight, Step::ProductReview, Step::DevexReview] {
        story.finishes(SYNC, story.success(SYNC, step));
    }
    assert_eq!(story.managed(SYNC).phase, Phase::Out, "{}", story.stands(SYNC));
    assert!(story.managed(SYNC).worktrees.is_empty(), "its worktrees are gone");
    let open = sync(&story).open.clone().expect("an open sync pull request");
    assert_eq!((open.own_head().as_str(), open.of.as_str()), ("commit-m", "main-5"));
    assert_eq!(story.wants_of_repo(APP), "", "its checks run");
    let said = story.managed(SYNC).comments[&Slot::Lane { lane: Lane::MergeConflict }].clone();
    assert!(story.wanted_comment(&Slot::Lane { lane: Lane::MergeConflict }).is_none());
    reads(&mut story, as_pushed);
    assert_eq!(story.wants_of_repo(APP), "sync-merge:#902");
    story.settles();
    assert!(sync(&story).open.is_none());
    let now = &story.managed(SYNC).comments[&Slot::Lane { lane: Lane::MergeConflict }];
    assert_eq!(now.body, said.body, "it says that the conflict is resolved, and no more");
}

#[test]
fn its_comment_follows_what_became_of_the_conflict() {
    let slot = Slot::Lane { lane: Lane::MergeConflict };
    let told = |story: &Story| story.wanted_comment(&slot).unwrap_or_default();
    let mut story = taken_up();
    story.settles();
    story.ends(SYNC, conflict(&story));
    assert!(told(&story).contains("Ralph merges the base into the branch"), "{}", told(&story));
    story.settles();
    story.ends(SYNC, conflict(&story));
    story.settles();
    story.finishes(SYNC, changed("m"));
    for step in [Step::Preflight, Step::ProductReview] {
        story.finishes(SYNC, story.success(SYNC, step));
    }
    story.ends(SYNC, story.success(SYNC, Step::DevexReview));
    story.performs("push");
    assert_eq!(story.managed(SYNC).phase, Phase::Out, "{}", story.stands(SYNC));
    assert!(told(&story).contains("The conflict is resolved."), "{}", told(&story));
    // Closed by a person while the lane has it.
    let mut story = taken_up();
    story.settles();
    story.finishes(SYNC, conflict(&story));
    reads(&mut story, |pull| pull.state = PullState::Closed);
    assert_eq!(story.managed(SYNC).phase, Phase::Out, "{}", story.stands(SYNC));
    assert!(told(&story).contains("Ralph does nothing more here"), "{}", told(&story));
}

#[test]
fn it_goes_through_the_lane_again_when_it_conflicts_again() {
    let mut story = resolved();
    reads(&mut story, |pull| {
        as_pushed(pull);
        pull.mergeable = Mergeable::Dirty;
    });
    assert_eq!(story.run(SYNC).recipe, Recipe::Sync, "{}", story.stands(SYNC));
    assert!(matches!(story.managed(SYNC).phase, Phase::Running { .. }));
}

#[test]
fn what_the_lane_cannot_resolve_is_a_persons_on_the_pull_request_itself() {
    let mut story = taken_up();
    story.settles();
    story.finishes(SYNC, conflict(&story));
    spends_the_lane(&mut story, SYNC);
    assert!(story.repo_stands(APP).contains("needs a person"));
    assert_eq!(story.wants_of_repo(APP), "", "one comment asks, and that is the escalation's");
    assert!(escalation_of(&story, SYNC).contains("ralph-escalation:id=902-1"));
    story.settles();
    story.ordered(SYNC, Command::Queue);
    assert!(matches!(story.managed(SYNC).phase, Phase::Running { .. }), "{}", story.stands(SYNC));
}

#[test]
fn it_has_no_plan_to_begin_afresh_with() {
    let mut story = taken_up();
    story.settles();
    spends_the_lane(&mut story, SYNC);
    let asked = escalation_of(&story, SYNC);
    assert!(!asked.contains("replan"), "{asked}");
    story.settles();
    let posted = &story.managed(SYNC).comments[&Slot::Escalation { episode: 1 }];
    let operator = format!("@{}", story.policy.operator_of(&repo(APP)));
    assert_eq!(posted.body, Digest::of(&asked.replacen("@ann", &operator, 1)));
    let (id, command) = story.event(Command::Queue, CommandVia::CommandLine, true);
    let command = PendingCommand { manner: Manner::Fresh, ..command };
    story.reads(SYNC, Observation::Command { id: CommandId { is_local: true, ..id }, command });
    let run = story.run(SYNC);
    assert_eq!((run.branch.as_str(), &run.left), ("ralph/sync-main-5", &None));
    let told = story.wanted_comment(&Slot::Command).expect("an answer");
    assert!(told.contains("`queue` by") && !told.contains("new plan"), "{told}");
}

#[test]
fn a_person_may_stop_it_and_then_is_told_as_before() {
    let mut story = taken_up();
    story.settles();
    story.ordered(SYNC, Command::Stop);
    assert_eq!(story.wants_of_repo(APP), "sync-told:#902");
    assert!(body_of(&story, "sync-told:").contains("it conflicts with the bot branch"));
}

#[test]
fn it_ends_with_the_pull_request() {
    for state in [PullState::Closed, PullState::Merged { commit: Sha::new("merge") }] {
        let mut story = taken_up();
        story.settles();
        reads(&mut story, |pull| pull.state = state);
        story.settles();
        assert_eq!(story.managed(SYNC).phase, Phase::Out, "{}", story.stands(SYNC));
        assert!(story.managed(SYNC).work.is_none(), "its process is ended");
        story.ordered(SYNC, Command::Queue);
        assert_eq!(story.managed(SYNC).phase, Phase::Out, "there is nothing left to bring");
    }
}

#[test]
fn the_head_that_the_forge_still_shows_right_after_the_push_is_no_change_of_a_persons() {
    let mut story = resolved();
    reads(&mut story, |pull| pull.mergeable = Mergeable::Dirty);
    assert_eq!(story.managed(SYNC).phase, Phase::Out, "{}", story.stands(SYNC));
    assert_eq!(story.wants_of_repo(APP), "", "the old head");
    story.passes(READ_LAG.plus(Span::from_secs(1)));
    reads(&mut story, |pull| pull.head = Sha::new("by-hand"));
    assert_eq!(story.wants_of_repo(APP), "sync-told:#902", "a person pushed to it");
}

#[test]
fn the_checks_of_what_was_resolved_have_their_whole_time() {
    let mut story = dirty();
    story.passes(Span::from_mins(20 * 60));
    story.sees_issue(SYNC, |seen| seen.is_pull = Some(true));
    story.settles();
    story.finishes(SYNC, conflict(&story));
    story.finishes(SYNC, conflict(&story));
    story.finishes(SYNC, changed("m"));
    for step in [Step::Preflight, Step::ProductReview, Step::DevexReview] {
        story.finishes(SYNC, story.success(SYNC, step));
    }
    let pending = |pull: &mut Pull| {
        pull.head = Sha::new("commit-m");
        pull.checks = Some(checks(&pull.head, CheckState::Pending));
        pull.mergeable = Mergeable::Blocked;
    };
    reads(&mut story, pending);
    assert_eq!(story.wants_of_repo(APP), "");
    story.passes(Span::from_mins(20 * 60));
    assert_eq!(story.wants_of_repo(APP), "sync-told:#902", "and not longer");
}

#[test]
fn a_conflict_that_only_the_forge_sees_is_looked_for_twice_and_then_a_persons() {
    let mut story = resolved();
    for _ in 0..2 {
        reads(&mut story, |pull| {
            as_pushed(pull);
            pull.mergeable = Mergeable::Dirty;
        });
        story.settles();
        let Outcome::WorkspaceReady { path, base, .. } = story.success(SYNC, Step::Workspace)
        else {
            panic!("a workspace's success is a workspace")
        };
        story.finishes(
            SYNC,
            Outcome::WorkspaceReady {
                path,
                base,
                head: Some(head("m")),
                guidance: Default::default(),
            },
        );
        assert_eq!(story.managed(SYNC).phase, Phase::Out, "{}", story.stands(SYNC));
        story.passes(Span::from_secs(30));
    }
    reads(&mut story, |pull| {
        as_pushed(pull);
        pull.mergeable = Mergeable::Dirty;
    });
    assert_eq!(story.managed(SYNC).phase, Phase::Out, "{}", story.stands(SYNC));
    assert_eq!(story.wants_of_repo(APP), "sync-told:#902");
}

#[test]
fn a_pull_request_that_is_seen_closed_is_not_stopped_before_its_repository_knows_why() {
    let mut story = taken_up();
    story.settles();
    story.sees_issue(SYNC, |seen| seen.open = false);
    assert!(matches!(story.managed(SYNC).phase, Phase::Running { .. }), "{}", story.stands(SYNC));
}

#[test]
fn a_conflict_with_what_is_the_bot_branch_no_longer_is_a_persons() {
    let mut story = opened(Story::plain());
    let rules = story.policy.repos.get_mut(&repo(APP)).expect("the one repository");
    rules.bot_branch = Branch::new("bot/other");
    story.looks_at_everything();
    reads(&mut story, |pull| {
        (pull.mergeable, pull.base) = (Mergeable::Dirty, Branch::new("bot/integration"));
    });
    story.sees_issue(SYNC, |seen| seen.is_pull = Some(true));
    assert_eq!(story.wants_of_repo(APP), "sync-told:#902", "{}", story.repo_stands(APP));
}

#[test]
fn its_attempts_are_its_own() {
    let attempts = |story: &Story, number: u64| {
        story.managed(number).lanes.attempts(Lane::MergeConflict).len()
    };
    let mut story = Story::at_checks();
    story.reads_pull(7, |pull| pull.mergeable = Mergeable::Dirty);
    story.settles();
    story.finishes(7, conflict_of(&story, 7));
    spends_the_lane(&mut story, 7);
    story.settles();

    // The same files, and the same base.
    let mut story = opened(story);
    let pull = sync(&story).open.as_ref().expect("an open sync pull request").number.0;
    reads(&mut story, |pull| pull.mergeable = Mergeable::Dirty);
    story.sees_issue(pull, |seen| seen.is_pull = Some(true));
    story.settles();
    story.finishes(pull, conflict_of(&story, pull));
    assert_eq!((attempts(&story, 7), attempts(&story, pull)), (2, 1), "{}", story.stands(pull));
    spends_the_lane(&mut story, pull);
    assert_eq!((attempts(&story, 7), attempts(&story, pull)), (2, 2));
    story.settles();
    story.ordered(7, Command::Queue);
    assert_eq!((attempts(&story, 7), attempts(&story, pull)), (0, 2), "as they were");
}

#[test]
fn a_queued_label_that_is_left_on_it_takes_it_up_no_more() {
    let mut story = dirty();
    story.policy.max_workers = 0;
    story.sees_issue(SYNC, |seen| seen.is_pull = Some(true));
    assert_eq!(story.managed(SYNC).phase, Phase::Queued, "{}", story.stands(SYNC));
    story.settles();
    story.sees_issue(SYNC, |seen| {
        seen.is_pull = Some(true);
        seen.labels = ["ralph:status:queued".into()].into();
    });
    story.passes(READ_LAG.plus(Span::from_secs(1)));
    story.reads_events(SYNC, Vec::new());
    reads(&mut story, |pull| pull.state = PullState::Merged { commit: Sha::new("merge") });
    assert_eq!(story.managed(SYNC).phase, Phase::Out, "{}", story.stands(SYNC));
}
