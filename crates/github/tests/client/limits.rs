//! Writes: what is known afterwards, and how limits hold back everything that follows.

use crate::script::{
    Answer as Given, HandClock, NOW, Script, answer, branch, issue, issue_json, no_answer,
    not_sent, ok, repo, says, sha,
};
use ralph_core::ids::{CommentId, PullNumber};
use ralph_core::policy::MergeMethod;
use ralph_core::time::{Span, Time};
use ralph_engine::ports::{Answer, Forge, LabelDefinition, NewPull, RefusalKind};
use ralph_github::{Client, DegradedKind};

const MERGE: &str = "PUT /repos/acme/widgets/pulls/9/merge";
const LABELS: &str = "POST /repos/acme/widgets/issues/7/labels";

fn merge(client: &mut Client<Script>) -> Answer<ralph_core::ids::Sha> {
    client.merge(&repo(), PullNumber(9), &sha('a'), MergeMethod::Squash)
}

fn outcome<V>(answer: &Answer<V>) -> &'static str {
    match answer {
        Answer::Happened(_) => "happened",
        Answer::Refused(refusal) => match refusal.kind {
            RefusalKind::Missing => "missing",
            RefusalKind::Exists => "exists",
            RefusalKind::Other | RefusalKind::NeverHappened => "refused",
        },
        Answer::Later { until: Some(_), .. } => "later, reported when",
        Answer::Later { until: None, .. } => "later",
        Answer::Unknown { .. } => "unknown",
    }
}

