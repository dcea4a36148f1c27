//! Properties of every history. The story's own checks follow each fact: the decision is sane, deciding again moves
//! nothing, and deciding piece by piece equals deciding everything.

use crate::generator::{Event, event, happen, keys, world};
use crate::story::Story;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::decide::decide;
use ralph_core::effect::{Effect, IssueAct};
use ralph_core::gate::Gate;
use ralph_core::hidden_marker;
use ralph_core::ids::IssueKey;
use ralph_core::issue::{Managed, Phase};
use ralph_core::run::Run;
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::words;
use ralph_core::world::World;
use std::collections::BTreeMap;

/// GitHub's limit for the text of a comment or a pull request.
const BODY_CHARS_MAX: usize = 65_536;

fn spent_is_within_limits(story: &Story, run: &Run) -> Result<(), TestCaseError> {
    let limits = &story.policy.repos.values().next().expect("a repository").limits;
    let spent = &run.spent;
    for (name, used, limit) in [
        (
            "workspace",
            spent.of(Bound::Step(Step::Workspace)),
            limits.of(Bound::Step(Step::Workspace)),
        ),
        ("setup", spent.of(Bound::Step(Step::Setup)), limits.of(Bound::Step(Step::Setup))),
        ("plan", spent.of(Bound::Step(Step::Plan)), limits.of(Bound::Step(Step::Plan))),
        (
            "implement",
            spent.of(Bound::Step(Step::Implement)),
            limits.of(Bound::Step(Step::Implement)),
        ),
        (
            "reviews",
            spent.of(Bound::Step(Step::ProductReview)),
            limits.of(Bound::Step(Step::ProductReview)),
        ),
        (
            "preflights",
            spent.of(Bound::Step(Step::Preflight)),
            limits.of(Bound::Step(Step::Preflight)),
        ),
        ("pushes", spent.of(Bound::PUSH_REFUSALS), limits.of(Bound::PUSH_REFUSALS)),
        ("pulls", spent.of(Bound::PULL_REFUSALS), limits.of(Bound::PULL_REFUSALS)),
        ("merges", spent.of(Bound::MERGE_REFUSALS), limits.of(Bound::MERGE_REFUSALS)),
        ("updates", spent.of(Bound::BRANCH_UPDATES), limits.of(Bound::BRANCH_UPDATES)),
        ("refused updates", spent.of(Bound::UPDATE_REFUSALS), limits.of(Bound::UPDATE_REFUSALS)),
        ("interruptions", spent.of(Bound::INTERRUPTIONS), limits.of(Bound::INTERRUPTIONS)),
    ] {
        prop_assert!(used <= limit, "{name}: {used} of {limit}");
    }
    for gate in Gate::ALL {
        let repairs = run.gates.get(gate).map_or(0, |record| record.repairs);
        prop_assert!(repairs <= limits.of(Bound::VERDICT_REPAIRS) + 1, "{gate}: {repairs} repairs");
    }
    Ok(())
}

fn nothing_is_wrong(story: &Story) -> Result<(), TestCaseError> {
    for key in keys() {
        let Some(managed) = story.issue(key.clone()).managed.as_deref() else { continue };
        if let Some(run) = &managed.run {
            spent_is_within_limits(story, run)?;
        }
        let is_running = matches!(managed.phase, Phase::Running { .. });
        let decision = story.decision(key.clone());
        let steps = decision.effects.iter().filter(|effect| effect.is_step()).count();
        prop_assert!(steps <= usize::from(is_running && !managed.is_paused), "{decision:?}");
        let is_label = |effect: &&Effect| {
            let Effect::Issue(_, act) = effect else { return false };
            matches!(act, IssueAct::AddLabel { .. } | IssueAct::RemoveLabel { .. })
        };
        let labels = decision.effects.iter().filter(is_label).count();
        prop_assert!(labels <= 1, "{decision:?}");
        let standing = decision.standing.as_ref().expect("a verdict for every managed issue");
        prop_assert!(!words::standing(standing).is_empty());
    }
    for effect in story.wanted() {
        if let Effect::Issue(key, act) = &effect {
            nothing_is_wrong_with(story, key, act)?;
        }
    }
    slots_are_kept(story)
}

fn nothing_is_wrong_with(
    story: &Story,
    key: &IssueKey,
    act: &IssueAct,
) -> Result<(), TestCaseError> {
    if let IssueAct::CreateComment { slot, body } | IssueAct::EditComment { slot, body, .. } = act {
        prop_assert_eq!(hidden_marker::find(body), Some(words::marker(key, slot)));
        prop_assert!(body.chars().count() < BODY_CHARS_MAX);
    }
    if let IssueAct::OpenPull { base, .. } = act {
        prop_assert_eq!(base.as_str(), "bot/integration");
        prop_assert!(story.run(key.clone()).is_ready_for_pull());
    }
    if let IssueAct::Merge { head, .. } = act {
        let run = story.run(key.clone());
        prop_assert!(run.is_ready_for_merge());
        prop_assert_eq!(run.pushed.as_ref(), Some(head));
    }
    Ok(())
}

