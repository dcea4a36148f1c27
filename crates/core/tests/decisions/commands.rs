//! Operator commands: each in every phase, and several in order.

use crate::outside::{failed, workspace};
use crate::story::Story;
use insta::assert_snapshot;
use ralph_core::bound::Bound;
use ralph_core::bound::Spent;
use ralph_core::command::Command;
use ralph_core::fact::Observation;
use ralph_core::gate::Gate;
use ralph_core::issue::{CommandId, CommandVia};
use ralph_core::run::WorkState;
use ralph_core::steps::Step;
use std::fmt::Write as _;

pub(crate) fn situation(name: &str) -> Story {
    let mut story = Story::plain();
    let (place, is_paused) = name.strip_suffix(", paused").map_or((name, false), |p| (p, true));
    match place {
        "unmanaged" => story.sees(7, &[]),
        "queued" => {
            story.policy.draining = true;
            story.queued(7);
        }
        "at work" => {
            story.queued(7);
            story.reaches(7, Step::Plan);
        }
        "waiting for checks" | "waiting" => {
            story.queued(7);
            story.reaches(7, Step::Checks);
        }
        "parked" => {
            story.queued(7);
            story.reaches(7, Step::Checks);
            story.sees(3, &[]);
            story.blocks_in_body(7, &["acme/app#3"]);
        }
        "escalated" => {
            story
                .policy
                .repos
                .values_mut()
                .for_each(|r| r.limits.bounds.set(Bound::Step(Step::Workspace), 1));
            story.queued(7);
            story.reaches(7, Step::Workspace);
            story.finishes(7, failed("no space"));
        }
        "stopped" => {
            story.queued(7);
            story.ordered(7, Command::Stop);
        }
        "in-bot" | "done" => {
            story.queued(7);
            story.merges(7);
        }
        _ => panic!("no such situation: {place}"),
    }
    if place == "done" {
        crate::end::reaches_default(&mut story, 7);
    }
    story.settles();
    if is_paused {
        story.ordered(7, Command::Pause);
        story.settles();
    }
    story
}

/// Returns the effect of each command in each of these situations.
fn table(situations: &[&str]) -> String {
    let mut table = String::new();
    for name in situations {
        let before = situation(name).stands(7);
        writeln!(table, "{name} ({before})").expect("text");
        for command in Command::ALL {
            let mut story = situation(name);
            story.labelled(7, command);
            let last = story.managed(7).commands.last.clone().expect("a result");
            story.settles();
            assert!(!story.labels(7).contains("cmd"), "{name} {command}: {}", story.labels(7));
            let result = last.refused.map_or_else(|| story.stands(7), |why| format!("NO. {why}"));
            writeln!(table, "  {command}: {result}").expect("text");
        }
    }
    table
}

