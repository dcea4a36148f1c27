//! Unusual texts and places.

use crate::stage::{Stage, WORK};
use std::fs;
use std::os::unix::fs::symlink;

/// The pull request that an issue led to: its branch and its title.
fn outcome(stage: &Stage, issue: u64) -> (String, String) {
    stage.work();
    assert_eq!(stage.forge.status(issue), ["in-bot"], "{}", stage.explained(issue));
    let pulls = stage.forge.task_pulls();
    let [pull] = pulls.as_slice() else { panic!("one pull request: {pulls:?}") };
    stage.forge.assert_nothing_twice();
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    (text(&pull["head"]["ref"]), text(&pull["title"]))
}

#[test]
fn an_issue_of_two_hundred_kilobytes_is_worked_on() {
    let stage = Stage::set(WORK);
    let body = "All work and no play makes a long issue. ".repeat(5_000);
    assert!(body.len() > 200_000);
    let issue = stage.forge.open_issue("A long story", &body);
    let (branch, title) = outcome(&stage, issue);
    assert_eq!((branch.as_str(), title.as_str()), ("ralph/issue-1-a-long-story", "A long story"));
}

#[test]
fn a_title_is_text_whatever_it_says() {
    let stage = Stage::set(WORK);
    let marks = ["one", "two", "three", "four"].map(|name| stage.place(name).display().to_string());
    let [one, two, three, four] = &marks;
    let title = format!(
        "It's \"broken\" \u{1f980} $(touch {one}) `touch {two}`; touch {three} \n--upload-pack='touch {four}'\r\n\n"
    );
    let issue = stage.forge.open_issue(&title, "");
    let (branch, shown) = outcome(&stage, issue);
    for mark in marks {
        assert!(!fs::exists(&mark).expect("an answer"), "{mark} was made");
    }
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '/');
    assert!(branch.starts_with("ralph/issue-1-") && branch.chars().all(is_plain), "{branch}");
    assert!(shown.starts_with("It's \"broken\" \u{1f980} $(touch "), "{shown}");
    assert!(!shown.contains(['\n', '\r']), "{shown}");
}

#[test]
fn a_home_with_blanks_and_quotes_in_its_path_is_a_home() {
    let stage = Stage::set_at(WORK, "a home with 'quotes' and $(blanks)");
    let issue = stage.forge.open_issue("Do it", "");
    assert_eq!(outcome(&stage, issue).0, "ralph/issue-1-do-it");
    stage.forge.merge_rollup();
    stage.work();
    assert_eq!(stage.forge.status(issue), ["done"]);
}

#[test]
fn a_home_behind_a_link_is_a_home() {
    let mut stage = Stage::set_at(WORK, "real");
    symlink(&stage.home, stage.place("link")).expect("a link");
    stage.home = stage.place("link");
    let issue = stage.forge.open_issue("Do it", "");
    assert_eq!(outcome(&stage, issue).0, "ralph/issue-1-do-it");
    assert_eq!(stage.json(&["worktrees", "list"])["worktrees"][0]["is"], "kept");
    stage.forge.merge_rollup();
    stage.work();
    assert_eq!(stage.forge.status(issue), ["done"]);
}
