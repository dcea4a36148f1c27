//! `ralph doctor`.

use crate::canned_forge::healthy_url;
use crate::home::{Home, Ran, program, run};
use crate::sample_store::{SampleStore, sample_home};
use insta::assert_snapshot;
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixDatagram;

const SOUND: &str = "\
maxWorkers = 3
[forge]
url = \"FORGE\"
[agent]
command = [\"sh\"]
[[repos]]
name = \"acme/widgets\"
preflight_command = []
";

/// A home that lacks nothing, with a store in the middle of its work.
pub(crate) fn healthy() -> Home {
    healthy_at(healthy_url(), "required_checks = []\n")
}

/// As healthy, with another forge and more said about the repository.
pub(crate) fn healthy_at(url: &str, of_repository: &str) -> Home {
    let home = sample_home();
    write(&home, "config.toml", &(SOUND.replace("FORGE", url) + of_repository));
    for file in home.files().keys() {
        mode(&home, file, 0o600);
    }
    mode(&home, "", 0o700);
    home
}

fn write(home: &Home, name: &str, text: &str) {
    fs::write(home.path().join(name), text).unwrap();
}

pub(crate) fn mode(home: &Home, name: &str, mode: u32) {
    fs::set_permissions(home.path().join(name), Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn mode_of(home: &Home, name: &str) -> u32 {
    fs::metadata(home.path().join(name)).unwrap().permissions().mode() & 0o777
}

/// With the programs of this machine, and a token.
pub(crate) fn doctor(home: &Home, arguments: &[&str]) -> Ran {
    let mut command = program();
    command.env("RALPH_HOME", home.path()).env("GITHUB_TOKEN", "ghp_0123456789");
    command.env("PATH", path()).arg("doctor");
    let ran = run(command.args(arguments));
    let shown = |text: String| text.replace(&home.path().display().to_string(), "HOME");
    Ran { stdout: shown(ran.stdout), stderr: shown(ran.stderr), code: ran.code }
}

#[expect(clippy::disallowed_methods, reason = "git is where this machine has it")]
pub(crate) fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap()
}

fn document(ran: &Ran) -> Value {
    assert_eq!(ran.stderr, "");
    serde_json::from_str(&ran.stdout).expect("one JSON document")
}

/// Verdict, subject, words and next step of what is not simply well.
pub(crate) fn remarks(ran: &Ran) -> String {
    let document = document(ran);
    let lines = document["checks"].as_array().unwrap().iter().filter_map(|check| {
        let text = |field: &str| check[field].as_str().unwrap_or_default();
        // Whether a sandbox works here is this machine's affair.
        let is_told = text("verdict") != "ok" && text("about") != "containment";
        let next = check["next"].as_str().map(|next| format!("\n  -> {next}")).unwrap_or_default();
        is_told.then(|| format!("{} {}: {}{next}", text("verdict"), text("about"), text("says")))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_healthy_home_has_no_findings() {
    let home = healthy();
    let ran = doctor(&home, &["--json"]);
    assert_snapshot!(remarks(&ran), @"note store: no daemon runs; the last writer was test");
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(document(&ran)["ok"], true);
    let about: Vec<_> = document(&ran)["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["about"].as_str().unwrap().to_owned())
        .collect();
    for area in [
        "home",
        "configuration",
        "store",
        "left over",
        "worktrees",
        "disk",
        "git",
        "containment",
        "forge",
    ] {
        assert!(about.iter().any(|about| about == area), "{area}");
    }
}

#[test]
fn every_setting_is_printed_with_its_value_and_origin_and_no_secret() {
    let home = healthy();
    let shown = doctor(&home, &[]).stdout;
    let line = |name: &str| {
        let line = shown.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("max_workers"), "max_workers 3 config.toml:1");
    assert_eq!(line("poll_interval"), "poll_interval \"30s\" default");
    assert_eq!(
        line("repos.acme/widgets.lanes.ci_debug"),
        "repos.acme/widgets.lanes.ci_debug_attempts 3 default"
    );
    assert_eq!(
        line("the forge's token"),
        "the forge's token set, not shown environment GITHUB_TOKEN"
    );
    assert!(!shown.contains("ghp_"), "{shown}");
    let settings = document(&doctor(&home, &["--json"]))["settings"].as_array().unwrap().clone();
    assert!(settings.iter().any(|s| s["key"] == "max_workers" && s["origin"] == "config.toml:1"));
}

#[test]
fn what_others_can_read_is_found_and_mended() {
    let home = healthy();
    let with_token = SOUND.replace("FORGE", healthy_url());
    let with_token = with_token.replace("[agent]", "token = \"ghp_0123456789\"\n[agent]");
    write(&home, "config.toml", &(with_token + "required_checks = []\n"));
    fs::create_dir(home.path().join("logs")).unwrap();
    mode(&home, "logs", 0o755);
    mode(&home, "config.toml", 0o644);
    mode(&home, "", 0o750);
    let found = doctor(&home, &["--json"]);
    assert_eq!(found.code, 1);
    assert_snapshot!(remarks(&found), @"
    finding home: HOME has mode 0750, so others can get at it
      -> `ralph doctor --repair`, or `chmod 0700 HOME`
    finding home: HOME/config.toml has mode 0644, so others can get at it
      -> `ralph doctor --repair`, or `chmod 0600 HOME/config.toml`
    finding home: HOME/logs has mode 0755, so others can get at it
      -> `ralph doctor --repair`, or `chmod 0700 HOME/logs`
    note store: no daemon runs; the last writer was test
    ");
    assert_eq!(mode_of(&home, "config.toml"), 0o644, "looking changes nothing");
    let mended = doctor(&home, &["--repair", "--json"]);
    assert_eq!(mended.code, 0, "{}", mended.stdout);
    assert_snapshot!(remarks(&mended), @"
    repaired home: HOME had mode 0750 and has 0700 now
    repaired home: HOME/config.toml had mode 0644 and has 0600 now
    repaired home: HOME/logs had mode 0755 and has 0700 now
    note store: no daemon runs; the last writer was test
    ");
    for (name, wanted) in [("", 0o700), ("logs", 0o700), ("config.toml", 0o600)] {
        assert_eq!(mode_of(&home, name), wanted, "{name:?}");
    }
    assert_eq!(doctor(&home, &["--json"]).code, 0);
}

#[test]
fn settings_without_a_secret_are_for_all_to_read_and_for_none_to_change() {
    let home = healthy();
    mode(&home, "config.toml", 0o644);
    let ran = doctor(&home, &["--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    mode(&home, "config.toml", 0o664);
    let reported = remarks(&doctor(&home, &["--json"]));
    assert!(reported.contains("HOME/config.toml has mode 0664"), "{reported}");
}

#[test]
fn a_token_in_settings_outside_of_the_home_is_found_when_others_can_read_it() {
    let home = healthy();
    let elsewhere = Home::empty();
    let with_token = SOUND.replace("FORGE", healthy_url());
    let with_token = with_token.replace("[agent]", "token = \"ghp_0123456789\"\n[agent]");
    write(&elsewhere, "ralph.toml", &(with_token + "required_checks = []\n"));
    let file = elsewhere.path().join("ralph.toml").display().to_string();
    mode(&elsewhere, "ralph.toml", 0o600);
    let looked = |arguments: &[&str]| {
        let named = ["--config", file.as_str()].into_iter().chain(arguments.iter().copied());
        doctor(&home, &named.collect::<Vec<_>>())
    };
    assert_eq!(looked(&["--json"]).code, 0);
    mode(&elsewhere, "ralph.toml", 0o644);
    let reported = remarks(&looked(&["--json"]));
    assert!(reported.contains("ralph.toml has mode 0644, so others can get at it"), "{reported}");
    assert_eq!(looked(&["--repair", "--json"]).code, 0);
    assert_eq!(mode_of(&elsewhere, "ralph.toml"), 0o600);
}

#[test]
fn a_program_that_does_not_exist_is_a_finding() {
    let home = healthy_at(
        healthy_url(),
        "required_checks = []\nsetup = [\"nmp ci\", \"cd web && nmp ci\"]\n",
    );
    let sound = fs::read_to_string(home.path().join("config.toml")).unwrap();
    write(&home, "config.toml", &sound.replace("[\"sh\"]", "[\"claud\", \"-p\"]"));
    let ran = doctor(&home, &["--json"]);
    assert_eq!(ran.code, 1);
    assert_snapshot!(remarks(&ran), @"
    finding agent: `claud` is not on the PATH, so every turn would fail at once
      -> install it, or correct `command` in [agent] or [roles]
    finding commands: acme/widgets: `nmp` of `setup` is not on the PATH, so it would always fail
      -> install it, or correct `setup`
    note store: no daemon runs; the last writer was test
    ");
    let shown = doctor(&home, &[]).stdout;
    let first = shown.lines().next().unwrap_or_default();
    assert!(first.starts_with("finding"), "findings come first: {shown}");
    assert!(shown.ends_with("2 findings, at the top.\n"), "{shown}");
}

#[test]
fn a_configuration_with_problems_is_a_finding_that_names_them() {
    let home = healthy();
    write(&home, "config.toml", "max_wokers = 3\npoll_interval = 30\n");
    let ran = doctor(&home, &["--json"]);
    assert_eq!(ran.code, 1);
    assert_snapshot!(remarks(&ran), @r#"
    finding configuration: HOME/config.toml has 2 problems: line 1: `max_wokers` is not a setting outside a table; the nearest one is `max_workers`; line 2: `poll_interval` cannot be 30; write a length of time from "1s" to "1d", such as "90s" or "1h30m"
      -> change these lines
    note store: no daemon runs; the last writer was test
    "#);
    assert_eq!(document(&ran)["settings"].as_array().unwrap().len(), 0);
}

#[test]
fn a_configuration_that_is_not_enough_is_a_finding() {
    let home = healthy();
    write(
        &home,
        "config.toml",
        "webhook_listen = \"127.0.0.1:1\"\n[forge]\nurl = \"http://forge.example:3000\"\ntoken_env = \"NO_SUCH_TOKEN\"\n[[repos]]\nname = \"acme/widgets\"\n",
    );
    assert_snapshot!(remarks(&doctor(&home, &["--json"])), @"
    finding configuration: there is no agent for every role
      -> set `command` in [agent]
    finding configuration: acme/widgets has no `preflight_command`, so none of its issues is claimed
      -> set it; [] skips it on purpose
    finding configuration: webhooks are to be received, but RALPH_WEBHOOK_SECRET is not set
      -> put the webhooks' secret into RALPH_WEBHOOK_SECRET
    note store: no daemon runs; the last writer was test
    finding forge: NO_SUCH_TOKEN is not set, so there is no token
      -> put a token into NO_SUCH_TOKEN, or name another variable in `token_env`
    finding forge: http://forge.example:3000 is not encrypted: everybody on the way can read the token
      -> use https, or a forge on this machine
    ");
}

#[test]
fn another_configuration_can_be_named() {
    let home = healthy();
    write(&home, "other.toml", &format!("[forge]\nurl = \"{}\"\n", healthy_url()));
    mode(&home, "other.toml", 0o600);
    let other = home.path().join("other.toml").display().to_string();
    let ran = doctor(&home, &["--config", &other, "--json"]);
    assert_snapshot!(remarks(&ran), @"
    finding configuration: no repository is configured, so there is nothing to work on
      -> add a [[repos]] with a name
    finding configuration: there is no agent for every role
      -> set `command` in [agent]
    note store: no daemon runs; the last writer was test
    ");
    let missing = doctor(&home, &["--config", "missing.toml", "--json"]);
    assert_snapshot!(remarks(&missing), @"
    finding configuration: there is no configuration at missing.toml
      -> run `ralph init` in a checkout of your repository
    note store: no daemon runs; the last writer was test
    ");
}

#[test]
fn a_home_that_is_not_there_is_told_and_not_made() {
    let home = Home::empty();
    let missing = home.path().join("missing").display().to_string();
    let ran = doctor(&home, &["--home", &missing, "--json"]);
    assert_eq!(ran.code, 1);
    assert_snapshot!(remarks(&ran), @"
    finding home: there is no HOME/missing
      -> make it with `mkdir -m 700`, and write config.toml in it
    finding configuration: there is no configuration at HOME/missing/config.toml
      -> run `ralph init` in a checkout of your repository
    note store: there is none at HOME/missing/state.sqlite yet; the first `ralph run` makes it
    ");
    assert!(home.files().is_empty());
}

#[test]
fn a_damaged_store_is_a_finding() {
    let home = healthy();
    write(&home, "state.sqlite", &"once upon a time\n".repeat(400));
    let ran = doctor(&home, &["--json"]);
    assert_eq!(ran.code, 1);
    assert_snapshot!(remarks(&ran), @"
    finding store: HOME/state.sqlite is damaged: file is not a database. It was left untouched. There is no backup beside it: move it away and start without it: after `ralph take-over owner/name` labels and pull requests on the forge are taken up again.
      -> do as the message says
    ");
}

#[test]
fn who_writes_to_the_store_is_told() {
    let home = healthy();
    let writer = SampleStore::begin(&home);
    let ran = doctor(&home, &["--json"]);
    drop(writer);
    let checks = document(&ran)["checks"].clone();
    let says = |says: &str| checks.as_array().unwrap().iter().any(|check| check["says"] == says);
    assert!(says("test writes to it"), "{checks}");
}

#[test]
fn a_daemon_that_says_nothing_any_more_is_a_finding() {
    let home = healthy();
    let said = r#"{"pid":4242,"started":1704067200000,"heartbeat":1704067200000,"workers":{"busy":0,"max":6},
        "budget":null,"degraded":[],"config_error":null}"#;
    write(&home, "daemon.json", said);
    mode(&home, "daemon.json", 0o600);
    let writer = SampleStore::begin(&home);
    let ran = doctor(&home, &["--json"]);
    drop(writer);
    assert_eq!(ran.code, 1);
    assert_snapshot!(remarks(&ran), @"
    finding store: process 4242 (test) holds it, but was last active 2024-01-01 00:00Z
      -> look for a full disk, or end that process and start it again; nothing is lost
    ");
}

#[test]
fn what_a_killed_daemon_left_is_removed_only_while_none_runs() {
    let home = healthy();
    let socket = home.path().join("daemon.sock");
    drop(UnixDatagram::bind(&socket).unwrap());
    mode(&home, "daemon.sock", 0o600);
    write(&home, "daemon.json.77", "{");
    mode(&home, "daemon.json.77", 0o600);
    let writer = SampleStore::begin(&home);
    assert_eq!(doctor(&home, &["--repair"]).code, 0);
    assert!(socket.exists(), "it may be the running daemon's");
    drop(writer);
    assert_snapshot!(remarks(&doctor(&home, &["--json"])), @"
    note store: no daemon runs; the last writer was test
    note left over: HOME/daemon.json.77 was left behind by a daemon that was killed
      -> `ralph doctor --repair` removes it
    note left over: HOME/daemon.sock was left behind by a daemon that was killed
      -> `ralph doctor --repair` removes it
    ");
    assert_snapshot!(remarks(&doctor(&home, &["--repair", "--json"])), @"
    note store: no daemon runs; the last writer was test
    repaired left over: HOME/daemon.json.77 is removed
    repaired left over: HOME/daemon.sock is removed
    ");
    assert!(!socket.exists() && !home.path().join("daemon.json.77").exists());
}

#[test]
fn without_git_nothing_works_and_it_says_so() {
    let home = healthy();
    let mut command = program();
    command.env("RALPH_HOME", home.path()).env("GITHUB_TOKEN", "t").env("PATH", home.path());
    let ran = run(command.args(["doctor", "--json"]));
    assert_eq!(ran.code, 1);
    let git = document(&ran)["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|check| check["about"] == "git")
        .cloned()
        .unwrap();
    assert_eq!(git["verdict"], "finding");
    assert_eq!(git["next"], "install git 2.38 or newer, and have it on the PATH");
}
