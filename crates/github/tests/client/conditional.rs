//! A second read of the same thing is conditional, and left out where nothing can have changed.

use crate::script::{
    HandClock, NOW, Script, answer, branch, issue, issue_json, ok, repo, says, sha,
};
use ralph_core::time::{Span, Time};
use ralph_engine::ports::Forge;

const TAG: (&str, &str) = ("etag", "W/\"one\"");

#[test]
fn an_unchanged_issue_is_the_one_read_before() {
    let request = "GET /repos/acme/widgets/issues/7";
    let script = Script::default()
        .on(request, answer(200, &[TAG], &issue_json(7)))
        .on(request, answer(304, &[], ""));
    let mut client = script.client();
    let first = client.issue(&issue(7));
    assert!(first.is_ok());
    assert_eq!(client.issue(&issue(7)), first);
    assert_eq!(script.asked(), [request.to_owned(), format!("{request} if not W/\"one\"")]);
}

#[test]
fn a_changed_issue_replaces_the_one_read_before() {
    let request = "GET /repos/acme/widgets/issues/7";
    let changed = issue_json(7).replace("Title 7", "Another");
    let script = Script::default()
        .on(request, answer(200, &[TAG], &issue_json(7)))
        .on(request, answer(200, &[("etag", "\"two\"")], &changed))
        .on(request, answer(304, &[], ""));
    let mut client = script.client();
    let titles =
        [(); 3].map(|()| client.issue(&issue(7)).expect("a read").expect("an issue").title);
    assert_eq!(titles.each_ref().map(|title| &**title), ["Title 7", "Another", "Another"]);
    assert_eq!(
        script.asked().last().map(String::as_str),
        Some(&*format!("{request} if not \"two\""))
    );
}

#[test]
fn an_answer_without_a_tag_is_asked_for_again_in_full() {
    let request = "GET /repos/acme/widgets/issues/7";
    let script = Script::default()
        .on(request, answer(200, &[TAG], &issue_json(7)))
        .on(request, ok(&issue_json(7)));
    let mut client = script.client();
    for _ in 0..3 {
        assert!(client.issue(&issue(7)).is_ok());
    }
    let last = script.asked().pop();
    assert_eq!(last.as_deref(), Some(request));
}

#[test]
fn handles_of_one_account_share_what_was_read() {
    let request = "GET /repos/acme/widgets/issues/7";
    let script = Script::default()
        .on(request, answer(200, &[TAG], &issue_json(7)))
        .on(request, answer(304, &[], ""));
    let mut one = script.client();
    let mut other = ralph_github::Client::new(script, std::sync::Arc::clone(one.account()));
    assert_eq!(one.issue(&issue(7)), other.issue(&issue(7)));
}

/// The address of the list of issues for a cursor.
fn list_address(since: Option<Time>) -> String {
    #[derive(Debug)]
    struct Seen(std::rc::Rc<std::cell::RefCell<String>>);
    impl ralph_github::Transport for Seen {
        fn send(&mut self, request: http::Request<Vec<u8>>) -> crate::script::Answer {
            *self.0.borrow_mut() = request.uri().query().unwrap_or_default().to_owned();
            ok("[]")
        }
    }
    let seen = std::rc::Rc::default();
    let account = crate::script::account(&HandClock::new());
    let mut client = ralph_github::Client::new(Seen(std::rc::Rc::clone(&seen)), account);
    assert_eq!(client.issues_since(&repo(), since), Ok(Vec::new()));
    seen.take()
}

#[test]
fn the_list_of_changes_begins_before_the_cursor_and_stays_at_one_address_for_a_while() {
    assert_eq!(list_address(None), "state=all&sort=created&direction=asc&per_page=100");
    // The cursor stands at 12:00:05; a read may lag by a minute.
    let at = |minutes| list_address(Some(NOW.plus(Span::from_mins(minutes))));
    assert!(at(0).ends_with("&since=2026-01-31T11%3A50%3A00Z"), "{}", at(0));
    assert!(at(1).ends_with("&since=2026-01-31T12%3A00%3A00Z"), "{}", at(1));
    assert_eq!(at(1), at(10));
    assert_ne!(at(1), at(11));
}

