//! `ralph explain`.

use crate::home::Home;
use crate::sample_store::{SampleStore, closed, sample_home};
use insta::assert_snapshot;

#[test]
fn the_story_of_an_issue_leads_to_where_it_stands() {
    assert_snapshot!(sample_home().ralph(&["explain", "acme/widgets", "1"]).shown(), @"
    exit 0
    --- stdout
    acme/widgets#1  Add a --json flag

    status    in-progress
    priority  p2
    run       1-1
    now       no daemon runs; implement was about to start, and goes on once one does
    since     2024-01-01 00:00Z
    next      when implement has passed: preflight, test integrity, product review, devex review, publish, checks, merge

    The story so far:
    2024-01-01 00:00:05Z  mia asks: queue
    2024-01-01 00:00:05Z  command obeyed
    2024-01-01 00:00:05Z  claimed
    2024-01-01 00:00:05Z  attempt 1 of this issue: workspace                 until 2024-01-01 00:10:05Z at most
    2024-01-01 00:00:08Z  attempt 1: worktree ready at ba5eba5eba
    2024-01-01 00:00:08Z  next step: plan
    2024-01-01 00:00:08Z  attempt 2 of this issue: plan                      until 2024-01-01 00:32:08Z at most
    2024-01-01 00:00:09Z  attempt 2: plan written
    2024-01-01 00:00:09Z  next step: plan review
    2024-01-01 00:00:09Z  attempt 3 of this issue: plan review               until 2024-01-01 00:32:09Z at most
    2024-01-01 00:00:10Z  attempt 3: reviewer says pass                      small and clear
    2024-01-01 00:00:10Z  next step: implement
    2024-01-01 00:00:10Z  attempt 4 of this issue: implement                 until 2024-01-01 00:32:10Z at most
    2024-01-01 00:00:11Z  attempt 4: new head 5ea1f00d5e
    2024-01-01 00:00:11Z  next step: preflight
    2024-01-01 00:00:11Z  attempt 5 of this issue: preflight                 until 2024-01-01 00:04:11Z at most
    2024-01-01 00:00:12Z  attempt 5: `make check` failed                     2 tests failed
    2024-01-01 00:00:12Z  back to implementation: preflight: 2 tests failed
    2024-01-01 00:00:12Z  next step: implement
    2024-01-01 00:00:12Z  attempt 6 of this issue: implement                 until 2024-01-01 00:32:12Z at most
    --- stderr
    ");
}

#[test]
fn a_log_keeps_its_lines_and_widens_no_column() {
    let home = Home::empty();
    closed(&home, |sample| sample.work().fail_at_length());
    for command in [
        &["explain", "acme/widgets", "1"][..],
        &["gates", "acme/widgets", "1"],
        &["runs", "show", "1-1"],
    ] {
        let shown = home.ralph(command).stdout;
        let longest = shown.lines().map(str::len).max().unwrap_or_default();
        assert!(longest < 200, "{shown}");
        assert!(shown.contains("line 40 of a long log\n"), "{shown}");
        assert!(shown.contains(" lines more …\n"), "{shown}");
    }
}

#[test]
fn an_issue_that_needs_a_person_says_how_to_go_on() {
    let shown = sample_home().ralph(&["explain", "acme/widgets", "2"]).stdout;
    assert!(shown.contains("next      resolve it, then `ralph queue acme/widgets 2`"), "{shown}");
    assert!(shown.contains("needs a person: "), "{shown}");
}

#[test]
fn nothing_in_a_title_reaches_the_terminal_as_a_command() {
    let home = sample_home();
    for command in [&["explain", "acme/widgets", "4"][..], &["status"]] {
        let ran = home.ralph(command);
        assert!(ran.stdout.contains("Clear [2Jthe screen"), "{}", ran.stdout);
        assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
    }
}

#[test]
fn as_json_it_is_one_document_with_issue_and_story() {
    let document = sample_home().ralph(&["explain", "acme/widgets", "1", "--json"]).json();
    assert_eq!(document["issue"]["number"], 1);
    assert_eq!(document["issue"]["run"], "1-1");
    let story = document["story"].as_array().unwrap();
    assert_eq!(story[0]["says"], "mia asks: queue");
    assert!(story.iter().all(|line| line["at"].is_i64() && line["says"].is_string()));
}

#[test]
fn a_blocked_issue_shows_the_whole_chain_that_it_waits_for() {
    let home = sample_home();
    closed(&home, SampleStore::wait_in_line);
    let shown = home.ralph(&["explain", "acme/widgets", "5"]).stdout;
    let chain: Vec<_> = shown.lines().skip_while(|line| *line != "It waits for:").take(3).collect();
    assert_snapshot!(chain.join("\n"), @"
    It waits for:
      acme/widgets#4    Clear [2Jthe screen   blocked by acme/widgets#3 [deps]
        acme/widgets#3  Somebody else's work  not managed
    ");
    let json = home.ralph(&["explain", "acme/widgets", "5", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let depths: Vec<_> = json["chain"].as_array().unwrap().iter().map(|l| &l["depth"]).collect();
    assert_eq!(depths, [1, 2]);
    assert_eq!(json["issue"]["blocked_source"], "deps");
}
