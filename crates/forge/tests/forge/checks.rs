//! Check runs and statuses, and what they gate.

use ralph_forge::{
    CheckAction, CheckOutput, CheckRunUpdate, CheckState, Conclusion, CreateStatus, Enforcement,
    EventKind, GetBranchTip, GetCheckRun, GetCombinedStatus, ListCheckRuns, ListStatuses,
    MergeMethod, MergeState, NewStatus, Page, RequiredChecks, RerequestCheckRun, Rule, Ruleset,
    Sha, StatusState, UpdateCheckRun,
};

use crate::world::{REPO, World, check_run, merge_by, names};

fn status(sha: Sha, context: &str, state: StatusState) -> CreateStatus {
    let context = context.to_owned();
    let status = NewStatus { context, state, description: None, target_url: None };
    CreateStatus { sha, status }
}

fn runs(world: &mut World, all: bool) -> Vec<(String, CheckState)> {
    let reference = "feature".to_owned();
    let call = ListCheckRuns { reference, name: None, all, page: Page::default() };
    let found = world.ask("zoe", call).items;
    found.into_iter().map(|run| (run.name, run.state)).collect()
}

/// A pull to `main`, which requires `ci`.
fn gated() -> (World, u64, Sha) {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    world.require("main", &["ci"], false);
    let head = world.tip("feature");
    (world, number, head)
}

fn passes(world: &mut World, number: u64) -> bool {
    world.judged(number).merge_state != MergeState::Blocked
}

#[test]
fn success_neutral_and_skipped_pass_and_nothing_else() {
    let conclusions = [
        (Conclusion::Success, true),
        (Conclusion::Neutral, true),
        (Conclusion::Skipped, true),
        (Conclusion::Failure, false),
        (Conclusion::TimedOut, false),
        (Conclusion::Cancelled, false),
        (Conclusion::ActionRequired, false),
        (Conclusion::Stale, false),
        (Conclusion::StartupFailure, false),
    ];
    for (conclusion, expected) in conclusions {
        let (mut world, number, head) = gated();
        world.report(head, "ci", conclusion);
        assert_eq!(passes(&mut world, number), expected, "{conclusion:?}");
    }
}

#[test]
fn a_required_context_is_met_by_a_run_or_a_status() {
    let states = [
        (StatusState::Success, true),
        (StatusState::Pending, false),
        (StatusState::Failure, false),
        (StatusState::Error, false),
    ];
    for (state, expected) in states {
        let (mut world, number, head) = gated();
        world.ask("will", status(head, "ci", state));
        assert_eq!(passes(&mut world, number), expected, "{state:?}");
    }
}

#[test]
fn a_name_reported_both_ways_needs_both() {
    for (run, state, expected) in [
        (Conclusion::Success, StatusState::Success, true),
        (Conclusion::Success, StatusState::Pending, false),
        (Conclusion::Failure, StatusState::Success, false),
        (Conclusion::Failure, StatusState::Pending, false),
    ] {
        let (mut world, number, head) = gated();
        world.report(head, "ci", run);
        world.ask("will", status(head, "ci", state));
        assert_eq!(passes(&mut world, number), expected, "{run:?} {state:?}");
    }
}

#[test]
fn contexts_match_by_their_whole_name() {
    let (mut world, number, head) = gated();
    for name in ["CI", "ci / build", "c"] {
        world.report(head, name, Conclusion::Success);
    }
    assert_eq!(world.judged(number).merge_state, MergeState::Blocked);
}

#[test]
fn the_latest_run_of_a_name_counts() {
    let (mut world, number, head) = gated();
    let first = world.report(head, "ci", Conclusion::Failure);
    world.report(head, "ci", Conclusion::Success);
    assert!(passes(&mut world, number));
    let state = Some(CheckState::Completed(Conclusion::Failure));
    let update = CheckRunUpdate { state, ..CheckRunUpdate::default() };
    world.ask("will", UpdateCheckRun { id: first, update });
    assert!(passes(&mut world, number), "a change to an older run does not matter");
    world.ask("will", check_run(head, "ci", CheckState::Queued));
    assert!(!passes(&mut world, number));
}

#[test]
fn the_latest_status_of_a_context_counts() {
    let (mut world, number, head) = gated();
    for (state, expected) in [(StatusState::Failure, false), (StatusState::Success, true)] {
        world.ask("will", status(head, "ci", state));
        assert_eq!(passes(&mut world, number), expected, "{state:?}");
    }
}

#[test]
fn a_push_makes_required_checks_expected_again() {
    let (mut world, number, head) = gated();
    world.report(head, "ci", Conclusion::Success);
    world.write("feature", "more", "1");
    assert_eq!(world.judged(number).merge_state, MergeState::Blocked);
    assert_eq!(
        world.refused("will", merge_by(number, MergeMethod::Merge)),
        "405 Required status check \"ci\" is expected."
    );
}

