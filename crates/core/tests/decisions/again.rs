//! Issues that begin again: done and reopened, with a new plan on a fresh branch, and `satisfy` taken back.

use crate::commands::situation;
use crate::outside::{failed, workspace};
use crate::story::{Story, Which as _};
use ralph_core::command::{Command, Manner};
use ralph_core::effect::{Effect, MachineAct};
use ralph_core::fact::{Fact, Observation, RunSettled, Settled, What};
use ralph_core::ids::PullNumber;
use ralph_core::issue::{CommandId, CommandVia, PendingCommand, Phase};
use ralph_core::job::Job;
use ralph_core::steps::Step;
use ralph_core::time::Span;

/// Gives the same command in another form, from the command line.
fn typed(story: &mut Story, command: Command, manner: Manner) {
    let (id, plain) = story.event(command, CommandVia::CommandLine, true);
    let id = CommandId { is_local: true, ..id };
    story.reads(7, Observation::Command { id, command: PendingCommand { manner, ..plain } });
}

fn reopened(name: &str) -> Story {
    let mut story = situation(name);
    story.sees_issue(7, |seen| seen.open = true);
    story.settles();
    story
}

#[test]
fn a_done_issue_that_was_reopened_is_left_alone_until_it_is_queued_and_then_starts_again() {
    let mut story = reopened("done");
    assert!(story.issue(7).is_open(), "Ralph does not close it again");
    assert_eq!(story.stands(7), "done: done");
    let first = story.run(7).clone();
    story.labelled(7, Command::Queue);
    assert_eq!(story.managed(7).commands.last.clone().and_then(|last| last.refused), None);
    story.settles();
    let again = story.run(7);
    assert_eq!((again.id.run, again.pull, &again.plan, &again.pushed), (2, None, &None, &None));
    assert_ne!(again.branch, first.branch, "what is merged is no branch to go on with");
    story.reaches(7, Step::Plan);
    story.merges(7);
    assert_eq!(story.stands(7), "in-bot: in the bot branch, waits for the next rollup");
}

#[test]
fn an_issue_that_the_forge_closed_by_itself_is_known_as_reopened_too() {
    let mut story = situation("in-bot");
    story.sees_issue(7, |seen| seen.open = false);
    crate::end::reaches_default(&mut story, 7);
    story.settles();
    story.sees_issue(7, |seen| seen.open = true);
    story.settles();
    assert!(story.issue(7).is_open() && !story.wants(7).contains("close"), "{}", story.wants(7));
    story.labelled(7, Command::Queue);
    assert!(story.stands(7).starts_with("in-progress"), "{}", story.stands(7));
}

#[test]
fn why_a_done_issue_cannot_be_queued_is_told_as_it_is() {
    let refused = |story: &Story| {
        story.managed(7).commands.last.clone().and_then(|last| last.refused).unwrap_or_default()
    };
    let mut story = situation("done");
    story.labelled(7, Command::Queue);
    assert!(refused(&story).starts_with("The issue is closed. Reopen it"), "{}", refused(&story));
    let mut story = situation("in-bot");
    crate::end::reaches_default(&mut story, 7);
    assert!(matches!(story.managed(7).phase, Phase::Done { is_closed: false, .. }));
    story.labelled(7, Command::Queue);
    assert!(refused(&story).contains("about to close it"), "{}", refused(&story));
}

#[test]
fn queue_afresh_leaves_plan_branch_and_pull_request_behind_in_every_phase() {
    for name in [
        "queued",
        "at work",
        "waiting for checks",
        "waiting, paused",
        "parked",
        "escalated",
        "stopped",
    ] {
        let mut story = situation(name);
        story.policy.draining = false;
        story.looks_at_everything();
        let before = story.managed(7).run.clone();
        story.passes(Span::from_secs(5));
        typed(&mut story, Command::Queue, Manner::Fresh);
        if name == "parked" {
            story.sees_issue(3, |seen| seen.open = false);
        }
        story.settles();
        let run = story.run(7);
        assert_eq!((run.pull, &run.plan, &run.pushed), (None, &None, &None), "{name}");
        assert_eq!(story.managed(7).pull, None, "{name}");
        let left = before.map_or_else(|| run.left.clone(), |before| Some(before.branch));
        assert_eq!(run.left, left, "{name}");
        assert_ne!(Some(&run.branch), run.left.as_ref(), "{name}");
        assert!(!story.managed(7).begins_afresh, "{name}");
        story.finishes(7, story.success(7, Step::Workspace));
        assert!(story.stands(7).contains("running plan"), "{name}: {}", story.stands(7));
    }
}

#[test]
fn the_old_branch_is_rescued_when_the_new_worktree_is_made() {
    let mut story = situation("waiting for checks");
    let branch = story.run(7).branch.clone();
    typed(&mut story, Command::Queue, Manner::Fresh);
    let start = story.wanted().into_iter().find_map(|effect| {
        let Effect::Machine(_, MachineAct::Start { job, .. }) = effect else { return None };
        let Job::Workspace { leaves, .. } = job else { return None };
        leaves
    });
    assert_eq!(start, Some(branch));
}

