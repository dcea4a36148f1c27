//! Machines without a sandbox, and what is seen from inside of one: real processes, a real forge.

use crate::forge::{Forge, REPO};
use crate::process::{Process, ralph};
use crate::stage::{Stage, WORK};
use crate::waiting::until;
use rustix::process::Signal;
use serde_json::json;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// Every program there is but Bubblewrap.
fn bare_path(folder: &Path) -> OsString {
    let bare = folder.join("bare");
    fs::create_dir_all(&bare).expect("a folder");
    let given = ralph();
    let path = given.get_envs().find(|(name, _)| *name == "PATH");
    let path = path.and_then(|(_, path)| path).expect("a PATH").to_owned();
    for entry in std::env::split_paths(&path).filter_map(|dir| dir.read_dir().ok()).flatten() {
        let program = entry.expect("an entry").path();
        let name = program.file_name().expect("a name");
        if name != "bwrap" {
            // The first one of a name is the one that is found.
            drop(symlink(&program, bare.join(name)));
        }
    }
    bare.into()
}

/// A Bubblewrap that the system does not let work.
fn broken_path(folder: &Path) -> OsString {
    let path = bare_path(folder);
    let program = PathBuf::from(&path).join("bwrap");
    let text = "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n";
    fs::write(&program, text).expect("a program");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("a program");
    path
}

fn allow_none(stage: &Stage) {
    let path = stage.home.join("config.toml");
    let config = fs::read_to_string(&path).expect("settings");
    let config = config.replace("[agent]\n", "[agent]\nsandbox = \"off\"\n");
    fs::write(path, config).expect("settings");
}

#[test]
fn without_a_sandbox_nothing_starts_and_it_is_said_what_to_do() {
    for (make, why, next) in [
        (bare_path as fn(&Path) -> OsString, "there is no program `bwrap`", "install bubblewrap"),
        (broken_path, "No permissions to create a new namespace", "allow unprivileged user"),
    ] {
        let stage = Stage::set("touch ran.txt\n");
        let path = make(&stage.place(""));
        let issue = stage.forge.open_issue("Do it", "");
        let mut daemon = Process::start(stage.command(&["run"]).env("PATH", &path));
        daemon.hear("degraded: sandbox: ");
        daemon.hear(why);
        let status = until("the issue in the status", || {
            let status = stage.json(&["status"]);
            (!status["issues"].as_array().expect("issues").is_empty()).then_some(status)
        });
        let found = status["degraded"].as_array().expect("a list");
        let found = found.iter().find(|one| one["kind"] == "sandbox").expect("the sandbox");
        let says = found["why"].as_str().expect("words");
        for part in [why, next, "sandbox = \"off\"", "no issue is claimed"] {
            assert!(says.contains(part), "{part}: {says}");
        }
        assert_eq!(status["daemon"]["sandbox"], "missing", "{status}");
        let words = stage.ralph(&["status"]).stdout;
        assert!(words.contains(why) && words.contains(next), "{words}");
        // The bot branch comes first: an issue waits for that before it waits for a sandbox.
        until("an issue that waits for the sandbox", || {
            stage.explained(issue).contains("sandbox").then_some(())
        });
        let mut doctor = stage.command(&["doctor"]);
        let doctor = crate::process::run(doctor.env("PATH", &path));
        assert_eq!(doctor.code, Some(1), "{}", doctor.stdout);
        assert!(doctor.stdout.contains(why) && doctor.stdout.contains(next), "{}", doctor.stdout);
        assert!(!doctor.stdout.contains("outlives"), "{}", doctor.stdout);
        assert_eq!(stage.forge.status(issue), ["queued"]);
        assert_eq!(daemon.stop().code, Some(0));
        assert!(stage.home.join("worktrees").read_dir().expect("a folder").next().is_none());
        let mut idle = stage.command(&["run", "--until-idle"]);
        let idle = crate::process::run(idle.env("PATH", &path));
        assert_eq!(idle.code, Some(0), "{}", idle.stderr);
        assert!(idle.stderr.contains(why), "{}", idle.stderr);
        assert_eq!(stage.forge.status(issue), ["queued"]);
    }
}

#[test]
fn an_operator_may_do_without_and_hears_of_it_at_every_start() {
    let stage = Stage::set(WORK);
    allow_none(&stage);
    let path = bare_path(&stage.place(""));
    let issue = stage.forge.open_issue("Do it", "");
    let mut daemon = Process::start(stage.command(&["run"]).env("PATH", &path));
    daemon.hear("the sandbox is off");
    stage.forge.wait_for_status(issue, "in-bot");
    assert_eq!(stage.json(&["status"])["daemon"]["sandbox"], "off");
    assert!(stage.ralph(&["status"]).stdout.contains("the sandbox is off"));
    assert_eq!(daemon.stop().code, Some(0));
    let mut again = Process::start(stage.command(&["run"]).env("PATH", &path));
    again.hear("the sandbox is off");
    again.hear("ralph works in");
    assert_eq!(again.stop().code, Some(0));
    let logs = stage.home.join("logs").read_dir().expect("logs");
    let logs: String = logs
        .map(|entry| fs::read_to_string(entry.expect("an entry").path()).unwrap_or_default())
        .collect();
    assert_eq!(logs.matches("the sandbox is off").count(), 2, "{logs}");
    let doctor = stage.ralph(&["doctor"]).stdout;
    assert!(doctor.contains("the sandbox is off"), "{doctor}");
}

