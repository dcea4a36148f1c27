//! Answers in all the shapes GitHub gives them, and what the port makes of them.

use crate::script::{Script, answer, branch, issue, issue_json, ok, repo, says, sha};
use ralph_core::ids::{Login, PullNumber};
use ralph_core::policy::MergeMethod;
use ralph_core::pull::{CheckState, Mergeable, PullState, Required};
use ralph_engine::ports::{Forge, Read, Related, RelationCount, Relations, Rights};

const ISSUE: &str = "GET /repos/acme/widgets/issues/7";

#[test]
fn an_issue_is_read_with_quotes_emoji_line_ends_and_shell_in_it() {
    let body = r#"{"number":7,"title":"\"It's\" 🦀 $(rm -rf /)\nnext","body":"a\r\nb\u0000","state":"closed",
        "user":null,"labels":["bare",{"name":"Ralph:Queued","color":"0366D6"},{"name":null}],
        "updated_at":"2026-01-31T12:00:05Z","a_field_from_the_future":{"x":[1,2]},"sub_issues_summary":null,
        "issue_dependencies_summary":{"blocked_by":0,"total_blocked_by":1,"blocking":0},
        "repository_url":"https://api.github.com/repos/Acme/Other"}"#;
    let found = Script::default().on(ISSUE, ok(body)).client().issue(&issue(7));
    let found = found.expect("a read").expect("an issue");
    assert_eq!(&*found.title, "\"It's\" 🦀 $(rm -rf /)\nnext");
    assert_eq!(found.body, "a\r\nb\0");
    assert_eq!((found.open, found.relations), (false, RelationCount::Some));
    assert_eq!(found.author, Login::new("ghost"));
    assert_eq!(
        found.labels.iter().map(|name| &**name).collect::<Vec<_>>(),
        ["Ralph:Queued", "bare"]
    );
    assert_eq!(found.key.to_string(), "acme/other#7");
    assert_eq!(found.updated, crate::script::NOW);
}

#[test]
fn a_body_of_200_kilobytes_is_read_whole() {
    let text = "0123456789".repeat(20_000);
    let body = issue_json(7).replace("\"body\":null", &format!("\"body\":\"{text}\""));
    let found = Script::default().on(ISSUE, ok(&body)).client().issue(&issue(7));
    assert_eq!(found.expect("a read").expect("an issue").body.len(), 200_000);
}

const HERE: &str = "GET /repos/acme/widgets";

