//! The forge's answers about merging, and their timing.

use ralph_forge::{CheckState, Conclusion, MergeState, PushBranch, SetDraft};

use crate::world::{REPO, World, check_run};

#[test]
fn mergeability_is_unknown_on_the_first_look_and_known_on_the_next() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let first = world.see_pull(number);
    assert_eq!((first.mergeable, first.merge_state), (None, MergeState::Unknown));
    let second = world.see_pull(number);
    assert_eq!((second.mergeable, second.merge_state), (Some(true), MergeState::Clean));
}

#[test]
fn the_background_computes_it_without_a_look() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    assert_eq!(world.judged(number).mergeable, Some(true));
}

#[test]
fn a_push_to_head_or_base_makes_it_unknown_again() {
    for branch in ["feature", "main"] {
        let mut world = World::new();
        let number = world.pull("feature", "main", "");
        world.judged(number);
        world.write(branch, "more", "1");
        assert_eq!(world.see_pull(number).merge_state, MergeState::Unknown, "{branch}");
        assert_eq!(world.see_pull(number).merge_state, MergeState::Clean, "{branch}");
    }
}

#[test]
fn closed_pulls_are_unknown_for_good() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    world.judged(number);
    world.merge(number);
    assert_eq!(world.judged(number).mergeable, None);
}

/// From the weakest state upwards, each cause added outranks those before it.
#[test]
fn states_take_precedence_in_githubs_order() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let head = world.tip("feature");
    let state = |world: &mut World| world.judged(number).merge_state;
    assert_eq!(state(&mut world), MergeState::Clean);
    world.forge.settings_mut(REPO).unwrap().pre_receive_hooks = true;
    assert_eq!(state(&mut world), MergeState::HasHooks);
    world.report(head, "lint", Conclusion::Failure);
    assert_eq!(state(&mut world), MergeState::Unstable);
    world.write("main", "elsewhere", "1");
    assert_eq!(state(&mut world), MergeState::Unstable, "behind only where strict");
    world.require("main", &[], true);
    assert_eq!(state(&mut world), MergeState::Behind);
    world.require("main", &["lint"], true);
    assert_eq!(state(&mut world), MergeState::Blocked);
    world.ask("will", SetDraft { number, draft: true });
    assert_eq!(state(&mut world), MergeState::Draft);
    world.require("main", &[], false);
    world.ask("will", check_run(head, "lint", CheckState::Completed(Conclusion::Success)));
    world.forge.settings_mut(REPO).unwrap().pre_receive_hooks = false;
    assert_eq!(state(&mut world), MergeState::Draft);
}

#[test]
fn a_conflict_outranks_all_but_unknown() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    world.require("main", &["ci"], true);
    world.ask("will", SetDraft { number, draft: true });
    world.report(world.tip("main"), "ci", Conclusion::Success);
    let base = world.tip("main");
    let conflicting = ralph_forge::NewCommit {
        parents: vec![base],
        content: ralph_forge::Content::written([("feature", "another")]),
        message: "Clash".to_owned(),
        author: "ada".to_owned(),
        at: 1_000,
    };
    let sha = world.forge.commit(REPO, conflicting).unwrap();
    world.report(sha, "ci", Conclusion::Success);
    let (branch, expected_old) = ("main".to_owned(), ralph_forge::Expected::At(base));
    world.ask("will", PushBranch { branch, sha, expected_old, force: false });
    let pull = world.judged(number);
    assert_eq!((pull.mergeable, pull.merge_state), (Some(false), MergeState::Dirty));
}

#[test]
fn a_pending_check_that_is_not_required_makes_it_unstable() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let head = world.tip("feature");
    world.ask("will", check_run(head, "slow", CheckState::InProgress));
    assert_eq!(world.judged(number).merge_state, MergeState::Unstable);
}

#[test]
fn the_merge_commit_of_an_open_pull_is_a_trial_that_no_branch_contains() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let trial = world.judged(number).summary.merge_commit.unwrap();
    assert!(!world.forge.is_ancestor(REPO, trial, world.tip("main")));
    let merged = world.merge(number);
    assert_ne!(merged, trial);
    assert_eq!(world.see_pull(number).summary.merge_commit, Some(merged));
    assert!(!world.forge.is_ancestor(REPO, trial, world.tip("main")));
}
