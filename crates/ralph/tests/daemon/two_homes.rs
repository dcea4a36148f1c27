//! A second Ralph on the same repository, by mistake or on purpose: two real daemons, one forge.

use crate::forge::{REPO, free_port};
use crate::process::{Process, Ran, alive_in, run};
use crate::stage::{Stage, WORK};
use crate::waiting::until;
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The home of another machine, with the same settings.
struct Elsewhere<'a> {
    stage: &'a Stage,
    home: PathBuf,
}

impl<'a> Elsewhere<'a> {
    fn of(stage: &'a Stage) -> Self {
        let home = stage.place("elsewhere");
        fs::create_dir_all(&home).expect("a folder");
        fs::set_permissions(&home, Permissions::from_mode(0o700)).expect("a folder of ours");
        let text = fs::read_to_string(stage.home.join("config.toml")).expect("settings");
        let own = |line: &str| match line.strip_prefix("webhook_listen") {
            Some(_) => format!("webhook_listen = \"127.0.0.1:{}\"", free_port()),
            None => line.to_owned(),
        };
        let text = text.lines().map(own).collect::<Vec<_>>().join("\n");
        write(&home, &text);
        Self { stage, home }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.stage.command(arguments);
        command.env("RALPH_HOME", &self.home);
        command
    }

    fn daemon(&self) -> Process {
        Process::start(&mut self.command(&["run"]))
    }

    fn ralph(&self, arguments: &[&str]) -> Ran {
        run(&mut self.command(arguments))
    }

    fn status(&self) -> Value {
        let ran = self.ralph(&["status", "--json"]);
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    }
}

fn write(home: &Path, text: &str) {
    let path = home.join("config.toml");
    fs::write(&path, text).expect("a file");
    fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("a file of ours");
}

/// Two homes whose forge shows everything at once, and whose agent waits for the file `go`.
fn stage() -> Stage {
    let patient = format!("until test -e \"$(dirname \"$0\")/go\"; do sleep 0.05; done\n{WORK}");
    let stage = Stage::set(&patient);
    let text = fs::read_to_string(stage.home.join("config.toml")).expect("settings");
    write(&stage.home, &text.replace("token_env", "read_lag = \"0s\"\ntoken_env"));
    stage
}

fn agents_in(home: &Path) -> usize {
    alive_in(home).iter().filter(|line| line.contains("agent.sh")).count()
}

#[test]
fn the_second_one_starts_nothing_until_it_takes_over_and_then_the_first_one_stops() {
    let stage = stage();
    let issue = stage.forge.open_issue("Do it", "");
    let mut first = stage.daemon();
    first.hear("attempt 4 is running");
    let elsewhere = Elsewhere::of(&stage);
    let mut second = elsewhere.daemon();
    second.hear("degraded: ada/app: another Ralph works here: ");
    let reported = elsewhere.ralph(&["status"]).stdout;
    for part in ["another Ralph works here: ", " since 20", "ralph take-over"] {
        assert!(reported.contains(part), "{part}: {reported}");
    }
    let doctor = elsewhere.ralph(&["doctor"]);
    let next = format!("ralph take-over {REPO}");
    assert!(format!("{}{}", doctor.stdout, doctor.stderr).contains(&next), "{doctor:?}");
    assert_eq!(agents_in(&elsewhere.home), 0);
    assert_eq!(elsewhere.status()["issues"].as_array().map(Vec::len), Some(0));
    assert_eq!(stage.forge.status(issue), ["in-progress"], "the first one works on");

    let held = stage.ralph(&["take-over", REPO]);
    assert_eq!(held.code, Some(1), "{held:?}");
    assert!(held.stderr.contains("held by this Ralph already"), "{held:?}");
    let strange = elsewhere.ralph(&["take-over", "ada/other"]);
    assert!(strange.stderr.contains("is not configured"), "{strange:?}");
    let taken = elsewhere.ralph(&["take-over", REPO]);
    assert_eq!(taken.code, Some(0), "{taken:?}");
    first.hear("degraded: ada/app: another Ralph works here: ");
    until("the end of the first one's agent", || (agents_in(&stage.home) == 0).then_some(()));
    fs::write(stage.place("go"), "").expect("a file");
    stage.forge.wait_for_status(issue, "in-bot");
    let of_first = stage.json(&["status"]);
    assert_ne!(of_first["issues"][0]["status"], "in-bot", "the second one did that");
    assert_eq!(first.stop().code, Some(0));
    assert_eq!(second.stop().code, Some(0));
    stage.forge.assert_nothing_twice();
}

#[test]
fn the_same_home_goes_on_after_a_kill_without_a_word() {
    let stage = stage();
    let issue = stage.forge.open_issue("Do it", "");
    let mut first = stage.daemon();
    first.hear("attempt 4 is running");
    first.kill();
    fs::write(stage.place("go"), "").expect("a file");
    let ran = stage.work();
    assert!(!ran.stderr.contains("another Ralph works here: "), "{}", ran.stderr);
    assert_eq!(stage.forge.status(issue), ["in-bot"]);
    stage.forge.assert_nothing_twice();
}
