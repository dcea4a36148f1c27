//! Lists with an entry that makes no sense.

use crate::script::{Script, answer, issue, issue_json, ok, repo, sha};
use ralph_core::pull::CheckState;
use ralph_core::time::Time;
use ralph_engine::ports::Forge;

#[test]
fn one_entry_that_makes_no_sense_is_left_out_of_a_list_and_told_each_time() {
    let list = "GET /repos/acme/widgets/issues?state=all&sort=created&direction=asc&per_page=100";
    let bad = [
        r#"{"number":4,"title":7,"updated_at":"2026-01-31T10:00:00Z"}"#,
        r#"{"number":4,"state":"open","updated_at":null}"#,
        "null",
        "[]",
    ];
    for bad in bad {
        let page = format!("[{},{bad},{}]", issue_json(3), issue_json(5));
        let script = Script::default().on(list, answer(200, &[("etag", "\"one\"")], &page));
        let mut client = script.client();
        for _ in 0..2 {
            let found = client.issues_since(&repo(), None).expect("a list");
            let numbers: Vec<_> = found.iter().map(|issue| issue.key.number).collect();
            assert_eq!(numbers, [3, 5], "{bad}");
            let skipped = client.skipped();
            assert_eq!(skipped.len(), 1, "{bad}");
            assert!(skipped[0].why.contains("is left out"), "{skipped:?}");
            assert_eq!(skipped[0].updated.is_some(), bad.contains("10:00:00"), "{skipped:?}");
        }
    }
    let script = Script::default().on(list, ok("{}"));
    assert!(script.client().issues_since(&repo(), None).is_err(), "no list at all");
}

#[test]
fn one_entry_that_makes_no_sense_costs_that_entry() {
    let commit = format!("GET /repos/acme/widgets/commits/{}", sha('a'));
    let comment = r#"{"id":5,"user":{"login":"ann"},"body":"RALPH RESOLVED: yes","created_at":"2026-01-31T12:00:05Z",
        "updated_at":"2026-01-31T12:00:05Z"}"#;
    let script = Script::default()
        .on("GET /repos/acme/widgets/issues/7/comments?since=1970-01-01T00%3A00%3A00Z&per_page=100", ok(&format!(r#"[{{"id":null}},{comment}]"#)))
        .on(
            "GET /repos/acme/widgets/labels?per_page=100",
            ok(r#"[{"name":null},{"name":"ralph:cmd:stop","color":"C5DEF5","description":null}]"#),
        )
        .on(
            &format!("{commit}/check-runs?filter=latest&per_page=100"),
            ok(r#"{"check_runs":[{"name":7},{"name":"odd","status":null},
                {"name":"ci","status":"completed","conclusion":"success"}]}"#),
        )
        .on(
            &format!("{commit}/status?per_page=100"),
            ok(r#"{"statuses":[{"context":null},{"context":"lint","state":{}},{"context":"cd","state":"success"}]}"#),
        );
    let mut client = script.client();
    assert_eq!(client.comments_since(&issue(7), Time(0)).expect("a read").len(), 1);
    assert_eq!(client.skipped().len(), 1);
    assert_eq!(client.labels(&repo()).expect("a read").len(), 1);
    assert_eq!(client.skipped().len(), 1);
    let checks = client.checks(&repo(), &sha('a')).expect("a read");
    let states: Vec<_> = ["ci", "odd", "cd", "lint"].map(|name| checks.state_of(name)).into();
    let (pass, pending) = (CheckState::Pass, CheckState::Pending);
    assert_eq!(
        states,
        [pass, pending, pass, pending],
        "nothing passes because of what is left out"
    );
    let reported: Vec<_> = client.skipped().into_iter().map(|skipped| skipped.why).collect();
    assert_eq!(reported.len(), 4);
    assert!(reported.iter().all(|why| why.contains("which is left out")), "{reported:?}");
}
