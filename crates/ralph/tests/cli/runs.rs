//! `ralph runs`.

use crate::home::Home;
use crate::sample_store::{SampleStore, sample_home};
use insta::assert_snapshot;

fn run_twice() -> Home {
    let home = Home::empty();
    drop(SampleStore::begin(&home).work().run_again());
    home
}

#[test]
fn every_run_is_listed_with_what_became_of_it() {
    assert_snapshot!(run_twice().ralph(&["runs"]).shown(), @"
    exit 0
    --- stdout
    RUN  ISSUE           STARTED            STEPS  TOKENS  PULL  WHAT BECAME OF IT
    1-2  acme/widgets#1  2024-01-01 00:00Z  0      -       -     starting workspace
    2-1  acme/widgets#2  2024-01-01 00:00Z  2      -       -     needs a person: The product documents leave a question open. [product-gap]
    1-1  acme/widgets#1  2024-01-01 00:00Z  5      -       -     followed by run 1-2
    --- stderr
    ");
}

#[test]
fn a_run_is_shown_step_by_step() {
    assert_snapshot!(sample_home().ralph(&["runs", "show", "1-1"]).shown(), @"
    exit 0
    --- stdout
    Run 1-1 of acme/widgets#1  Add a --json flag

    now       starting implement
    started   2024-01-01 00:00:05Z
    branch    ralph/issue-1-add-a-json-flag
    worktree  /srv/ralph/worktrees/acme__widgets/slot-0/1/1-1
    base      ba5eba5eba5eba5eba5eba5eba5eba5eba5eba5e
    head      5ea1f00d5ea1f00d5ea1f00d5ea1f00d5ea1f00d
    at work   implement (attempt 6), starting, until 2024-01-01 00:32:12Z at most

    ATTEMPT  STEP         STARTED               TOOK  TOKENS  SESSION  HOW IT ENDED
    1        workspace    2024-01-01 00:00:05Z  3s    -       -        ready
    2        plan         2024-01-01 00:00:08Z  1s    -       -        planned
    3        plan review  2024-01-01 00:00:09Z  1s    -       -        pass
    4        implement    2024-01-01 00:00:10Z  1s    -       -        changed
    5        preflight    2024-01-01 00:00:11Z  1s    -       -        failed: make check

    GATE            STATUS   WHY
    plan_review     pass     small and clear
    preflight       fail     2 tests failed
    test_integrity  pending
    product_review  pending
    devex_review    pending
    ci              pending
    --- stderr
    ");
}

#[test]
fn a_run_that_was_followed_by_another_is_told_by_the_journal() {
    let home = run_twice();
    let first = home.ralph(&["runs", "show", "1-1", "--json"]).json();
    assert_eq!((&first["run"], &first["is_superseded"]), (&"1-1".into(), &true.into()));
    assert_eq!(first["says"], "followed by run 1-2");
    let steps = first["step_records"].as_array().unwrap();
    assert_eq!(steps.len(), 5, "{steps:?}");
    assert_eq!(steps[4]["step"], "preflight");
    assert!(steps.iter().all(|step| step["started"].is_i64() && step["ended"].is_i64()));
    assert_eq!(first["gates"]["preflight"]["status"], "fail");
    let second = home.ralph(&["runs", "show", "1-2", "--json"]).json();
    assert_eq!(
        (&second["is_superseded"], &second["work"]["step"]),
        (&false.into(), &"workspace".into())
    );
}

#[test]
fn artifacts_are_the_files_of_the_run_s_folder() {
    let home = sample_home();
    let folder = home.path().join("runs").join("1-1");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("prompt-2.md"), "plan it").unwrap();
    let record = home.ralph(&["runs", "show", "1-1", "--json"]).json();
    assert_eq!(record["artifacts"].as_array().unwrap().len(), 1);
    assert!(record["plan"].is_null() || record["plan"].is_string());
    assert!(home.ralph(&["runs", "show", "1-1"]).stdout.contains("HOME/runs/1-1/prompt-2.md"));
}

#[test]
fn the_list_as_json_has_every_run() {
    let list = run_twice().ralph(&["runs", "--json"]).json();
    let runs: Vec<_> =
        list["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    assert_eq!(runs, ["1-2", "2-1", "1-1"], "the one begun last first");
}

#[test]
fn a_run_that_is_not_known_is_told_apart_from_a_failure() {
    let home = sample_home();
    assert_snapshot!(home.ralph(&["runs", "show", "9-1"]).shown(), @"
    exit 1
    --- stdout
    --- stderr
    Error: there is no run 9-1 in the state store
    Hint: `ralph runs` lists the runs that are known
    ");
    assert_snapshot!(home.ralph(&["runs", "show", "1-1", "--repo", "acme/other"]).shown(), @"
    exit 1
    --- stdout
    --- stderr
    Error: there is no run 1-1 in the state store
    Hint: `ralph runs` lists the runs that are known
    ");
    assert_snapshot!(home.ralph(&["runs", "show", "first"]).shown(), @"
    exit 2
    --- stdout
    --- stderr
    error: invalid value 'first' for '<ID>': not the id of a run; write the issue's number and which run of it, as in 42-1; `ralph runs` lists them

    For more information, try '--help'.
    ");
}

#[test]
fn a_store_without_claims_has_no_runs() {
    let home = Home::empty();
    drop(SampleStore::begin(&home));
    assert_eq!(
        home.ralph(&["runs"]).stdout,
        "No issue has been claimed yet, so there is no run.\n"
    );
}

#[test]
fn an_id_that_several_repositories_have_needs_the_repository() {
    let home = Home::empty();
    drop(SampleStore::begin(&home).claim_elsewhere().work());
    assert_snapshot!(home.ralph(&["runs", "show", "1-1"]).shown(), @"
    exit 1
    --- stdout
    --- stderr
    Error: several repositories have a run 1-1: acme/gadgets, acme/widgets
    Hint: name the repository with --repo OWNER/NAME
    ");
    let ran = home.ralph(&["runs", "show", "1-1", "--repo", "acme/gadgets", "--json"]);
    assert_eq!(ran.json()["repo"], "acme/gadgets");
}