/// The addresses of a first look that finds a crowd, which came at 11:00:00, and of a second look at this time.
fn addresses_after_a_crowd(first_look: Time, second_cursor: Time, date: &str) -> Vec<String> {
    #[derive(Debug)]
    struct Crowd(std::rc::Rc<std::cell::RefCell<Vec<String>>>, String);
    impl ralph_github::Transport for Crowd {
        fn send(&mut self, request: http::Request<Vec<u8>>) -> crate::script::Answer {
            let query = request.uri().query().unwrap_or_default().to_owned();
            let size = if query.contains("&page=2") { 1 } else { 100 };
            self.0.borrow_mut().push(query);
            let issues: Vec<_> = (1..=size).map(issue_json).collect();
            answer(200, &[("date", &self.1)], &format!("[{}]", issues.join(",")))
        }
    }
    let seen: std::rc::Rc<std::cell::RefCell<Vec<String>>> = std::rc::Rc::default();
    let clock = HandClock::new();
    clock.set(first_look);
    let transport = Crowd(std::rc::Rc::clone(&seen), date.to_owned());
    let mut client = ralph_github::Client::new(transport, crate::script::account(&clock));
    for since in [None, Some(second_cursor)] {
        assert_eq!(client.issues_since(&repo(), since).map(|issues| issues.len()), Ok(100));
    }
    let seen = seen.take();
    let begin = |query: &String| query.split("since=").nth(1).unwrap_or("all").to_owned();
    seen.iter().filter(|query| !query.contains("&page=2")).map(begin).collect()
}

#[test]
fn a_crowd_that_came_at_once_does_not_stay_in_the_list_of_changes() {
    let newest = NOW.minus(Span::from_secs(3_605));
    let cursor = newest.minus(Span::from_secs(5));
    let soon = newest.plus(Span::from_secs(20));
    let late = newest.plus(Span::from_secs(70));
    let (soon_date, late_date) = ("Sat, 31 Jan 2026 11:00:20 GMT", "Sat, 31 Jan 2026 11:01:10 GMT");
    for (look, date, begin) in [
        (soon, soon_date, "2026-01-31T10%3A58%3A55Z"),
        (late, late_date, "2026-01-31T10%3A59%3A55Z"),
        // The forge's clock says that it is too early.
        (late, soon_date, "2026-01-31T10%3A58%3A55Z"),
    ] {
        assert_eq!(addresses_after_a_crowd(look, cursor, date), ["all", begin], "{date}");
    }
    // The first list was not taken over: the reader stands where it stood.
    let before = newest.minus(Span::from_mins(5));
    assert_eq!(
        addresses_after_a_crowd(late, before, late_date),
        ["all", "2026-01-31T10%3A50%3A00Z"]
    );
}

#[test]
fn history_is_asked_for_once() {
    let request = format!("GET /repos/acme/widgets/compare/{}...{}?per_page=1", sha('a'), sha('b'));
    let script =
        Script::default().on(&request, answer(200, &[TAG], r#"{"behind_by":0,"ahead_by":3}"#));
    let mut client = script.client();
    for _ in 0..3 {
        assert_eq!(client.contains(&repo(), &sha('b'), &sha('a')), Ok(true));
    }
    assert_eq!(client.contains(&repo(), &sha('c'), &sha('c')), Ok(true));
    assert_eq!(script.asked().len(), 1);
    let unknown = Script::default().on(&request, says(404, "Not Found"));
    let mut client = unknown.client();
    assert_eq!(client.contains(&repo(), &sha('b'), &sha('a')), Ok(false));
    assert_eq!(client.contains(&repo(), &sha('b'), &sha('a')), Ok(false));
    assert_eq!(unknown.asked().len(), 2, "a commit that is not there yet may come");
    let behind = Script::default().on(&request, ok(r#"{"behind_by":2}"#));
    assert_eq!(behind.client().contains(&repo(), &sha('b'), &sha('a')), Ok(false));
}

#[test]
fn a_push_does_not_make_the_repository_be_read_again_but_time_and_a_rename_do() {
    let head = |letter| ok(&format!(r#"{{"commit":{{"sha":"{}"}}}}"#, sha(letter)));
    let named = |name: &str| ok(&format!(r#"{{"full_name":"a/b","default_branch":"{name}"}}"#));
    let repository = "GET /repos/acme/widgets";
    let script = Script::default()
        .on(repository, named("main"))
        .on(repository, named("trunk"))
        .on("GET /repos/acme/widgets/branches/main", head('a'))
        .on("GET /repos/acme/widgets/branches/main", head('b'))
        .on("GET /repos/acme/widgets/branches/main", says(404, "Branch not found"))
        .on("GET /repos/acme/widgets/branches/trunk", head('c'))
        .on("GET /repos/acme/widgets/branches/bot", says(404, "Branch not found"));
    let clock = HandClock::new();
    let mut client = script.client_at(&clock);
    let mut look = || {
        let found = client.branches(&repo(), &branch("bot")).expect("a read");
        let reads = script.asked().iter().filter(|line| *line == repository).count();
        (found.default, found.default_head, found.bot_head, reads)
    };
    assert_eq!(look(), (branch("main"), sha('a'), None, 1));
    assert_eq!(look(), (branch("main"), sha('b'), None, 0));
    assert_eq!(look(), (branch("trunk"), sha('c'), None, 1));
    assert_eq!(look().3, 0);
    clock.set(NOW.plus(Span::from_mins(10)));
    assert_eq!(look().3, 1);
}