#[test]
fn a_pull_request_that_comes_late_from_the_branch_that_was_left_is_not_the_new_runs() {
    let mut story = situation("waiting for checks");
    let branch = story.run(7).branch.clone();
    typed(&mut story, Command::Queue, Manner::Fresh);
    story.settles();
    let opened = RunSettled::PullOpened { number: PullNumber(9), head: Some(branch) };
    story.tell(&Fact::of(7.key(), What::Settled(Settled::Run(opened))));
    assert_eq!(story.run(7).pull, None);
}

#[test]
fn who_stops_it_takes_the_fresh_start_back() {
    let mut story = situation("waiting for checks");
    let branch = story.run(7).branch.clone();
    story.policy.draining = true;
    typed(&mut story, Command::Queue, Manner::Fresh);
    story.ordered(7, Command::Stop);
    story.policy.draining = false;
    story.looks_at_everything();
    story.ordered(7, Command::Queue);
    story.settles();
    assert_eq!(story.run(7).branch, branch);
}

#[test]
fn an_answer_that_asks_for_a_new_plan_gets_one() {
    let mut story = situation("escalated");
    let first = story.run(7).branch.clone();
    let (id, plain) = story.event(Command::Queue, CommandVia::Comment, true);
    let command = PendingCommand { manner: Manner::Fresh, ..plain };
    story.reads(7, Observation::Command { id, command });
    story.settles();
    assert_ne!(story.run(7).branch, first);
    story.finishes(7, failed("no space"));
    story.ordered(7, Command::Queue);
    story.settles();
    assert_eq!(story.run(7).left, None, "the next one goes on from there");
}

#[test]
fn a_parent_that_was_verified_and_is_queued_again_is_worked_on() {
    let mut story = crate::parent::verified();
    story.sees_issue(7, |seen| seen.open = true);
    story.labelled(7, Command::Queue);
    story.settles();
    story.finishes(7, workspace(&story, 7, None));
    assert!(story.stands(7).contains("running plan"), "{}", story.stands(7));
    let told = story.told_again(7).parent.and_then(|parent| parent.said);
    assert_eq!(told.as_deref(), Some("all of it is there"));
}

#[test]
fn satisfy_is_taken_back_by_its_label_applied_again_and_by_the_command_line() {
    let mut story = Story::plain();
    story.sees(7, &[]);
    story.sees(3, &[]);
    story.blocks_in_body(3, &["acme/app#7"]);
    story.queued(3);
    let is_blocked = |story: &Story| story.stands(3).contains("blocked by");
    assert!(is_blocked(&story));
    story.labelled(7, Command::Satisfy);
    story.settles();
    assert!(story.issue(7).satisfied && !is_blocked(&story));
    story.passes(Span::from_mins(2));
    story.labelled(7, Command::Satisfy);
    assert!(!story.issue(7).satisfied);
    let last = story.managed(7).commands.last.clone().expect("a result");
    assert_eq!((last.manner, last.refused), (Manner::Undo, None));
    story.settles();
    assert!(!story.labels(7).contains("satisfy"), "{}", story.labels(7));
    // The command line states its intent explicitly.
    typed(&mut story, Command::Satisfy, Manner::Plain);
    typed(&mut story, Command::Satisfy, Manner::Plain);
    assert!(story.issue(7).satisfied);
    typed(&mut story, Command::Satisfy, Manner::Undo);
    assert!(!story.issue(7).satisfied);
    typed(&mut story, Command::Satisfy, Manner::Undo);
    let last = story.managed(7).commands.last.clone().expect("a result");
    assert!(last.refused.is_some_and(|why| why.contains("nothing to undo")));
}

#[test]
fn a_queued_label_whose_wish_is_refused_comes_off_and_says_why() {
    for is_open in [true, false] {
        let mut story = Story::plain();
        story.sees_issue(7, |seen| {
            seen.labels.insert(crate::outside::QUEUED.into());
            seen.open = is_open;
        });
        let watched = !story.decision(7).watch.is_empty();
        assert!(watched, "open {is_open}: its events are read");
        let wish = story.event(Command::Queue, CommandVia::QueuedLabel, !is_open);
        story.reads_events(7, vec![wish]);
        let last = story.managed(7).commands.last.clone().expect("a result");
        assert!(last.refused.is_some(), "open {is_open}");
        story.settles();
        // Another command for it since would show once reads have caught up.
        story.passes(Span::from_secs(90));
        story.reads_events(7, vec![]);
        story.settles();
        assert_eq!(story.labels(7), "", "open {is_open}");
        let told = story.managed(7).comments.len();
        assert_eq!((told, story.stands(7).as_str()), (1, "no status: not in the queue"));
    }
}