#[test]
fn each_command_before_and_during_a_run() {
    let situations = [
        "unmanaged",
        "queued",
        "queued, paused",
        "at work",
        "at work, paused",
        "waiting for checks",
        "waiting, paused",
    ];
    assert_snapshot!(table(&situations), @"
    unmanaged (no status)
      queue: in-progress: running workspace, until 2026-01-05 09:10:00Z at most
      pause: NO. There is nothing to pause: this issue is not in Ralph's queue; `ralph:cmd:queue` puts it there.
      stop: NO. There is nothing to stop: this issue is not in Ralph's queue; `ralph:cmd:queue` puts it there.
      satisfy: no status: not in the queue
    queued (queued: next in line, waits for a free worker)
      queue: queued: next in line, waits for a free worker
      pause: paused: paused
      stop: stopped: stopped by command
      satisfy: queued: next in line, waits for a free worker
    queued, paused (paused: paused)
      queue: queued: next in line, waits for a free worker
      pause: paused: paused
      stop: stopped: stopped by command
      satisfy: paused: paused
    at work (in-progress: running plan, until 2026-01-05 09:32:00Z at most)
      queue: in-progress: running plan, until 2026-01-05 09:32:00Z at most
      pause: paused: running plan, until 2026-01-05 09:32:00Z at most
      stop: stopped: stopped by command
      satisfy: in-progress: running plan, until 2026-01-05 09:32:00Z at most
    at work, paused (paused: running plan, until 2026-01-05 09:32:00Z at most)
      queue: in-progress: running plan, until 2026-01-05 09:32:00Z at most
      pause: paused: running plan, until 2026-01-05 09:32:00Z at most
      stop: stopped: stopped by command
      satisfy: paused: running plan, until 2026-01-05 09:32:00Z at most
    waiting for checks (in-progress: waits until the forge shows the pull request)
      queue: in-progress: waits until the forge shows the pull request
      pause: paused: paused at checks
      stop: stopped: stopped by command
      satisfy: in-progress: waits until the forge shows the pull request
    waiting, paused (paused: paused at checks)
      queue: in-progress: running workspace, until 2026-01-05 09:10:00Z at most
      pause: paused: paused at checks
      stop: stopped: stopped by command
      satisfy: paused: paused at checks
    ");
}

#[test]
fn each_command_when_a_run_is_held_up_or_over() {
    let situations = ["parked", "parked, paused", "escalated", "stopped", "in-bot", "done"];
    assert_snapshot!(table(&situations), @"
    parked (queued: blocked by #3)
      queue: queued: blocked by #3
      pause: paused: paused at checks
      stop: stopped: stopped by command
      satisfy: queued: blocked by #3
    parked, paused (paused: paused at checks)
      queue: queued: blocked by #3
      pause: paused: paused at checks
      stop: stopped: stopped by command
      satisfy: paused: paused at checks
    escalated (escalated: needs a person: The workspace step failed as often as it may.)
      queue: in-progress: running workspace, until 2026-01-05 09:10:00Z at most
      pause: NO. There is nothing to pause: this issue already waits for a person; `ralph:cmd:queue` resumes it, `ralph:cmd:stop` cancels it.
      stop: stopped: stopped by command
      satisfy: escalated: needs a person: The workspace step failed as often as it may.
    stopped (stopped: stopped by command)
      queue: in-progress: running workspace, until 2026-01-05 09:10:00Z at most
      pause: NO. There is nothing to pause: this issue is stopped; `ralph:cmd:queue` starts it again.
      stop: stopped: stopped by command
      satisfy: stopped: stopped by command
    in-bot (in-bot: in the bot branch, waits for the next rollup)
      queue: NO. Its change is already merged to the bot branch. Open a new issue for further work.
      pause: NO. There is nothing to pause: this issue is already merged to the bot branch.
      stop: NO. There is nothing to stop: this issue is already merged to the bot branch.
      satisfy: in-bot: in the bot branch, waits for the next rollup
    done (done: done)
      queue: NO. The issue is closed. Reopen it first, then apply `ralph:cmd:queue` again.
      pause: NO. There is nothing to pause: this issue is already done; reopened, `ralph:cmd:queue` starts it again.
      stop: NO. There is nothing to stop: this issue is already done; reopened, `ralph:cmd:queue` starts it again.
      satisfy: done: done
    ");
}

fn event(story: &mut Story, command: Command) -> (CommandId, ralph_core::issue::PendingCommand) {
    story.event(command, CommandVia::CommandLabel, true)
}

#[test]
fn several_commands_are_taken_in_order_and_the_last_decides() {
    for (commands, expected) in [
        ([Command::Queue, Command::Pause, Command::Stop], "stopped: stopped by command"),
        ([Command::Stop, Command::Queue, Command::Pause], "paused: paused"),
        ([Command::Pause, Command::Stop, Command::Queue], "in-progress: starting workspace"),
    ] {
        let mut story = situation("queued");
        story.policy.draining = false;
        let events = commands.map(|command| event(&mut story, command));
        // In any order.
        story.reads_events(7, events.into_iter().rev().collect());
        assert_eq!(story.stands(7), expected, "{commands:?}");
    }
}

#[test]
fn the_same_application_is_processed_once_and_a_new_one_is_a_new_command() {
    let mut story = situation("at work");
    let pause = event(&mut story, Command::Pause);
    story.reads_events(7, vec![pause.clone()]);
    story.ordered(7, Command::Queue);
    story.reads_events(7, vec![pause]);
    assert!(!story.managed(7).is_paused, "read twice, obeyed once");
    let pause = event(&mut story, Command::Pause);
    story.reads_events(7, vec![pause]);
    assert!(story.managed(7).is_paused);
}

#[test]
fn a_command_without_the_right_is_refused_and_its_label_removed() {
    let mut story = situation("at work");
    story.sees(7, &["ralph:status:in-progress", "ralph:cmd:stop"]);
    let stop = story.event(Command::Stop, CommandVia::CommandLabel, false);
    story.told();
    story.reads_events(7, vec![stop]);
    story.settles();
    assert_snapshot!(story.told(), @"
    #7 command refused: `ann` may not command here: this takes at least the triage role on the repository.
    #7 > comment:command
    #7 > label-ralph:cmd:stop
    ");
    assert_eq!(story.labels(7), "ralph:status:in-progress");
}

#[test]
fn a_closed_issue_refuses_to_be_queued() {
    let mut story = situation("stopped");
    story.sees_issue(7, |seen| seen.open = false);
    story.told();
    story.labelled(7, Command::Queue);
    story.settles();
    assert_snapshot!(story.told(), @"
    #7 command refused: The issue is closed. Reopen it first, then apply `ralph:cmd:queue` again.
    #7 > comment-edit:4
    #7 > label-ralph:cmd:queue
    ");
}

#[test]
fn stop_ends_a_running_process_before_anything_else() {
    let mut story = situation("at work");
    story.told();
    story.ordered(7, Command::Stop);
    assert_snapshot!(story.told(), @"
    #7 command obeyed
    #7 its process is to be ended
    #7 > end:2
    #7 > comment:command
    #7 > label+ralph:status:stopped
    ");
    assert_eq!(story.stands(7), "stopped: ending plan");
    assert_eq!(story.world.busy(), 1, "its slot is free only once it has ended");
    story.performs("end:");
    assert_eq!((story.stands(7).as_str(), story.world.busy()), ("stopped: stopped by command", 0));
}

#[test]
fn a_result_that_arrives_while_being_stopped_changes_nothing() {
    let mut story = situation("at work");
    story.ordered(7, Command::Stop);
    story.finishes(7, story.success(7, Step::Plan));
    assert_eq!(story.run(7).plan, None);
    assert_eq!(story.stands(7), "stopped: stopped by command");
}

#[test]
fn a_pause_lets_a_turn_finish_and_starts_nothing() {
    let mut story = situation("at work");
    story.ordered(7, Command::Pause);
    story.settles();
    assert_eq!(story.managed(7).work.as_ref().map(|work| work.state), Some(WorkState::Underway));
    story.finishes(7, story.success(7, Step::Plan));
    assert_eq!((story.stands(7).as_str(), story.world.busy()), ("paused: paused at plan", 0));
    assert!(story.run(7).plan.is_some(), "what the turn found is kept");
}

#[test]
fn a_pause_takes_back_a_turn_that_has_not_begun() {
    let mut story = Story::plain();
    story.queued(7);
    assert_eq!(story.stands(7), "in-progress: starting workspace");
    story.ordered(7, Command::Pause);
    assert_eq!(story.stands(7), "paused: ending workspace");
    story.settles();
    assert_eq!(story.stands(7), "paused: paused at workspace");
    assert_eq!(story.run(7).spent, Spent::default());
}

#[test]
fn queue_after_a_pause_keeps_the_run_whose_turn_is_under_way() {
    let mut story = situation("at work, paused");
    story.ordered(7, Command::Queue);
    assert_eq!(story.run(7).id.run, 1);
    story.finishes(7, story.success(7, Step::Plan));
    assert!(story.stands(7).starts_with("in-progress: running plan review"));
}

#[test]
fn queue_after_an_escalation_is_a_new_run_with_cleared_counters_and_kept_evidence() {
    let mut story =
        Story::with(|rules| rules.limits.bounds.set(Bound::Step(Step::ProductReview), 1));
    story.queued(7);
    story.reaches(7, Step::ProductReview);
    story.finishes(7, failed("crashed"));
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The product review step failed as often as it may.");
    let first = story.run(7).clone();
    story.ordered(7, Command::Queue);
    story.settles();
    let second = story.run(7);
    assert_eq!((second.id.run, second.spent.clone()), (2, Spent::default()));
    assert_eq!((&second.branch, &second.plan), (&first.branch, &first.plan));
    story.finishes(7, workspace(&story, 7, first.head));
    assert_eq!(story.managed(7).work.as_ref().map(|work| work.step), Some(Step::ProductReview));
    assert!(story.run(7).passed(Gate::Preflight) && story.run(7).passed(Gate::PlanReview));
}

#[test]
fn a_resolving_comment_has_the_effect_of_queue_once() {
    let mut story = situation("escalated");
    let (id, command) = story.event(Command::Queue, CommandVia::Comment, true);
    story.reads(7, Observation::Command { id, command: command.clone() });
    assert_eq!(story.run(7).id.run, 2);
    story.settles();
    story.finishes(7, failed("no space"));
    assert!(story.stands(7).starts_with("escalated"));
    story.reads(7, Observation::Command { id, command });
    assert!(story.stands(7).starts_with("escalated"), "the same comment counts once");
}

#[test]
fn each_escalation_has_a_comment_of_its_own() {
    let mut story = situation("escalated");
    story.told();
    story.ordered(7, Command::Queue);
    story.settles();
    story.finishes(7, failed("no space"));
    let told = story.told();
    assert!(told.contains("> comment:escalation-2"), "{told}");
}

#[test]
fn closing_an_issue_before_its_merge_stops_it_and_reopening_does_nothing() {
    for name in ["queued", "at work", "waiting for checks", "parked", "escalated"] {
        let mut story = situation(name);
        story.sees_issue(7, |seen| seen.open = false);
        story.settles();
        assert_eq!(story.stands(7), "stopped: stopped: the issue was closed", "{name}");
        story.sees_issue(7, |seen| seen.open = true);
        assert_eq!(story.stands(7), "stopped: stopped: the issue was closed", "{name}");
    }
    let mut story = situation("in-bot");
    story.sees_issue(7, |seen| seen.open = false);
    assert_eq!(story.stands(7), "in-bot: in the bot branch, waits for the next rollup");
}
