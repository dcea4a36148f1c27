//! `ralph logs`: the daemon's log for people and for programs.

use crate::home::Home;
use insta::assert_snapshot;
use std::fs;

const FIRST: &str =
    r#"{"at":"2024-01-01T08:00:00.000Z","level":"info","message":"started","login":"ralph-bot"}"#;
const SECOND: &str =
    r#"{"at":"2024-01-02T09:30:00.000Z","level":"warn","message":"refused","effect":"comment:7"}"#;

fn home() -> Home {
    let home = Home::empty();
    fs::create_dir(home.path().join("logs")).unwrap();
    for (day, line) in [("2024-01-01", FIRST), ("2024-01-02", SECOND)] {
        let path = home.path().join(format!("logs/ralph-{day}.jsonl"));
        fs::write(path, format!("{line}\n")).unwrap();
    }
    home
}

#[test]
fn all_days_are_one_log() {
    assert_snapshot!(home().ralph(&["logs"]).shown(), @r"
    exit 0
    --- stdout
    2024-01-01 08:00:00 started login=ralph-bot
    2024-01-02 09:30:00 warn refused effect=comment:7
    --- stderr
    ");
    assert_eq!(home().ralph(&["logs", "--json"]).stdout, format!("{FIRST}\n{SECOND}\n"));
}

#[test]
fn a_time_leaves_out_everything_before_it() {
    let lines = |since: &str| home().ralph(&["logs", "--since", since]).stdout.lines().count();
    assert_eq!((lines("2024-01-01"), lines("2024-01-01T08:01"), lines("2024-01-03")), (2, 1, 0));
    assert_eq!((lines("1h"), lines("9000d")), (0, 2));
    let ran = home().ralph(&["logs", "--since", "yesterday"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("not a time; write how long ago"), "{}", ran.stderr);
}

#[test]
fn without_a_log_there_is_a_hint() {
    assert_snapshot!(Home::empty().ralph(&["logs"]).shown(), @r"
    exit 1
    --- stdout
    --- stderr
    Error: there is no log in HOME/logs
    Hint: `ralph run` writes it; --home DIR or RALPH_HOME names another folder
    ");
}
