//! Laws that hold for every history, tried with random ones.

use std::fmt::Debug;

use proptest::prelude::*;
use ralph_forge::{
    AddLabels, CloseReason, CreatePull, DeleteBranch, EditIssue, GetPull, IssueEdit, MergeMethod,
    Operation, RemoveLabel, StateChange, Trial, UpdatePullBranch,
};

use crate::world::{REPO, World, merge_by, new_pull};

/// One step of a random life: who does what to which of three branches or issues.
#[derive(Clone, Debug)]
enum Step {
    Write { branch: usize, path: usize, text: u8 },
    Open { head: usize, base: usize },
    Merge { number: u64, method: usize },
    Label { number: u64, add: bool },
    Close { number: u64 },
    Delete { branch: usize },
    Update { number: u64 },
    Background,
}

const BRANCHES: [&str; 3] = ["main", "bot", "feature"];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3usize, 0..4usize, 0..3u8)
            .prop_map(|(branch, path, text)| Step::Write { branch, path, text }),
        3 => (0..3usize, 0..3usize).prop_map(|(head, base)| Step::Open { head, base }),
        3 => (1..6u64, 0..3usize).prop_map(|(number, method)| Step::Merge { number, method }),
        1 => (1..6u64, any::<bool>()).prop_map(|(number, add)| Step::Label { number, add }),
        1 => (1..6u64).prop_map(|number| Step::Close { number }),
        1 => (1..3usize).prop_map(|branch| Step::Delete { branch }),
        1 => (1..6u64).prop_map(|number| Step::Update { number }),
        1 => Just(Step::Background),
    ]
}

/// Does the step; refusals are part of life.
fn play(world: &mut World, step: &Step) -> String {
    world.now += 1;
    let label = || "bug".to_owned();
    match *step {
        Step::Write { branch, path, text } => {
            if world.forge.branch(REPO, BRANCHES[branch]).is_none() {
                world.branch(BRANCHES[branch]);
            }
            let written =
                world.commit(BRANCHES[branch], &format!("f{path}"), &text.to_string(), "Step #1");
            format!("{written:?}")
        }
        Step::Background => format!("{:?}", world.forge.run_background(world.now)),
        Step::Open { head, base } => {
            answer(world, CreatePull(new_pull(BRANCHES[head], BRANCHES[base], "Fixes #1")))
        }
        Step::Merge { number, method } => {
            let methods = [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase];
            answer(world, merge_by(number, methods[method]))
        }
        Step::Label { number, add: true } => {
            answer(world, AddLabels { number, names: vec![label()] })
        }
        Step::Label { number, add: false } => answer(world, RemoveLabel { number, name: label() }),
        Step::Close { number } => {
            let state = Some(StateChange::Close(CloseReason::Completed));
            answer(world, EditIssue { number, edit: IssueEdit { state, ..IssueEdit::default() } })
        }
        Step::Delete { branch } => {
            answer(world, DeleteBranch { branch: BRANCHES[branch].to_owned() })
        }
        Step::Update { number } => answer(world, UpdatePullBranch { number, expected_head: None }),
    }
}

fn answer<O: Operation<Reply: Debug>>(world: &mut World, operation: O) -> String {
    let (response, events) = world.respond("will", operation);
    if response.is_err() {
        assert_eq!(events, []);
    }
    format!("{response:?} {events:?}")
}

fn live(steps: &[Step]) -> (World, Vec<String>) {
    let mut world = World::new();
    world.open_issue("");
    let answers = steps.iter().map(|step| play(&mut world, step)).collect();
    (world, answers)
}

proptest! {
    #[test]
    fn the_same_requests_get_the_same_answers(steps in prop::collection::vec(step(), 0..30)) {
        prop_assert_eq!(live(&steps).1, live(&steps).1);
    }

    #[test]
    fn open_pulls_follow_their_branches_and_are_one_per_pair(
        steps in prop::collection::vec(step(), 0..40),
    ) {
        let (mut world, _answers) = live(&steps);
        let mut pairs = Vec::new();
        for number in 1..20 {
            let (Ok(pull), _) = world.respond("zoe", GetPull { number }) else {
                continue;
            };
            let summary = &pull.summary;
            if summary.issue.state.is_open() {
                prop_assert_eq!(world.forge.branch(REPO, &summary.head), Some(summary.head_sha));
                pairs.push((summary.head.clone(), summary.base.clone()));
            }
            prop_assert_eq!(summary.merged.is_some(), summary.issue.pull.unwrap().merged_at.is_some());
        }
        let count = pairs.len();
        pairs.sort();
        pairs.dedup();
        prop_assert_eq!(pairs.len(), count);
    }

    #[test]
    fn a_trial_merge_is_the_same_from_both_sides(steps in prop::collection::vec(step(), 0..30)) {
        let (mut world, _answers) = live(&steps);
        let tips: Vec<_> = world.forge.branches(REPO).map(|(_name, sha)| sha).collect();
        for base in &tips {
            for head in &tips {
                let one = world.forge.trial_merge(REPO, *base, *head).unwrap();
                let other = world.forge.trial_merge(REPO, *head, *base).unwrap();
                prop_assert_eq!(&one, &other);
                if world.forge.is_ancestor(REPO, *base, *head) {
                    let tree = world.forge.find_commit(REPO, *head).unwrap().tree;
                    prop_assert_eq!(&*one, &Trial::Clean(tree));
                }
            }
        }
    }

    #[test]
    fn a_merge_gives_the_tree_of_the_trial(steps in prop::collection::vec(step(), 0..30)) {
        let (mut world, _answers) = live(&steps);
        for number in 1..20 {
            let (Ok(pull), _) = world.respond("zoe", GetPull { number }) else {
                continue;
            };
            let Some(base) = world.forge.branch(REPO, &pull.summary.base) else { continue };
            let trial = world.forge.trial_merge(REPO, base, pull.summary.head_sha).unwrap();
            let (response, _events) = world.respond("will", merge_by(number, MergeMethod::Merge));
            let Ok(merged) = response else { continue };
            let tree = world.forge.find_commit(REPO, merged.sha).unwrap().tree;
            prop_assert_eq!(&*trial, &Trial::Clean(tree));
        }
    }
}
