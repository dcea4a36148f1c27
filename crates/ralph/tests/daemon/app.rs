//! Ralph as a GitHub App: registered on the forge, with its own key, through a whole life.

use crate::forge::REPO;
use crate::process::run;
use crate::stage::{Stage, WORK, sizes_below};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

const KEY: &str = include_str!("../../../forge/tests/claims/app-key.pem");

/// The App `ralph`, installed in the repositories of an owner, and in the settings instead of the token.
fn with_app(owner: &str) -> (Stage, PathBuf) {
    // The key lies beside the agent, which looks for it.
    let stage =
        Stage::set(&format!("cat \"$(dirname \"$0\")/key.pem\" | grep -q . && exit 1\n{WORK}"));
    let key = stage.place("key.pem");
    fs::write(&key, KEY).expect("a file");
    fs::set_permissions(&key, Permissions::from_mode(0o600)).expect("a file of ours");
    let mut add = stage.command(&["forge", "app", "add", "ralph", "--install", owner, "--key"]);
    let added = run(add.arg(&key).arg("--data").arg(stage.place("forge/data")));
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let id = added.stdout.split_whitespace().last().expect("an id").to_owned();
    let path = stage.home.join("config.toml");
    let config = fs::read_to_string(&path).expect("settings");
    let app = format!("[forge.app]\napp_id = {id}\nprivate_key_path = {key:?}\n[agent]");
    let config = config.replace("token_env = \"FORGE_TOKEN\"\n", "").replace("[agent]", &app);
    fs::write(&path, config).expect("settings");
    (stage, key)
}

#[test]
fn an_app_brings_an_issue_to_its_end_as_its_own_user() {
    let (stage, _key) = with_app("ada");
    let issue = stage.forge.open_issue("Do it", "");
    stage.work_to_the_end();
    assert_eq!(stage.forge.status(issue), ["done"], "{}", stage.explained(issue));
    let pulls = stage.forge.task_pulls();
    assert_eq!(pulls.len(), 1);
    assert_eq!(pulls[0]["user"]["login"], "ralph[bot]");
    let events = stage.forge.list(&format!("issues/{issue}/events"));
    let done = events.iter().find(|event| event["label"]["name"] == "ralph:status:done");
    assert_eq!(done.expect("a label")["actor"]["login"], "ralph[bot]");
    stage.forge.assert_nothing_twice();
    let doctor = stage.ralph(&["doctor", "--json"]);
    assert!(doctor.stdout.contains("it takes the App's key and knows us as ralph[bot]"));
    let secret = KEY.lines().nth(1).expect("a line of the key");
    for (path, _size) in sizes_below(&stage.home) {
        let bytes = fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(secret) && !text.contains("ghs_"), "{}", path.display());
    }
}

#[test]
fn a_key_that_others_can_read_and_an_app_that_is_not_installed_are_refused() {
    let (stage, key) = with_app("somebody");
    let ran = stage.ralph(&["run", "--until-idle"]);
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    let reported = format!(
        "there is no {REPO}, or ralph[bot] may not see it; check the name, and install the App there"
    );
    assert!(ran.stderr.contains(&reported), "{}", ran.stderr);
    fs::set_permissions(&key, Permissions::from_mode(0o644)).expect("a file of ours");
    let ran = stage.ralph(&["run", "--until-idle"]);
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stderr.contains("mode 644") && ran.stderr.contains("chmod 600"), "{}", ran.stderr);
    assert!(!ran.stderr.contains(KEY.lines().nth(1).expect("a line of the key")));
}