#[test]
fn rulesets_gate_as_well_while_active() {
    for (enforcement, expected) in [
        (Enforcement::Active, MergeState::Blocked),
        (Enforcement::Evaluate, MergeState::Clean),
        (Enforcement::Disabled, MergeState::Clean),
    ] {
        let mut world = World::new();
        let number = world.pull("feature", "main", "");
        let checks = RequiredChecks { strict: false, contexts: names(&["ci"]) };
        let ruleset = Ruleset {
            name: "gate".to_owned(),
            enforcement,
            branches: vec!["~DEFAULT_BRANCH".to_owned()],
            rules: vec![Rule::RequiredChecks(checks)],
            bypass: names(&["max"]),
        };
        world.forge.add_ruleset(REPO, ruleset).unwrap();
        assert_eq!(world.judged(number).merge_state, expected);
        let (response, _events) = world.respond("ada", merge_by(number, MergeMethod::Merge));
        assert_eq!(response.is_ok(), expected == MergeState::Clean, "owners are not spared");
        if response.is_err() {
            world.ask("max", merge_by(number, MergeMethod::Merge));
        }
    }
}

#[test]
fn a_run_goes_through_its_states_and_completion_is_announced() {
    let (mut world, _number, head) = gated();
    let run = world.ask("will", check_run(head, "ci", CheckState::Queued));
    assert_eq!((run.started_at, run.completed_at), (1_000, None));
    world.now += 60;
    let output = Some(CheckOutput { text: Some("boom".to_owned()), ..CheckOutput::default() });
    let state = Some(CheckState::Completed(Conclusion::Failure));
    let update = CheckRunUpdate { state, output, ..CheckRunUpdate::default() };
    let events = world.events("will", UpdateCheckRun { id: run.id, update });
    let (id, name, action) = (run.id, "ci".to_owned(), CheckAction::Completed);
    assert_eq!(events, [EventKind::CheckRun { id, name, head, action }]);
    let run = world.ask("zoe", GetCheckRun { id: run.id });
    assert_eq!(run.completed_at, Some(1_060));
    assert_eq!(run.output.text.as_deref(), Some("boom"));
}

#[test]
fn a_list_shows_the_latest_of_each_name_unless_all_are_wanted() {
    let (mut world, _number, head) = gated();
    world.report(head, "ci", Conclusion::Failure);
    world.report(head, "lint", Conclusion::Success);
    world.report(head, "ci", Conclusion::Success);
    let success = CheckState::Completed(Conclusion::Success);
    let latest = [("ci".to_owned(), success), ("lint".to_owned(), success)];
    assert_eq!(runs(&mut world, false), latest);
    assert_eq!(runs(&mut world, true).len(), 3);
    let (reference, name) = (head.to_string(), Some("ci".to_owned()));
    let call = ListCheckRuns { reference, name, all: true, page: Page::default() };
    assert_eq!(world.ask("zoe", call).total, 2);
}

#[test]
fn a_rerequest_is_an_event_and_leaves_the_run_as_it_is() {
    let (mut world, _number, head) = gated();
    let id = world.report(head, "ci", Conclusion::Failure);
    let events = world.events("will", RerequestCheckRun { id });
    let (name, action) = ("ci".to_owned(), CheckAction::Rerequested);
    assert_eq!(events, [EventKind::CheckRun { id, name, head, action }]);
    let failure = CheckState::Completed(Conclusion::Failure);
    assert_eq!(runs(&mut world, false), [("ci".to_owned(), failure)]);
    assert_eq!(world.refusal("tess", RerequestCheckRun { id }).status, 403);
}

#[test]
fn the_combined_status_takes_the_latest_of_each_context() {
    let (mut world, _number, head) = gated();
    let combined = |world: &mut World| {
        let call = GetCombinedStatus { reference: "feature".to_owned() };
        let combined = world.ask("zoe", call);
        (combined.state, combined.statuses.len())
    };
    assert_eq!(combined(&mut world), (StatusState::Pending, 0));
    for (context, state, expected) in [
        ("a", StatusState::Error, (StatusState::Failure, 1)),
        ("a", StatusState::Success, (StatusState::Success, 1)),
        ("b", StatusState::Pending, (StatusState::Pending, 2)),
        ("b", StatusState::Success, (StatusState::Success, 2)),
    ] {
        world.ask("will", status(head, context, state));
        assert_eq!(combined(&mut world), expected);
    }
    let call = ListStatuses { reference: head.to_string(), page: Page::default() };
    assert_eq!(world.ask("zoe", call).total, 4);
}

#[test]
fn a_context_takes_1000_statuses_on_a_commit() {
    let (mut world, _number, head) = gated();
    for _ in 0..1_000 {
        world.ask("will", status(head, "ci", StatusState::Pending));
    }
    assert_eq!(world.refusal("will", status(head, "ci", StatusState::Success)).status, 422);
    world.ask("will", status(head, "other", StatusState::Success));
}

#[test]
fn reports_on_an_unknown_commit_are_422_and_need_write_access() {
    let (mut world, _number, head) = gated();
    let unknown = "0".repeat(40).parse().unwrap();
    let queued = CheckState::Queued;
    assert_eq!(world.refusal("will", check_run(unknown, "ci", queued)).status, 422);
    let call = status(unknown, "ci", StatusState::Success);
    assert_eq!(world.refusal("will", call).status, 422);
    assert_eq!(world.refusal("tess", check_run(head, "ci", queued)).status, 403);
    assert_eq!(world.refusal("will", GetBranchTip { branch: "x".to_owned() }).status, 404);
}