fn here() -> crate::script::Answer {
    ok(r#"{"full_name":"acme/widgets","default_branch":"main"}"#)
}

#[test]
fn only_the_forges_own_word_makes_an_issue_gone() {
    for (given, expected) in [
        (says(404, "Not Found"), "gone"),
        (says(410, "This issue was deleted"), "gone"),
        (says(301, "Moved Permanently"), "gone"),
        (says(308, "Permanent Redirect"), "gone"),
        (says(403, "Resource not accessible"), "unread"),
        (says(502, "Bad gateway"), "unread"),
        (ok("{}"), "unread"),
        (ok("not json"), "unread"),
        (ok(""), "unread"),
        (answer(304, &[], ""), "unread"),
    ] {
        let script = Script::default().on(ISSUE, given.clone()).on(HERE, here());
        let found = match script.client().issue(&issue(7)) {
            Ok(Some(_)) => "found",
            Ok(None) => "gone",
            Err(_) => "unread",
        };
        assert_eq!(found, expected, "{given:?}");
    }
}

#[test]
fn an_issue_is_not_gone_because_its_repository_is_out_of_sight_or_has_another_name() {
    for status in [404, 410, 301] {
        let script = Script::default().on(ISSUE, says(status, "")).on(HERE, says(404, "Not Found"));
        let unread = script.client().issue(&issue(7)).expect_err("no answer to that");
        assert!(
            unread.is_refused && unread.why.contains("acme/widgets is not there"),
            "{unread:?}"
        );
    }
    let moved = |to| answer(301, &[("location", to)], r#"{"message":"Moved Permanently"}"#);
    let script = Script::default()
        .on(ISSUE, moved("https://api.github.com/repositories/7/issues/7"))
        .on(HERE, moved("https://api.github.com/repositories/7"))
        .on("GET /repositories/7", ok(r#"{"full_name":"acme/gizmos","default_branch":"main"}"#));
    let mut client = script.client();
    for _ in 0..2 {
        let why = client.issue(&issue(7)).expect_err("renamed").why;
        assert_eq!(
            why,
            "acme/widgets was renamed to acme/gizmos: write its new name into the configuration and \
             start Ralph again"
        );
    }
    assert_eq!(script.asked().len(), 4, "where it is now is asked once");
}

#[test]
fn that_a_repository_was_there_a_moment_ago_does_not_make_its_next_issue_gone() {
    let known = || {
        answer(
            200,
            &[("etag", "\"one\"")],
            r#"{"full_name":"acme/widgets","default_branch":"main"}"#,
        )
    };
    let moved = |to| answer(301, &[("location", to)], r#"{"message":"Moved Permanently"}"#);
    for (gone, repository, why) in [
        (
            moved("https://api.github.com/repositories/7/issues/7"),
            moved("https://api.github.com/repositories/7"),
            "renamed to acme/gizmos",
        ),
        (says(404, "Not Found"), says(404, "Not Found"), "acme/widgets is not there"),
    ] {
        let script = Script::default()
            .on(ISSUE, says(410, "This issue was deleted"))
            .on(ISSUE, gone)
            .on(HERE, known())
            .on(HERE, repository)
            .on(
                "GET /repositories/7",
                ok(r#"{"full_name":"acme/gizmos","default_branch":"main"}"#),
            );
        let mut client = script.client();
        assert_eq!(client.issue(&issue(7)).expect("a read"), None, "deleted");
        let unread = client.issue(&issue(7)).expect_err("no answer to that");
        assert!(unread.is_refused && unread.why.contains(why), "{unread:?}");
    }
}

#[test]
fn a_repository_that_stays_is_asked_for_once_for_each_issue_that_is_gone_and_at_no_cost() {
    let script = Script::default()
        .on(ISSUE, says(301, "Moved Permanently"))
        .on(
            HERE,
            answer(
                200,
                &[("etag", "\"one\"")],
                r#"{"full_name":"acme/widgets","default_branch":"main"}"#,
            ),
        )
        .on(HERE, answer(304, &[], ""));
    let mut client = script.client();
    for _ in 0..2 {
        assert_eq!(client.issue(&issue(7)).expect("a read"), None, "moved");
    }
    assert_eq!(script.asked(), [ISSUE, HERE, ISSUE, &format!("{HERE} if not \"one\"")]);
}

#[test]
fn a_mark_is_not_missing_because_its_repository_is_out_of_sight() {
    let mark = "GET /repos/acme/widgets/git/ref/ralph/instance";
    let script = Script::default().on(mark, says(404, "Not Found")).on(HERE, here());
    assert_eq!(script.client().mark(&repo()).expect("a read"), None);
    let script = Script::default().on(mark, says(404, "")).on(HERE, says(404, "Not Found"));
    let unread = script.client().mark(&repo()).expect_err("no answer to that");
    assert!(unread.is_refused && unread.why.contains("acme/widgets is not there"), "{unread:?}");
}

#[test]
fn each_list_of_relations_is_taken_by_itself() {
    let blocked_by = "GET /repos/acme/widgets/issues/7/dependencies/blocked_by?per_page=100";
    let children = "GET /repos/acme/widgets/issues/7/sub_issues?per_page=100";
    let there = |script: Script| script.on(ISSUE, ok(&issue_json(7)));
    let list = format!("[{}]", issue_json(3));
    let numbers = |related: Read<Related>| match related {
        Ok(Related::List(issues)) => issues.iter().map(|issue| issue.key.number).collect(),
        Ok(Related::Unavailable) => vec![404],
        Err(_) => vec![500],
    };
    for (one, other, expected) in [
        (ok(&list), ok("[]"), (vec![3], vec![])),
        (says(404, "Not Found"), ok(&list), (vec![404], vec![3])),
        (ok(&list), says(410, "Gone"), (vec![3], vec![404])),
        (says(404, ""), says(404, ""), (vec![404], vec![404])),
        (says(403, "no"), ok(&list), (vec![500], vec![3])),
        (ok(&list), says(500, "no"), (vec![3], vec![500])),
    ] {
        let script = there(Script::default().on(blocked_by, one).on(children, other));
        let Relations { blocked_by, children } = script.client().relations(&issue(7));
        assert_eq!((numbers(blocked_by), numbers(children)), expected);
    }
    let script = Script::default().on(blocked_by, says(404, "")).on(children, ok("[]"));
    let gone = script.on(ISSUE, says(404, "")).on(HERE, here());
    assert!(gone.client().relations(&issue(7)).blocked_by.is_err(), "the issue itself is gone");
}

#[test]
fn rights_are_the_exact_ones_where_the_answer_folds_them() {
    let path = "GET /repos/acme/widgets/collaborators/eve%5Bbot%5D/permission";
    let rights = |triage, push| Rights { triage, push };
    for (body, expected) in [
        (
            r#"{"permission":"read","role_name":"triage","user":{"permissions":{"pull":true,"triage":true,"push":false}}}"#,
            rights(true, false),
        ),
        (
            r#"{"permission":"write","role_name":"security","user":{"permissions":{"triage":false,"push":true}}}"#,
            rights(true, true),
        ),
        (r#"{"permission":"write","role_name":"maintain","user":null}"#, rights(true, true)),
        (r#"{"permission":"read","role_name":"triage"}"#, rights(true, false)),
        (r#"{"permission":"admin"}"#, rights(true, true)),
        (r#"{"permission":"read","role_name":"read","user":{}}"#, rights(false, false)),
        (r#"{"permission":"none","role_name":""}"#, rights(false, false)),
    ] {
        let mut client = Script::default().on(path, ok(body)).client();
        assert_eq!(client.rights(&repo(), &Login::new("eve[bot]")), Ok(expected), "{body}");
    }
    let mut client = Script::default().on(path, says(404, "eve[bot] is not a user")).client();
    assert_eq!(client.rights(&repo(), &Login::new("Eve[bot]")), Ok(rights(false, false)));
    let mut client = Script::default().on(path, says(403, "Must have push access")).client();
    assert!(client.rights(&repo(), &Login::new("eve[bot]")).is_err());
}

#[test]
fn a_pull_request_is_merged_only_with_a_merge_commit_and_new_words_are_not_fine() {
    let path = "GET /repos/acme/widgets/pulls/9";
    let pull = |state: &str, merged: &str, word: &str| {
        let (head, base) = (sha('a'), sha('b'));
        ok(&format!(
            r#"{{"number":9,"state":"{state}","body":null,"merged":{merged},"mergeable_state":"{word}",
            "merge_commit_sha":"{base}","head":{{"sha":"{head}","ref":"x"}},"base":{{"sha":"{base}","ref":"bot/integration"}}}}"#
        ))
    };
    for (given, state, mergeable) in [
        (pull("open", "false", "clean"), PullState::Open, Mergeable::Clean),
        (pull("open", "false", "has_hooks"), PullState::Open, Mergeable::Clean),
        (pull("open", "false", "unknown"), PullState::Open, Mergeable::Unknown),
        (pull("open", "false", "dirty"), PullState::Open, Mergeable::Dirty),
        (pull("open", "false", "behind"), PullState::Open, Mergeable::Behind),
        (pull("open", "false", "a new word"), PullState::Open, Mergeable::Unknown),
        (pull("closed", "false", "unknown"), PullState::Closed, Mergeable::Unknown),
        (
            pull("closed", "true", "unknown"),
            PullState::Merged { commit: sha('b') },
            Mergeable::Unknown,
        ),
    ] {
        let mut client = Script::default().on(path, given.clone()).client();
        let found = client.pull(&repo(), PullNumber(9)).expect("a read").expect("a pull request");
        assert_eq!((found.state, found.mergeable), (state, mergeable), "{given:?}");
        assert_eq!((found.head, found.base), (sha('a'), branch("bot/integration")));
    }
}

#[test]
fn a_check_counts_by_its_conclusion_once_it_is_completed() {
    let commit = format!("GET /repos/acme/widgets/commits/{}", sha('a'));
    let runs = r#"{"total_count":3,"check_runs":[
        {"name":"CI","status":"completed","conclusion":"success","details_url":"https://ci/1"},
        {"name":"lint","status":"in_progress","conclusion":null,"details_url":null,"html_url":"https://gh/2"},
        {"name":"odd","status":"in_progress","conclusion":"success"}]}"#;
    let status =
        r#"{"state":"failure","statuses":[{"context":"CI","state":"error","target_url":null}]}"#;
    let script = Script::default()
        .on(&format!("{commit}/check-runs?filter=latest&per_page=100"), ok(runs))
        .on(&format!("{commit}/status?per_page=100"), ok(status));
    let found = script.client().checks(&repo(), &sha('a')).expect("a read");
    assert_eq!(found.state_of("CI"), CheckState::Fail);
    assert_eq!(found.url_of("CI"), Some("https://ci/1"));
    assert_eq!(
        (found.state_of("lint"), found.url_of("lint")),
        (CheckState::Pending, Some("https://gh/2"))
    );
    assert_eq!(found.state_of("odd"), CheckState::Pending);
}

/// Answers for the bot branch and its rules, then for the default branch and its rules.
fn required(answers: [crate::script::Answer; 4]) -> Result<Required, ()> {
    let requests = [
        "GET /repos/acme/widgets/branches/bot%2Fintegration",
        "GET /repos/acme/widgets/rules/branches/bot%2Fintegration?per_page=100",
        "GET /repos/acme/widgets/branches/main",
        "GET /repos/acme/widgets/rules/branches/main?per_page=100",
    ];
    let script = requests
        .iter()
        .zip(answers)
        .fold(Script::default(), |script, (request, answer)| script.on(request, answer));
    let (bot, default) = (branch("bot/integration"), branch("main"));
    script.client().required(&repo(), [&bot, &default]).map_err(|_unread| ())
}

#[test]
fn nothing_is_required_only_if_every_read_answered_and_named_nothing() {
    let plain = || ok(&format!(r#"{{"commit":{{"sha":"{}"}},"protected":false}}"#, sha('a')));
    let protected = |protection: &str| {
        ok(&format!(
            r#"{{"commit":{{"sha":"{}"}},"protected":true,"protection":{protection}}}"#,
            sha('a')
        ))
    };
    let checks = r#"{"enabled":true,"required_status_checks":{"contexts":["b"],"checks":[{"context":"a"},{"context":"b"}]}}"#;
    let rules = r#"[{"type":"deletion"},{"type":"required_status_checks","parameters":{"required_status_checks":[{"context":"r"}]}}]"#;
    let names =
        |names: &[&str]| Ok(Required::Names(names.iter().map(|name| (*name).to_owned()).collect()));
    let none = || ok("[]");
    let no_branch = || says(404, "Branch not found");
    for (answers, expected) in [
        ([plain(), none(), plain(), none()], Ok(Required::Nothing)),
        ([no_branch(), none(), plain(), none()], Ok(Required::Nothing)),
        (
            [
                plain(),
                says(403, "Upgrade to GitHub Pro or make this repository public"),
                plain(),
                none(),
            ],
            Ok(Required::Nothing),
        ),
        ([protected(r#"{"enabled":true}"#), none(), plain(), none()], Ok(Required::Nothing)),
        ([protected(checks), none(), plain(), none()], names(&["a", "b"])),
        ([protected(checks), ok(rules), plain(), none()], names(&["a", "b", "r"])),
        ([plain(), none(), plain(), ok(rules)], names(&["r"])),
        ([no_branch(), none(), protected(checks), none()], names(&["a", "b"])),
        ([says(404, "Not Found"), none(), plain(), none()], Ok(Required::Unknown)),
        ([plain(), says(404, "Not Found"), plain(), none()], Ok(Required::Unknown)),
        ([plain(), says(403, "Resource not accessible"), plain(), none()], Ok(Required::Unknown)),
        ([protected("null"), none(), plain(), none()], Ok(Required::Unknown)),
        ([plain(), none(), plain(), says(403, "Resource not accessible")], Ok(Required::Unknown)),
        ([plain(), says(500, "no"), plain(), none()], Err(())),
        ([says(429, "no"), none(), plain(), none()], Err(())),
        ([plain(), ok(r#"[{"type":"required_status_checks"}]"#), plain(), none()], Err(())),
    ] {
        assert_eq!(required(answers.clone()), expected, "{answers:?}");
    }
}

#[test]
fn who_we_are_and_what_we_may_do_can_be_asked() {
    let repository = r#"{"full_name":"Acme/Widgets","default_branch":"trunk","private":true,"archived":false,
        "has_issues":true,"owner":{"login":"Acme","type":"Organization"},"allow_squash_merge":false,
        "allow_merge_commit":true,"permissions":{"admin":false,"maintain":false,"push":true,"triage":true,"pull":true}}"#;
    let script = Script::default()
        .on("GET /user", ok(r#"{"login":"Ralph-Bot","id":7}"#))
        .on("GET /repos/acme/widgets", ok(repository));
    let mut client = script.client();
    assert_eq!(client.identity(), Ok(Login::new("ralph-bot")));
    let found = client.repository(&repo()).expect("a read").expect("a repository");
    assert_eq!((found.full_name.as_str(), found.default_branch), ("Acme/Widgets", branch("trunk")));
    assert_eq!((found.rights.push, found.is_admin, found.is_private), (true, false, true));
    assert!(found.is_of_organization);
    assert_eq!(found.refused_merges, [MergeMethod::Squash]);
    let mut client =
        Script::default().on("GET /repos/acme/widgets", says(404, "Not Found")).client();
    assert_eq!(client.repository(&repo()), Ok(None));
}
