//! `ralph gates`.

use crate::sample_store::sample_home;
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn each_gate_is_shown_with_its_commit_and_what_it_said() {
    assert_snapshot!(sample_home().ralph(&["gates", "acme/widgets", "1"]).shown(), @"
    exit 0
    --- stdout
    acme/widgets#1, run 1-1

    GATE            STATUS   COMMIT      NOTE
    plan_review     pass     -           small and clear
    preflight       fail     5ea1f00d5e  `make check`  2 tests failed
    test_integrity  pending  -
    product_review  pending  -
    devex_review    pending  -
    ci              pending  -

    Ready for a pull request: no

    What the processes said, below Ralph's home:
      runs/1-1/acme__widgets/3-plan_review
      runs/1-1/acme__widgets/5-preflight
    --- stderr
    ");
}

#[test]
fn an_issue_that_was_only_seen_has_no_run() {
    assert_snapshot!(sample_home().ralph(&["gates", "acme/widgets", "3"]).shown(), @"
    exit 0
    --- stdout
    acme/widgets#3 has had no run yet, so no gate has judged anything.
    --- stderr
    ");
}

#[test]
fn as_json_every_gate_has_every_field() {
    let document = sample_home().ralph(&["gates", "acme/widgets", "1", "--json"]).json();
    assert_eq!(document["repo"], "acme/widgets");
    assert_eq!(document["issue"], 1);
    assert_eq!(document["run"], "1-1");
    assert_eq!(document["ready_for_pr"], false);
    assert!(document["artifacts"].is_array());
    let preflight = json!({
        "status": "fail", "reason": "2 tests failed", "skip_reason": null,
        "command": "make check", "commands": [
            {"command": "make lint", "how": "exit status 0", "took": 250},
            {"command": "make check", "how": "exit status 2", "took": 700},
        ], "url": null, "head": "5ea1f00d5ea1f00d5ea1f00d5ea1f00d5ea1f00d",
        "advisory": false, "attempt": 5, "started": 1_704_067_211_000_u64,
        "ended": 1_704_067_212_000_u64, "artifacts": ["runs/1-1/acme__widgets/5-preflight"],
    });
    assert_eq!(document["gates"]["preflight"], preflight);
    let gates = document["gates"].as_object().unwrap();
    let names: Vec<_> = gates.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["ci", "devex_review", "plan_review", "preflight", "product_review", "test_integrity"]
    );
    for (name, gate) in gates {
        let fields: Vec<_> = gate.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = "advisory artifacts attempt command commands ended head reason skip_reason \
                        started status url";
        assert_eq!(fields.join(" "), expected, "{name}");
    }
}

#[test]
fn names_of_repositories_are_compared_without_case() {
    let home = sample_home();
    let lower = home.ralph(&["gates", "acme/widgets", "1", "--json"]);
    assert_eq!(home.ralph(&["gates", "Acme/Widgets", "1", "--json"]), lower);
}
