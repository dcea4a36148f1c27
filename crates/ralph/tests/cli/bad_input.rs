//! Input that cannot be right: named, with what is accepted, before anything is opened.

use crate::home::{Home, program, run};
use crate::sample_store::sample_home;
use insta::assert_snapshot;

#[test]
fn what_is_no_repository_or_no_issue_is_a_usage_error_that_says_what_to_write() {
    let home = Home::empty();
    for (arguments, says) in [
        (["widgets", "3"], "not a repository name; write owner/name, as in acme/widgets"),
        (["acme/widgets/x", "3"], "not a repository name; write owner/name, as in acme/widgets"),
        (["../..", "3"], "not a repository name; write owner/name, as in acme/widgets"),
        (["acme/widgets#3", "3"], "acme/widgets#3 names the issue already; leave 3 out"),
        (["acme/widgets#0", "3"], "not an issue number; numbers begin at 1"),
        (["acme/widgets#x", "3"], "not an issue number; write a whole number"),
        (["widgets#3", "3"], "not a repository name; write owner/name, as in acme/widgets"),
        (["https://github.com/acme/widgets", "3"], "write owner/name instead of an address"),
        (["acme/widgets", "0"], "not an issue number; numbers begin at 1"),
        (["acme/widgets", "-3"], "not an issue number; write a whole number from 1 on, as in 42"),
        (
            ["acme/widgets", "three"],
            "not an issue number; write a whole number from 1 on, as in 42",
        ),
        (["acme/widgets", "#3"], "not an issue number; write it without the #"),
        (["acme/widgets", "9999999999999999999"], "no issue has a number as large as that"),
    ] {
        for command in ["gates", "explain", "queue", "pause", "stop", "satisfy"] {
            let [repo, issue] = arguments;
            let ran = home.ralph(&[command, repo, issue]);
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{command} {arguments:?}");
            assert!(ran.stderr.contains(says), "{command} {arguments:?}: {}", ran.stderr);
        }
    }
    assert!(home.files().is_empty());
}

#[test]
fn work_without_a_repository_is_refused_with_what_to_write() {
    let home = Home::empty();
    std::fs::write(home.path().join("config.toml"), "max_workers = 1\n").unwrap();
    let ran = home.ralph(&["run", "--until-idle"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("no repository is configured"), "{}", ran.stderr);
    assert!(ran.stderr.contains("Hint: add a [[repos]] section"), "{}", ran.stderr);
    assert!(!home.store().exists(), "nothing was begun");
}

#[test]
fn a_repository_without_an_issue_is_asked_for_one() {
    assert_snapshot!(Home::empty().ralph(&["gates", "acme/widgets"]).shown(), @"
    exit 2
    --- stdout
    --- stderr
    error: which issue of acme/widgets? write its number too: acme/widgets 42, or acme/widgets#42


    Usage: ralph [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn an_issue_may_be_named_as_it_is_printed() {
    let home = sample_home();
    for command in ["gates", "explain"] {
        let (one, two) =
            (home.ralph(&[command, "acme/widgets#1"]), home.ralph(&[command, "acme/widgets", "1"]));
        assert_eq!((one.code, &one.stdout), (0, &two.stdout), "{command}");
    }
    for command in ["queue", "pause", "stop", "satisfy"] {
        let ran = home.ralph(&[command, "acme/widgets#1"]);
        assert!(ran.stdout.starts_with(&format!("{command} for acme/widgets#1 ")), "{ran:?}");
    }
}

#[test]
fn the_message_names_the_input_and_the_argument() {
    assert_snapshot!(Home::empty().ralph(&["gates", "widgets", "3"]).shown(), @"
    exit 2
    --- stdout
    --- stderr
    error: invalid value 'widgets' for '<REPO>': not a repository name; write owner/name, as in acme/widgets

    For more information, try '--help'.
    ");
}

#[test]
fn an_unknown_command_gets_the_nearest_one() {
    assert_snapshot!(Home::empty().ralph(&["statsu"]).shown(), @"
    exit 2
    --- stdout
    --- stderr
    error: unrecognized subcommand 'statsu'

      tip: a similar subcommand exists: 'status'

    Usage: ralph [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn an_issue_the_store_does_not_know_is_told_apart_from_a_failure() {
    let home = sample_home();
    assert_snapshot!(home.ralph(&["explain", "acme/widgets", "77"]).shown(), @"
    exit 1
    --- stdout
    --- stderr
    Error: acme/widgets#77 is not in the state store
    Hint: `ralph status` lists the issues that are
    ");
    for command in [&["gates", "acme/widgets", "77"][..], &["explain", "acme/other", "1", "--json"]]
    {
        let ran = home.ralph(command);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{command:?}");
    }
}

#[test]
fn the_option_for_the_home_wins_over_the_variable() {
    let (lived, empty) = (sample_home(), Home::empty());
    let path = lived.path().display().to_string();
    assert_eq!(empty.ralph(&["status", "--home", &path]).code, 0);
    assert_eq!(empty.ralph(&["--home", &path, "status"]).code, 0);
    assert_eq!(empty.ralph(&["status"]).code, 4);
}

#[test]
fn an_empty_variable_counts_as_none() {
    let user = Home::empty();
    let mut command = program();
    let ran = run(command.env("RALPH_HOME", "").env("HOME", user.path()).arg("status"));
    assert_eq!(ran.code, 4);
    let expected = user.path().join(".ralph").join("state.sqlite");
    assert!(ran.stderr.contains(&expected.display().to_string()), "{}", ran.stderr);
}
