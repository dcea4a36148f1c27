//! Lists are read whole or not at all.

use crate::script::{Script, answer, issue, issue_json, ok, repo, says};
use ralph_engine::ports::{Forge, LabelEvents};

const FIRST: &str = "/repos/acme/widgets/labels?per_page=100";

/// A page of labels with its own tag.
fn page(count: usize, tag: &str, next: Option<&str>) -> crate::script::Answer {
    let label =
        |number| format!(r#"{{"name":"{tag}-{number}","color":"ffffff","description":null}}"#);
    let body: Vec<_> = (0..count).map(label).collect();
    let etag = format!("\"{tag}\"");
    let link = next.map(|next| format!("<{next}>; rel=\"next\", <x>; rel=\"last\""));
    let mut headers = vec![("etag", etag.as_str())];
    headers.extend(link.as_deref().map(|link| ("link", link)));
    answer(200, &headers, &format!("[{}]", body.join(",")))
}

fn second() -> String {
    "https://api.github.com/repositories/7/labels?per_page=100&page=2".to_owned()
}

const SECOND: &str = "GET /repositories/7/labels?per_page=100&page=2";

#[test]
fn all_pages_make_the_list_and_each_is_asked_for_again_on_its_own() {
    let first = format!("GET {FIRST}");
    let script = Script::default()
        .on(&first, page(100, "one", Some(&second())))
        .on(&first, answer(304, &[], ""))
        .on(SECOND, page(3, "two", None))
        .on(SECOND, page(4, "three", None));
    let mut client = script.client();
    assert_eq!(client.labels(&repo()).expect("a list").len(), 103);
    let again = client.labels(&repo()).expect("a list");
    assert_eq!(again.len(), 104);
    assert_eq!(again.last().map(|label| label.name.as_str()), Some("three-3"));
    let asked = script.asked();
    assert_eq!(asked.get(2).map(String::as_str), Some(&*format!("{first} if not \"one\"")));
    assert_eq!(asked.get(3).map(String::as_str), Some(&*format!("{SECOND} if not \"two\"")));
}

#[test]
fn after_a_full_last_page_the_next_one_is_asked_for_because_the_tag_does_not_notice_it() {
    let (first, second) = (format!("GET {FIRST}"), format!("GET {FIRST}&page=2"));
    let script = Script::default()
        .on(&first, page(100, "one", None))
        .on(&first, answer(304, &[], ""))
        .on(&second, page(0, "two", None))
        .on(&second, answer(304, &[], ""))
        .on(&second, page(1, "three", None));
    let mut client = script.client();
    for expected in [100, 100, 101] {
        assert_eq!(client.labels(&repo()).expect("a list").len(), expected);
    }
    let tagged = [format!("{first} if not \"one\""), format!("{second} if not \"two\"")];
    assert_eq!(script.asked(), [vec![first, second], tagged.to_vec(), tagged.to_vec()].concat());
}

#[test]
fn a_list_with_a_page_missing_is_not_a_list() {
    for missing in
        [says(502, "no"), says(404, "no"), says(429, "no"), ok("{}"), crate::script::no_answer()]
    {
        let script = Script::default()
            .on(&format!("GET {FIRST}"), page(100, "one", Some(&second())))
            .on(SECOND, missing.clone());
        assert!(script.client().labels(&repo()).is_err(), "{missing:?}");
    }
}

#[test]
fn the_token_is_not_carried_to_another_host() {
    for elsewhere in
        ["https://evil.example/labels?page=2", "http://api.github.com/x", "//evil.example/x"]
    {
        let script =
            Script::default().on(&format!("GET {FIRST}"), page(100, "one", Some(elsewhere)));
        let why = script.client().labels(&repo()).expect_err("no list").why;
        assert!(why.contains("another host"), "{why}");
        assert_eq!(script.asked().len(), 1);
    }
}

#[test]
fn a_list_that_never_ends_is_given_up_with_its_name() {
    let script = Script::default()
        .on(&format!("GET {FIRST}"), page(100, "one", Some(&second())))
        .on(SECOND, page(100, "two", Some(&second())));
    let why = script.client().labels(&repo()).expect_err("no list").why;
    assert!(why.contains(FIRST) && why.contains("200 pages"), "{why}");
    assert_eq!(script.asked().len(), 200);
}

#[test]
fn an_issue_that_moves_between_pages_is_shown_once() {
    let list = "/repos/acme/widgets/issues?state=all&sort=created&direction=asc&per_page=100";
    let issues = |numbers: &[u64]| {
        let all: Vec<_> = numbers.iter().map(|number| issue_json(*number)).collect();
        format!("[{}]", all.join(","))
    };
    let pull = issue_json(4).replace("\"labels\"", "\"pull_request\":{},\"labels\"");
    let script = Script::default()
        .on(
            &format!("GET {list}"),
            answer(
                200,
                &[("link", r#"</repositories/7/issues?page=2>; rel="next""#)],
                &issues(&[1, 2]),
            ),
        )
        .on(
            "GET /repositories/7/issues?page=2",
            ok(&format!("[{},{},{pull}]", issue_json(2), issue_json(3))),
        );
    let found = script.client().issues_since(&repo(), None).expect("a list");
    let keys: Vec<_> = found.iter().map(|issue| issue.key.clone()).collect();
    assert_eq!(keys, [issue(1), issue(2), issue(3)]);
}

#[test]
fn label_events_come_in_order_from_all_pages_without_the_others() {
    let first = "GET /repos/acme/widgets/issues/7/events?per_page=100";
    let event = |id: u64, kind: &str, label: &str| {
        format!(
            r#"{{"id":{id},"event":"{kind}","actor":{{"login":"Ada"}},"created_at":"2026-01-31T12:00:05Z"{label}}}"#
        )
    };
    let label = r#","label":{"name":"ralph:cmd:stop","color":"x"}"#;
    let page_one = format!(
        "[{},{},{}]",
        event(1, "labeled", label),
        event(2, "closed", ""),
        event(3, "unlabeled", label)
    );
    let page_two =
        format!("[{},{}]", event(9_000_000_000_123, "labeled", label), event(5, "labeled", ""));
    let script = Script::default()
        .on(first, answer(200, &[("link", r#"</e?page=2>; rel="next""#)], &page_one))
        .on("GET /e?page=2", ok(&page_two));
    let found = script.client().label_events(&issue(7), 1).expect("a list");
    let LabelEvents::List(found) = found else { panic!("the list is there") };
    let found: Vec<_> = found.iter().map(|event| (event.id, event.is_added)).collect();
    assert_eq!(found, [(3, false), (9_000_000_000_123, true)]);
}

#[test]
fn of_more_issues_than_are_read_the_open_ones_are_listed() {
    let list = |state| {
        format!("/repos/acme/widgets/issues?state={state}&sort=created&direction=asc&per_page=100")
    };
    let endless = answer(200, &[("link", r#"</repositories/7/issues?page=2>; rel="next""#)], "[]");
    let script = Script::default()
        .on(&format!("GET {}", list("all")), endless.clone())
        .on("GET /repositories/7/issues?page=2", endless.clone())
        .on(&format!("GET {}", list("open")), ok(&format!("[{}]", issue_json(3))));
    let found = script.client().issues_since(&repo(), None).expect("a list");
    assert_eq!(found.iter().map(|issue| issue.key.clone()).collect::<Vec<_>>(), [issue(3)]);
    let script = script.on(&format!("GET {}", list("open")), endless);
    let mut client = script.client();
    assert!(client.issues_since(&repo(), None).is_ok());
    let unread = client.issues_since(&repo(), None).expect_err("too many are open, too");
    assert!(unread.is_refused && unread.why.contains("more than 200 pages"), "{unread:?}");
}