fn slots_are_kept(story: &Story) -> Result<(), TestCaseError> {
    prop_assert!(story.world.busy() <= story.policy.max_workers);
    for (name, queues) in story.world.all_queues() {
        let rules = &story.policy.repos[name];
        prop_assert!(queues.busy.len() <= rules.slots as usize);
        prop_assert!(queues.claimed.len() <= rules.claims_max as usize);
    }
    Ok(())
}

/// Checks that a world read back from its rows has the same indexes.
fn rows_are_everything(story: &Story) -> Result<(), TestCaseError> {
    let mut loaded = World::default();
    story.world.repos().for_each(|(name, repo)| loaded.load_repo(name.clone(), repo.clone()));
    story.world.issues().for_each(|(key, issue)| loaded.load_issue(key.clone(), issue.clone()));
    prop_assert_eq!(loaded.busy(), story.world.busy());
    let decided =
        |world: &World| decide(world, &world.everything(&story.policy), story.now, &story.policy);
    prop_assert_eq!(decided(&loaded), decided(&story.world));
    prop_assert_eq!(decided(&loaded), decided(&loaded), "asked twice, answered twice the same");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn whatever_happens_the_rules_hold(events in prop::collection::vec(event(), 1..150)) {
        let mut story = world();
        for event in &events {
            happen(&mut story, event);
            nothing_is_wrong(&story)?;
        }
        rows_are_everything(&story)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn once_everything_goes_well_again_every_issue_comes_to_an_end(
        events in prop::collection::vec(event(), 1..80),
    ) {
        let mut story = world();
        for event in &events {
            happen(&mut story, event);
        }
        calm(&mut story);
        for key in keys() {
            let Some(managed) = story.issue(key.clone()).managed.as_deref() else { continue };
            let is_settled = match &managed.phase {
                Phase::Queued | Phase::Parked { .. } => managed.is_paused || managed.blocked.is_some(),
                Phase::Running { .. } => managed.is_paused,
                Phase::Out | Phase::Escalated { .. } | Phase::Stopped { .. } | Phase::Done { .. } => true,
                Phase::InBot { .. } => key.repo.as_str() == "acme/lib",
            };
            prop_assert!(is_settled, "{key}: {}", story.stands(key.clone()));
        }
        prop_assert_eq!(story.wanted(), []);
        prop_assert_eq!(story.world.busy(), 0);
    }
}

/// Found by a random history: the pull request of a child that was satisfied by command is part of its parent's prompt,
/// also when it is no longer a child.
#[test]
fn a_parent_is_decided_again_when_a_child_gets_a_pull_request() {
    use Event::{Finish, GoOn, Native, Order};
    let queue = |issue| Order(issue, Command::Queue, true, true);
    for leaves in [None, Some(Native(3, None, false))] {
        let satisfy = Order(2, Command::Satisfy, true, false);
        let [two, three] = [2, 3].map(GoOn);
        let begins = [Native(3, Some(2), true), queue(2), two.clone(), two.clone(), satisfy];
        let goes_on = [two.clone(), two.clone(), two.clone(), queue(3), three];
        let ends = [two.clone(), two.clone(), two, Finish(3, 0), GoOn(0)];
        let mut story = world();
        for event in begins.iter().chain(&goes_on).chain(&leaves).chain(&ends) {
            happen(&mut story, event);
            nothing_is_wrong(&story).expect("nothing wrong");
        }
    }
}

/// Random histories prove little if they never get anywhere.
#[test]
fn random_lives_get_everywhere() {
    let mut runner = TestRunner::deterministic();
    let lives = prop::collection::vec(event(), 400);
    let mut been = BTreeMap::<&str, u32>::new();
    for _ in 0..40 {
        let mut story = world();
        for event in lives.new_tree(&mut runner).expect("a life").current() {
            happen(&mut story, &event);
            for key in keys() {
                let Some(managed) = story.issue(key).managed.as_deref() else { continue };
                *been.entry(place(managed)).or_default() += 1;
            }
        }
    }
    let places =
        ["done", "escalated", "in-bot", "out", "parked", "paused", "queued", "running", "stopped"];
    assert_eq!(been.keys().copied().collect::<Vec<_>>(), places);
}

const fn place(managed: &Managed) -> &'static str {
    match managed.phase {
        _ if managed.is_paused => "paused",
        Phase::Out => "out",
        Phase::Queued => "queued",
        Phase::Running { .. } => "running",
        Phase::Parked { .. } => "parked",
        Phase::Escalated { .. } => "escalated",
        Phase::Stopped { .. } => "stopped",
        Phase::InBot { .. } => "in-bot",
        Phase::Done { .. } => "done",
    }
}

/// Ends all faults: reads succeed, processes succeed, writes go through.
fn calm(story: &mut Story) {
    happen(story, &Event::Drain(false));
    happen(story, &Event::Required(2));
    for _ in 0..80 {
        story.passes(Span::from_secs(61));
        for _ in 0..40 {
            happen(story, &Event::Perform(0));
        }
        for at in 0..keys().len() {
            happen(story, &Event::Finish(at, 0));
            happen(story, &Event::Pull(at, 0));
            happen(story, &Event::Checks(at, "success"));
            happen(story, &Event::Reach(at, true));
        }
    }
    for _ in 0..40 {
        happen(story, &Event::Perform(0));
    }
}
