//! A forge that does not let us work: the program says so, says what to do, and changes nothing.

use crate::forge::REPO;
use crate::process::{Ran, run};
use crate::stage::{Stage, WORK};
use crate::waiting::until;
use serde_json::json;

/// Checks the names in a refusal, and that nothing was done.
fn assert_refused(stage: &Stage, ran: &Ran, code: i32, named: &[&str]) {
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    for part in named {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert!(!ran.stderr.contains(&stage.forge.bot_token), "{}", ran.stderr);
    assert_eq!(stage.forge.status(1), ["queued"]);
    assert_eq!(stage.forge.list("labels").len(), 1, "the one that the owner used");
    assert_eq!(stage.forge.list("branches").len(), 1);
    assert_eq!(stage.forge.list("issues/1/comments").len(), 0);
    assert!(!stage.home.join("worktrees").join("ada__app").exists());
}

fn stage() -> Stage {
    let stage = Stage::set(WORK);
    stage.forge.open_issue("Do it", "");
    stage
}

#[test]
fn a_wrong_token_is_refused_with_where_it_comes_from() {
    let stage = stage();
    let wrong = "ghp_0123456789012345678901234567890123456789";
    let ran = run(stage.command(&["run", "--until-idle"]).env("FORGE_TOKEN", wrong));
    assert_refused(&stage, &ran, 5, &["Bad credentials", &stage.forge.url, "FORGE_TOKEN", "Hint:"]);
    assert!(!ran.stderr.contains(wrong));
}

#[test]
fn a_reader_is_told_what_it_needs_to_be() {
    let stage = stage();
    let data = stage.place("forge/data");
    let mut add = stage.command(&["forge", "user", "add", "reader", "--permission", "read"]);
    let added = run(add.arg("--data").arg(data)).stdout;
    let token = added.split_whitespace().last().expect("a token").to_owned();
    let ran = run(stage.command(&["run", "--until-idle"]).env("FORGE_TOKEN", token));
    assert_refused(&stage, &ran, 5, &["reader", REPO, "push", "Hint:"]);
}

#[test]
fn a_repository_that_is_not_there_is_named() {
    let stage = stage();
    stage.configure(&["ada/typo"]);
    let ran = stage.ralph(&["run", "--until-idle"]);
    assert_refused(&stage, &ran, 5, &["ada/typo", "ralph-bot", "Hint:"]);
}

#[test]
fn a_repository_without_issues_is_left_out_with_what_to_do() {
    let stage = Stage::set(WORK);
    stage.forge.ask("PATCH", &format!("/repos/{REPO}"), &json!({"has_issues": false}));
    let ran = stage.ralph(&["run", "--until-idle"]);
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    let reported =
        "issues are switched off in ada/app; switch them on in the settings of the repository";
    assert!(ran.stderr.contains(reported), "{}", ran.stderr);
}

#[test]
fn one_repository_that_is_not_there_does_not_keep_the_others_waiting() {
    let stage = stage();
    stage.configure(&["ada/typo", REPO]);
    let ran = stage.work();
    let reported = "ada/typo is left out, and looked at again later: there is no ada/typo, or ralph-bot may not see it; \
                check the name, and give ralph-bot write access to it";
    assert!(ran.stderr.contains(reported), "{}", ran.stderr);
    assert_eq!(stage.forge.status(1), ["in-bot"]);
    let mut daemon = stage.daemon();
    daemon.hear("ralph works in");
    until("a daemon that says what is left out", || {
        let degraded = stage.json(&["status"])["degraded"].clone();
        (degraded[0]["what"] == "ada/typo").then_some(())
    });
    assert_eq!(daemon.stop().code, Some(0));
}