#[test]
fn the_demo_says_that_it_has_no_sandbox_and_works_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = bare_path(folder.path());
    let home = folder.path().join("user");
    fs::create_dir(&home).expect("a folder");
    let mut command = ralph();
    command.env("HOME", &home).env("TMPDIR", folder.path()).env("PATH", path);
    let ran = Process::start(command.args(["demo", "--json"])).wait();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let reported: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one document");
    assert_eq!(reported["ok"], true, "{reported}");
    assert!(ran.stderr.starts_with("No sandbox: there is no program `bwrap`"), "{}", ran.stderr);
}

#[test]
fn the_demo_says_that_its_checks_have_no_sandbox() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = bare_path(folder.path());
    let mut command = ralph();
    command.env("HOME", folder.path()).env("TMPDIR", folder.path()).env("PATH", path);
    let mut demo = Process::start(command.arg("demo"));
    demo.hear("checks run without a sandbox, since bubblewrap does not work here");
    demo.signal(Signal::INT);
    assert_eq!(demo.wait().code, Some(1));
}

/// The end of a check of a forge without Bubblewrap, and what the forge said.
fn checked_without_a_sandbox(flags: &'static [&'static str]) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = bare_path(folder.path());
    let mut forge = Forge::start_as(folder.path(), flags, Some(path));
    let repo = format!("/repos/{REPO}");
    let tip = forge.get(&format!("{repo}/branches/main"))["commit"].clone();
    let tree = &tip["commit"]["tree"]["sha"];
    let commit = json!({"message": "M", "tree": tree, "parents": [tip["sha"]]});
    let head = forge.ask("POST", &format!("{repo}/git/commits"), &commit)["sha"].clone();
    let branch = json!({"ref": "refs/heads/feature", "sha": head});
    forge.ask("POST", &format!("{repo}/git/refs"), &branch);
    let pull = json!({"title": "T", "head": "feature", "base": "main"});
    forge.ask("POST", &format!("{repo}/pulls"), &pull);
    let runs = format!("{repo}/commits/{}/check-runs", head.as_str().expect("a sha"));
    let conclusion = until("the end of the check", || {
        let found = forge.get(&runs);
        let mut parts = found.as_object().expect("an answer").values();
        parts.find_map(|runs| runs[0]["conclusion"].as_str().map(str::to_owned))
    });
    (conclusion, forge.go_down_with_words())
}

#[test]
fn a_forge_without_a_sandbox_runs_no_check_unless_it_may() {
    let (conclusion, said) = checked_without_a_sandbox(&[]);
    assert_eq!(conclusion, "startup_failure");
    assert!(said.contains("Checks are not run: bubblewrap does not work here."), "{said}");
    let (conclusion, said) = checked_without_a_sandbox(&["--unsafe-checks"]);
    assert_eq!(conclusion, "success");
    let warning = "Checks run without a sandbox: everyone who may write to a repository";
    assert!(said.contains(warning), "{said}");
}

/// Looks in each of its places for what Ralph reads secrets from. What it finds goes into the change, or fails a gate.
const SEARCH: &str = r#"
for file in "$TOP/named.toml" "$TOP/home/config.toml" "$TOP/home/state.sqlite"
do cat "$file" 2> /dev/null | grep -q . && echo "$1 READS $file" && exit 1; done
grep -l 'FORGE_[T]OKEN=.' /proc/*/environ 2> /dev/null | grep -q . && echo "$1 READS a token" && exit 1
exit 0
"#;

#[test]
fn nothing_that_ralph_starts_sees_where_its_secrets_come_from() {
    let stage = Stage::set(&format!(
        "sh \"$(dirname \"$0\")/search.sh\" agent > found.txt || exit 1\n{WORK}"
    ));
    if stage.json(&["doctor"])["checks"].to_string().contains("bwrap") {
        eprintln!("not tested: without Bubblewrap nothing is hidden");
        return;
    }
    let top = stage.place("");
    let search = SEARCH.replace("$TOP", top.to_str().expect("text").trim_end_matches('/'));
    fs::write(stage.place("search.sh"), search).expect("a file");
    // The settings lie outside of the home, with the token in them, and a preflight that looks.
    let config = fs::read_to_string(stage.home.join("config.toml")).expect("settings");
    let token = format!("token = {:?}", stage.forge.bot_token);
    let script = stage.place("search.sh");
    let config = config.replace("token_env = \"FORGE_TOKEN\"", &token).replace(
        "preflight_command = [\"true\"]",
        &format!(
            "preflight_command = [\"sh {0} preflight\"]\nsetup = [\"sh {0} setup\"]",
            script.display()
        ),
    );
    fs::write(stage.place("named.toml"), config).expect("settings");
    fs::set_permissions(stage.place("named.toml"), Permissions::from_mode(0o600)).expect("ours");
    let issue = stage.forge.open_issue("Do it", "");
    let named = stage.place("named.toml");
    let ran = stage.ralph(&["run", "--until-idle", "--config", named.to_str().expect("text")]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!ran.stderr.contains("READS"), "{}", ran.stderr);
    assert_eq!(stage.forge.status(issue), ["in-bot"], "{}", stage.explained(issue));
}
