//! Worktrees: those that are removed, the proof for that, and those that are kept.

use crate::outside::failed;
use crate::story::{Story, Which};
use insta::assert_snapshot;
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::effect::{Effect, MachineAct};
use ralph_core::fact::{Outcome, RunSettled, Settled, What};
use ralph_core::policy::RepoPolicy;
use ralph_core::pull::PullState;
use ralph_core::removal::{GivenUp, Removal, RescueRef};
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::words;

/// Returns the worktrees to remove now, with the reasons.
fn removals(story: &Story) -> Vec<(String, Removal)> {
    let removal = |effect| match effect {
        Effect::Machine(_, MachineAct::RemoveWorkspace { path, proof }) => {
            Some((path.as_str().replace("/srv/trees/acme__app/", ""), proof))
        }
        Effect::Machine(..) | Effect::Issue(..) | Effect::Repo(..) => None,
    };
    story.wanted().into_iter().filter_map(removal).collect()
}

fn at(step: Step) -> Story {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, step);
    story.told();
    story
}

#[test]
fn stop_ends_the_process_first_and_then_gives_up_the_worktree() {
    let mut story = at(Step::Plan);
    story.ordered(7, Command::Stop);
    assert_eq!(removals(&story), [], "its process is alive");
    story.performs("end:");
    let given_up = Removal::GivenUp(GivenUp::Stopped);
    assert_eq!(removals(&story), [("slot-0/7/7-1".to_owned(), given_up)]);
    story.settles();
    assert_eq!(removals(&story), []);
    assert!(story.run(7).workspace.is_none() && story.managed(7).worktrees.is_empty());
}

#[test]
fn a_worktree_that_was_never_ready_is_given_up_as_well() {
    let mut story = at(Step::Workspace);
    story.ordered(7, Command::Stop);
    story.performs("end:");
    assert_eq!(removals(&story).len(), 1);

    let mut spent = at(Step::Workspace);
    let once = |rules: &mut RepoPolicy| rules.limits.bounds.set(Bound::Step(Step::Workspace), 1);
    spent.policy.repos.values_mut().for_each(once);
    spent.finishes(7, Outcome::Failed { reason: "no space".to_owned() });
    assert_eq!(removals(&spent), [], "escalated");
    spent.ordered(7, Command::Stop);
    assert_eq!(removals(&spent).len(), 1);
}

#[test]
fn a_closed_issue_gives_up_its_worktree_and_so_does_one_taken_out_of_the_queue() {
    let mut closed = at(Step::Checks);
    closed.sees_issue(7, |seen| seen.open = false);
    assert_eq!(removals(&closed).len(), 1);

    let mut taken = at(Step::Checks);
    taken.reads_pull(7, |pull| pull.state = PullState::Closed);
    taken.policy.draining = true;
    taken.ordered(7, Command::Queue);
    taken.settles();
    taken.passes(Span::from_mins(2));
    taken.sees(7, &[]);
    assert_eq!(taken.stands(7), "no status: not in the queue");
    assert_eq!(removals(&taken).len(), 1);
}

#[test]
fn a_removal_that_is_refused_for_good_is_left_to_a_person() {
    let mut story = at(Step::Checks);
    story.ordered(7, Command::Stop);
    story.refuses("rmworktree");
    assert_eq!(removals(&story), []);
    assert!(story.managed(7).worktrees.is_empty());
}

#[test]
fn paused_escalated_and_parked_issues_keep_their_worktree() {
    let mut paused = at(Step::Checks);
    paused.ordered(7, Command::Pause);
    paused.settles();
    assert_eq!(removals(&paused), []);
    assert!(paused.stands(7).starts_with("paused"));

    let mut escalated = at(Step::Checks);
    escalated.reads_pull(7, |pull| pull.state = PullState::Closed);
    assert!(escalated.stands(7).starts_with("escalated"), "{}", escalated.stands(7));
    assert_eq!(removals(&escalated), []);
    escalated.ordered(7, Command::Queue);
    assert_eq!(removals(&escalated), [], "until the next run has its own");

    let mut parked = at(Step::Checks);
    parked.sees(3, &[]);
    parked.blocks_in_body(7, &["acme/app#3"]);
    assert_eq!(parked.stands(7), "queued: blocked by #3");
    assert_eq!(removals(&parked), []);
}

#[test]
fn the_worktree_of_an_earlier_run_goes_once_the_next_run_has_its_own() {
    let mut story = Story::with(|rules| rules.limits.bounds.set(Bound::Step(Step::Plan), 1));
    story.queued(7);
    story.reaches(7, Step::Plan);
    story.finishes(7, failed("x"));
    story.ordered(7, Command::Queue);
    story.reaches(7, Step::Workspace);
    assert_eq!(removals(&story), []);
    story.reaches(7, Step::Plan);
    assert_eq!(removals(&story), [], "a process of this issue is alive");
    story.told();
    story.merges(7);
    let told = story.told();
    assert!(told.contains("> rmworktree:/srv/trees/acme__app/slot-0/7/7-1"), "{told}");
    assert!(!told.contains("rmworktree:/srv/trees/acme__app/slot-0/7/7-2"), "{told}");
    crate::end::reaches_default(&mut story, 7);
    story.settles();
    assert!(story.managed(7).worktrees.is_empty());
}

#[test]
fn done_is_proof_for_the_runs_own_worktree_alone() {
    let mut story = Story::with(|rules| rules.limits.bounds.set(Bound::Step(Step::Plan), 1));
    story.queued(7);
    story.reaches(7, Step::Plan);
    story.finishes(7, failed("x"));
    story.ordered(7, Command::Queue);
    story.reaches(7, Step::DevexReview);
    story.ends(7, story.success(7, Step::DevexReview));
    // The removal waits in the outbox while everything else takes place.
    story.performs("push:");
    story.performs("pull:");
    story.passes_checks(7.key());
    story.performs("merge:");
    crate::end::reaches_default(&mut story, 7);
    story.performs("close");
    let removals = removals(&story);
    assert_eq!(removals.len(), 2, "{removals:?}");
    for (path, proof) in removals {
        let is_done = matches!(proof, Removal::Done(_));
        assert_eq!(is_done, path.ends_with("7-2"), "{path}: {proof:?}");
    }
}

#[test]
fn the_story_tells_where_the_work_was_saved() {
    let story = at(Step::Plan);
    let path = story.run(7).workspace.clone().expect("a workspace").path;
    let lines = [None, Some(RescueRef::new("refs/ralph/rescue/7-1"))].map(|rescued| {
        let given_up = RunSettled::WorktreeGivenUp { path: path.clone(), rescued };
        let what = What::Settled(Settled::Run(given_up));
        words::journal_line(&ralph_core::fact::Fact::of(7.key(), what)).expect("a line")
    });
    assert_snapshot!(lines.join("\n"), @"
    worktree /srv/trees/acme__app/slot-0/7/7-1 removed, nothing in it had to be saved
    worktree /srv/trees/acme__app/slot-0/7/7-1 removed, what was in it is saved as refs/ralph/rescue/7-1
    ");
}
