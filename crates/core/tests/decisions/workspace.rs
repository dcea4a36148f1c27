//! The worktree of a run: separate from its first start on, made again when it is lost, and none without a sandbox.

use crate::outside::{changed, head, workspace};
use crate::story::{Story, Which};
use ralph_core::bound::Bound;
use ralph_core::fact::{Fact, Outcome, What};
use ralph_core::issue::Phase;
use ralph_core::managed_path::{ManagedPath, ManagedRoot};
use ralph_core::steps::Step;

fn places(story: &Story, number: u64) -> Vec<ManagedPath> {
    story.managed(number).worktrees.iter().cloned().collect()
}

fn lost() -> Outcome {
    Outcome::WorkspaceLost { reason: "the mirror is gone".to_owned() }
}

#[test]
fn a_run_keeps_its_slot_from_its_first_start_on() {
    let mut story = Story::with(|rules| rules.slots = 2);
    story.queued(7);
    story.queued(8);
    let first = places(&story, 8);
    assert_eq!(first.len(), 1);
    assert!(first[0].as_str().contains("/slot-1/"), "{first:?}");
    story.reaches(7, Step::Checks);
    let attempt = story.managed(8).attempt;
    story.tell(&Fact::of(8.key(), What::Interrupted { attempt }));
    story.settles();
    assert_ne!(story.managed(8).attempt, attempt, "it was started again");
    assert_eq!(places(&story, 8), first, "and where it was");
    assert_eq!(story.run(8).slot, 1);
}

#[test]
fn a_lost_workspace_is_made_again_and_costs_no_turn() {
    for step in [Step::Plan, Step::PlanReview, Step::Implement, Step::Preflight, Step::DevexReview]
    {
        let mut story = Story::plain();
        story.queued(7);
        story.reaches(7, step);
        let before = story.run(7).spent.clone();
        let place = places(&story, 7);
        story.finishes(7, lost());
        let managed = story.managed(7);
        assert_eq!(managed.phase, Phase::Running { step: Step::Workspace }, "{step}");
        let spent = story.run(7).spent.clone();
        assert_eq!(
            spent.of(Bound::Step(Step::Workspace)),
            before.of(Bound::Step(Step::Workspace)) + 1,
            "{step}"
        );
        let turns = |spent: &ralph_core::bound::Spent| {
            (
                spent.of(Bound::Step(Step::Plan)),
                spent.of(Bound::Step(Step::Implement)),
                spent.of(Bound::Step(Step::ProductReview)),
                spent.of(Bound::Step(Step::Preflight)),
            )
        };
        assert_eq!(turns(&spent), turns(&before), "{step}");
        assert_eq!(places(&story, 7), place, "{step}");
        story.reaches(7, Step::Checks);
    }
}

#[test]
fn commits_left_by_a_turn_that_lost_its_workspace_are_no_implementation() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Implement);
    story.finishes(7, lost());
    let found = workspace(&story, 7, Some(head("half")));
    story.finishes(7, found);
    assert_eq!(story.managed(7).phase, Phase::Running { step: Step::Implement });
    story.finishes(7, changed("whole"));
    assert_eq!(story.managed(7).phase, Phase::Running { step: Step::Preflight });

    // Commits that were implemented before count as they are found.
    story.finishes(7, lost());
    let found = workspace(&story, 7, Some(head("whole")));
    story.finishes(7, found);
    assert_eq!(story.managed(7).phase, Phase::Running { step: Step::Preflight });
}

#[test]
fn a_home_that_was_moved_goes_on_with_its_worktrees_where_they_are_now() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Implement);
    let (before, attempt) = (places(&story, 7), story.managed(7).attempt);
    story.policy.worktrees = ManagedRoot::new("/moved/worktrees").expect("a root");
    story.tell(&Fact::of(7.key(), What::Interrupted { attempt }));
    story.looks_at_everything();
    story.settles();
    let after = places(&story, 7);
    assert_ne!(after, before);
    assert!(after.iter().all(|place| story.policy.worktrees.holds(place)), "{after:?}");
    assert_eq!(story.run(7).workspace.as_ref().map(|workspace| &workspace.path), after.first());
    assert_ne!(story.managed(7).attempt, attempt, "{}", story.stands(7));
    story.reaches(7, Step::Checks);
}

#[test]
fn a_workspace_that_is_lost_again_and_again_needs_a_person() {
    let mut story = Story::plain();
    story.queued(7);
    for _ in 0..20 {
        if matches!(story.managed(7).phase, Phase::Escalated { .. }) {
            return;
        }
        story.reaches(7, Step::Plan);
        story.finishes(7, lost());
    }
    panic!("{}", story.stands(7));
}

#[test]
fn without_a_sandbox_nothing_is_claimed_and_nothing_started() {
    let mut story = Story::plain();
    story.policy.has_no_sandbox = true;
    story.queued(7);
    assert_eq!(story.managed(7).phase, Phase::Queued);
    story.policy.has_no_sandbox = false;
    story.looks_at_everything();
    story.reaches(7, Step::Plan);
    let attempt = story.managed(7).attempt;
    story.policy.has_no_sandbox = true;
    story.tell(&Fact::of(7.key(), What::Interrupted { attempt }));
    story.settles();
    assert!(story.managed(7).work.is_none(), "{}", story.stands(7));
}
