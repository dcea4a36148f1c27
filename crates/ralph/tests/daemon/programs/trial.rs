//! `ralph doctor --try-agents`, and the warning about a version that was not tried.

use super::program::Program;
use super::theatre::{Rules, Theatre};
use crate::process::{Ran, run};
use crate::stage::{Stage, WORK};
use crate::waiting::until;
use ralph_model::{Failure, Script, Turn, When};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

/// The line about the trial.
fn told(ran: &Ran) -> &str {
    let is_trial = |line: &&str| line.split_whitespace().nth(1) == Some("trial");
    ran.stdout.lines().find(is_trial).unwrap_or_else(|| panic!("{ran:?}"))
}

fn tried(turn: Turn) -> (Theatre, Ran) {
    let script = Script::new().always("trial", When::contains("a test of the connection"), turn);
    let theatre = Theatre::set(Program::Claude, script, &Rules::default());
    let ran = run(&mut theatre.command(&["doctor", "--try-agents"]));
    (theatre, ran)
}

#[test]
fn a_tiny_turn_tells_time_tokens_version_and_login() {
    let (theatre, ran) = tried(Turn::new().say("ready"));
    let line = told(&ran);
    assert!(line.starts_with("ok"), "{line}");
    for words in [" 2.1.", "(login ANTHROPIC_API_KEY)", " finished in ", " tokens in, "] {
        assert!(line.contains(words), "{words}: {line}");
    }
    // The same program plays every role, and is tried once.
    assert_eq!(ran.stdout.matches(" finished in ").count(), 1, "{ran:?}");
    assert_eq!(theatre.model.refusals(), Vec::<String>::new());
    assert!(!theatre.stage.home.join("runs").exists(), "a trial is no run");
}

#[test]
fn a_refused_login_is_a_finding_with_its_class() {
    let (_, ran) = tried(Turn::new().fail(Failure::LoginRefused));
    let line = told(&ran);
    assert!(line.starts_with("finding") && line.contains(", needs login: "), "{line}");
    assert_ne!(ran.code, Some(0));
    assert!(ran.stdout.contains("next: log in again, or renew the key"), "{ran:?}");
}

#[test]
fn a_command_is_tried_too_and_only_if_it_is_asked_for() {
    let stage = Stage::set(WORK);
    let ran = stage.ralph(&["doctor", "--try-agents"]);
    assert!(told(&ran).contains("`sh` finished in "), "{ran:?}");
    let ran = stage.ralph(&["doctor"]);
    assert!(!ran.stdout.contains(" finished in "), "{ran:?}");
    fs::write(stage.place("agent.sh"), "echo out of order >&2; exit 3\n").expect("a file");
    let ran = stage.ralph(&["doctor", "--try-agents"]);
    let line = told(&ran);
    assert!(line.contains("crashed") && line.contains("out of order"), "{line}");
}

#[test]
fn a_version_that_was_not_tried_is_told_in_status() {
    let stage = Stage::set(WORK);
    let program = stage.place("claude");
    fs::write(&program, "#!/bin/sh\necho '99.0.1 (Claude Code)'\n").expect("a file");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("a program");
    let path = stage.home.join("config.toml");
    let settings = fs::read_to_string(&path).expect("settings");
    let (before, after) = settings.split_once("kind = \"command\"\ncommand = ").expect("an agent");
    let (_, after) = after.split_once('\n').expect("more settings");
    let agent = format!("kind = \"claude\"\ncommand = [{program:?}]\n");
    fs::write(&path, format!("{before}{agent}{after}")).expect("settings");
    let daemon = stage.daemon();
    let line = until("a warning", || {
        let status = stage.ralph(&["status"]).stdout;
        status.lines().find(|line| line.contains("99.0.1")).map(str::to_owned)
    });
    assert!(line.starts_with("Warning: ") && line.contains("were tried with this Ralph"), "{line}");
    assert_eq!(daemon.stop().code, Some(0));
}