#[test]
fn a_merge_happened_only_if_the_forge_says_so() {
    let merged = format!(r#"{{"sha":"{}","merged":true,"message":"done"}}"#, sha('b'));
    for (given, expected) in [
        (ok(&merged), "happened"),
        (ok(&merged.replace("true", "false")), "refused"),
        (ok("<html>"), "unknown"),
        (says(405, "Pull Request is not mergeable"), "refused"),
        (says(409, "Head branch was modified"), "refused"),
        (says(404, "Not Found"), "missing"),
        (says(401, "Bad credentials"), "later, reported when"),
        (says(403, "You have exceeded a secondary rate limit"), "later, reported when"),
        (says(403, "Resource not accessible"), "refused"),
        (says(500, "oops"), "unknown"),
        (no_answer(), "unknown"),
        (not_sent(), "later"),
        (answer(304, &[], ""), "unknown"),
    ] {
        let script = Script::default().on(MERGE, given.clone());
        assert_eq!(outcome(&merge(&mut script.client())), expected, "{given:?}");
        let body = format!(r#"{{"sha":"{}","merge_method":"squash"}}"#, sha('a'));
        assert_eq!(script.bodies(), [body]);
    }
}

#[test]
fn each_write_sends_what_it_should_and_nothing_else() {
    let answers = [
        (LABELS, ok("[]")),
        ("DELETE /repos/acme/widgets/issues/7/labels/ralph%3Acmd%3Astop", ok("[]")),
        (
            "POST /repos/acme/widgets/issues/7/comments",
            ok(r#"{"id":5,"body":"x","created_at":"2026-01-31T12:00:05Z"}"#),
        ),
        ("PATCH /repos/acme/widgets/issues/comments/5", ok("{}")),
        ("PATCH /repos/acme/widgets/issues/7", ok("{}")),
        ("PATCH /repos/acme/widgets/pulls/9", ok("{}")),
        ("POST /repos/acme/widgets/labels", ok("{}")),
        ("PATCH /repos/acme/widgets/labels/a%20b%2Fc", ok("{}")),
        ("POST /repos/acme/widgets/git/refs", ok("{}")),
    ];
    let script = answers
        .into_iter()
        .fold(Script::default(), |script, (request, answer)| script.on(request, answer));
    let mut client = script.client();
    let label = |name: &str| LabelDefinition {
        name: name.to_owned(),
        color: "FBCA04".to_owned(),
        description: "d".to_owned(),
    };
    assert_eq!(client.add_label(&issue(7), "a\"b🦀"), Answer::Happened(()));
    assert_eq!(client.remove_label(&issue(7), "ralph:cmd:stop"), Answer::Happened(()));
    assert_eq!(client.create_comment(&issue(7), "x\n"), Answer::Happened(CommentId(5)));
    assert_eq!(client.edit_comment(&issue(7), CommentId(5), "y"), Answer::Happened(()));
    assert_eq!(client.close_issue(&issue(7)), Answer::Happened(()));
    assert_eq!(client.edit_pull(&repo(), PullNumber(9), "z"), Answer::Happened(()));
    assert_eq!(client.create_label(&repo(), &label("a b/c")), Answer::Happened(()));
    assert_eq!(client.edit_label(&repo(), &label("a b/c")), Answer::Happened(()));
    assert_eq!(client.create_branch(&repo(), &branch("bot/x"), &sha('a')), Answer::Happened(()));
    let reference = format!(r#"{{"ref":"refs/heads/bot/x","sha":"{}"}}"#, sha('a'));
    assert_eq!(
        script.bodies(),
        [
            r#"{"labels":["a\"b🦀"]}"#,
            "",
            r#"{"body":"x\n"}"#,
            r#"{"body":"y"}"#,
            r#"{"state":"closed","state_reason":"completed"}"#,
            r#"{"body":"z"}"#,
            r#"{"name":"a b/c","color":"FBCA04","description":"d"}"#,
            r#"{"color":"FBCA04","description":"d"}"#,
            &reference,
        ]
    );
}

#[test]
fn what_is_there_already_is_told_from_other_refusals() {
    let exists = r#"{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"A pull request already exists for acme:x."}]}"#;
    let (head, base) = (branch("x"), branch("bot"));
    let new = NewPull { head: &head, base: &base, title: "t", body: "b" };
    for (given, expected) in [
        (answer(422, &[], exists), "exists"),
        (says(422, "Validation Failed"), "refused"),
        (says(201, "not a pull request"), "unknown"),
    ] {
        let script = Script::default().on("POST /repos/acme/widgets/pulls", given);
        assert_eq!(outcome(&script.client().open_pull(&repo(), &new)), expected);
    }
}

#[test]
fn a_pull_request_just_opened_is_known_from_the_answer_once() {
    let (head, base) = (branch("x"), branch("bot"));
    let new = NewPull { head: &head, base: &base, title: "t", body: "b" };
    let json = |letter| {
        let end = format!(r#"{{"sha":"{}","ref":"bot"}}"#, sha(letter));
        ok(&format!(r#"{{"number":9,"state":"open","head":{end},"base":{end}}}"#))
    };
    let script = Script::default()
        .on("POST /repos/acme/widgets/pulls", json('a'))
        .on("GET /repos/acme/widgets/pulls/9", json('b'));
    let clock = HandClock::new();
    let mut client = script.client_at(&clock);
    let mut opens_and_looks = |after: Span| {
        let Answer::Happened(opened) = client.open_pull(&repo(), &new) else {
            unreachable!("not opened");
        };
        clock.set(clock.now().plus(after));
        let looks = [(); 2].map(|()| client.pull(&repo(), opened.number).expect("a read"));
        looks.map(|pull| pull.expect("a pull request").head)
    };
    assert_eq!(opens_and_looks(Span::from_secs(1)), [sha('a'), sha('b')]);
    assert_eq!(opens_and_looks(Span(1_001)), [sha('b'), sha('b')]);
}

/// A read that meets this answer, and what is sent when more is asked right after it.
fn strike(given: Given) -> (Script, HandClock, Client<Script>) {
    let script = Script::default()
        .on("GET /repos/acme/widgets/issues/7", given)
        .on("GET /repos/acme/widgets/issues/7", ok(&issue_json(7)))
        .on(LABELS, ok("[]"));
    let clock = HandClock::new();
    let mut client = script.client_at(&clock);
    assert!(client.issue(&issue(7)).is_err());
    script.asked();
    (script, clock, client)
}

fn reported(client: &Client<Script>) -> (DegradedKind, Option<Time>) {
    let degraded = client.account().snapshot().degraded.expect("degraded");
    (degraded.kind, degraded.until)
}

#[test]
fn a_limit_holds_back_everything_until_its_time_and_status_says_so() {
    let reset = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
    let used_up = [(reset[0], "5000"), (reset[1], "0"), (reset[2], "1769860865")];
    let a_minute = NOW.plus(Span::from_secs(61));
    for (given, until) in [
        (answer(403, &used_up, "{}"), a_minute),
        (answer(429, &[("retry-after", "61")], "{}"), a_minute),
        (
            answer(403, &[("retry-after", "61"), used_up[0], (reset[1], "17"), used_up[2]], "{}"),
            a_minute,
        ),
    ] {
        let (script, clock, mut client) = strike(given);
        assert_eq!(reported(&client), (DegradedKind::Limit, Some(until)));
        clock.set(until.minus(Span(1)));
        let Answer::Later { until: held, why } = client.add_label(&issue(7), "x") else {
            unreachable!("a label went out");
        };
        assert_eq!(held, Some(until));
        assert!(why.contains("/repos/acme/widgets/issues/7") && why.contains("4"), "{why}");
        assert_eq!(client.issue(&issue(7)).expect_err("held").until, Some(until));
        assert_eq!(script.asked(), Vec::<String>::new());
        clock.set(until);
        assert!(client.issue(&issue(7)).is_ok());
        assert_eq!(client.account().snapshot().degraded, None);
    }
}

#[test]
fn a_refused_token_is_named_as_such_and_not_shown() {
    let (script, clock, mut client) = strike(says(401, "Bad credentials"));
    let (kind, until) = reported(&client);
    assert_eq!(kind, DegradedKind::Credentials);
    let why = client.issue(&issue(7)).expect_err("held").why;
    assert!(why.contains("401: Bad credentials") && why.contains("credentials"), "{why}");
    assert!(!format!("{client:?}{why}").contains(crate::script::TOKEN));
    assert_eq!(script.asked(), Vec::<String>::new());
    clock.set(until.expect("a time"));
    assert!(client.issue(&issue(7)).is_ok());
}

#[test]
fn trouble_without_an_answer_is_shown_and_holds_nothing_back() {
    for given in [no_answer(), not_sent(), says(503, "down")] {
        let (_script, _clock, mut client) = strike(given);
        assert_eq!(reported(&client), (DegradedKind::Unreachable, None));
        assert!(client.issue(&issue(7)).is_ok());
        assert_eq!(client.account().snapshot().degraded, None);
    }
}

#[test]
fn with_little_left_labels_wait_for_the_reset_and_merges_go_on() {
    let low = [
        ("x-ratelimit-limit", "5000"),
        ("x-ratelimit-remaining", "90"),
        ("x-ratelimit-reset", "1769860865"),
    ];
    let merged = format!(r#"{{"sha":"{}","merged":true}}"#, sha('b'));
    let script = Script::default()
        .on("GET /repos/acme/widgets/issues/7", answer(200, &low, &issue_json(7)))
        .on(MERGE, ok(&merged));
    let mut client = script.client();
    assert!(client.issue(&issue(7)).is_ok());
    let reset = Some(NOW.plus(Span::from_secs(61)));
    assert_eq!(client.issue(&issue(7)).expect_err("kept for merges").until, reset);
    assert_eq!(outcome(&client.add_label(&issue(7), "x")), "later, reported when");
    assert_eq!(outcome(&merge(&mut client)), "happened");
    assert_eq!(outcome(&merge(&mut client)), "later, reported when", "writes keep a distance");
    let snapshot = client.account().snapshot();
    assert_eq!(
        snapshot.primary.map(|primary| (primary.limit, primary.remaining)),
        Some((5_000, 90))
    );
}
