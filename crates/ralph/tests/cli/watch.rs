//! `ralph watch` of runs that nothing works on: everything is shown, and it ends.

use crate::home::Home;
use crate::sample_store::sample_home;
use insta::assert_snapshot;
use serde_json::Value;
use std::fs;

/// Issue 1 has two attempts with output.
fn home() -> Home {
    let home = sample_home();
    let run = home.path().join("runs/1-1/acme__widgets");
    for (attempt, file, text) in [
        ("2-plan", "response.txt", "# Intent\n"),
        ("6-implement", "log.txt", "thinking\n"),
        ("6-implement", "response.txt", "Done\u{1b}[2J, and no end of line"),
    ] {
        fs::create_dir_all(run.join(attempt)).unwrap();
        fs::write(run.join(attempt).join(file), text).unwrap();
    }
    home
}

/// The output without the time of day before each line.
fn shown(home: &Home, arguments: &[&str]) -> String {
    let ran = home.ralph(&[&["watch", "acme/widgets", "1"], arguments].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let plain = |line: &str| match line.strip_prefix("── ") {
        Some(_) => format!("{line}\n"),
        None => format!("{}\n", line.get(9..).unwrap()),
    };
    ran.stdout.lines().map(plain).collect()
}

#[test]
fn the_latest_attempt_is_shown_or_all_of_them() {
    let home = home();
    assert_snapshot!(shown(&home, &[]), @"
    ── attempt 6: implement
    thinking
    Done [2J, and no end of line
    ── acme/widgets#1: no daemon runs; implement was about to start, and goes on once one does
    ");
    assert_snapshot!(shown(&home, &["--from-start"]), @"
    ── attempt 2: plan
    # Intent
    ── attempt 6: implement
    thinking
    Done [2J, and no end of line
    ── acme/widgets#1: no daemon runs; implement was about to start, and goes on once one does
    ");
}

#[test]
fn for_programs_each_line_is_an_object() {
    let ran = home().ralph(&["watch", "acme/widgets#1", "--from-start", "--json"]);
    let lines: Vec<Value> =
        ran.stdout.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let fields: Vec<_> = lines
        .iter()
        .map(|it| format!("{} {} {} {}", it["attempt"], it["role"], it["stream"], it["line"]))
        .collect();
    assert_eq!(
        fields,
        [
            r##"2 "plan" "output" "# Intent""##,
            r#"6 "implement" "error" "thinking""#,
            r#"6 "implement" "output" "Done\u001b[2J, and no end of line""#,
        ]
    );
    assert!(lines.iter().all(|line| line["at"].as_str().unwrap().ends_with('Z')));
}

#[test]
fn an_issue_without_a_run_and_one_that_is_unknown_are_refused() {
    let home = home();
    assert_snapshot!(home.ralph(&["watch", "acme/widgets", "4"]).shown(), @"
    exit 1
    --- stdout
    --- stderr
    Error: acme/widgets#4 has no run yet: blocked by acme/widgets#3 [deps]
    Hint: `ralph explain` says what it waits for; watch it once it is being worked on
    ");
    let ran = home.ralph(&["watch", "acme/widgets", "99"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.starts_with("Error: acme/widgets#99 is not in the state store"),
        "{}",
        ran.stderr
    );
}
