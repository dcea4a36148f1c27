//! `ralph doctor --repair` on a real forge: what is missing is found, mended, and then well.

use crate::forge::REPO;
use crate::process::run;
use crate::stage::{Stage, WORK};
use serde_json::{Value, json};

/// The doctor's checks of the repository, for its owner, who is an admin.
fn doctor(stage: &Stage, arguments: &[&str]) -> Vec<String> {
    let mut command = stage.command(&[&["doctor", "--json"], arguments].concat());
    let ran = run(command.env("FORGE_TOKEN", &stage.forge.owner_token));
    let document: Value = serde_json::from_str(&ran.stdout).expect("a document");
    let checks = document["checks"].as_array().expect("checks").iter();
    let checks = checks.filter(|check| check["about"] == "repository" && check["verdict"] != "ok");
    let text = |check: &Value, field: &str| check[field].as_str().unwrap_or_default().to_owned();
    checks.map(|check| format!("{}: {}", text(check, "verdict"), text(check, "says"))).collect()
}

/// All that a repair may touch, as the forge shows it.
fn state(stage: &Stage) -> Vec<Value> {
    let protection =
        |branch: &str| stage.forge.get(&format!("/repos/{REPO}/branches/{branch}/protection"));
    let mut state = stage.forge.list("labels");
    state.extend(stage.forge.list("branches"));
    state.extend([protection("main"), protection("bot%2Fintegration")]);
    state
}

#[test]
fn labels_branch_and_protection_are_found_mended_and_then_well() {
    let stage = Stage::set(WORK);
    let labels = format!("/repos/{REPO}/labels");
    stage.forge.ask("POST", &labels, &json!({"name": "ralph:status:queued", "color": "000000"}));
    stage.forge.ask("POST", &labels, &json!({"name": "bug", "color": "123456"}));
    let found = [
        "note: ada/app has no branch bot/integration yet; Ralph makes it from main",
        "note: main of ada/app does not require CI, which nothing has reported there yet",
        "note: of Ralph's labels in ada/app, 15 missing and 1 changed; its next start puts that right",
    ];
    assert_eq!(doctor(&stage, &[]), found);
    let head = stage.forge.get(&format!("/repos/{REPO}/branches/main"))["commit"]["sha"].clone();
    let path = format!("/repos/{REPO}/statuses/{}", head.as_str().expect("a commit"));
    stage.forge.ask("POST", &path, &json!({"state": "success", "context": "CI"}));
    let lint = serde_json::from_str(include_str!("answers/lint_required.json")).expect("JSON");
    stage.forge.ask("PUT", &format!("/repos/{REPO}/branches/main/protection"), &lint);
    let reported = doctor(&stage, &[]);
    assert_eq!(
        reported[1],
        "note: ada/app: Ralph waits for CI, but main lets others merge without"
    );
    assert_eq!(stage.forge.list("branches").len(), 1, "looking changes nothing");
    assert_eq!(stage.forge.list("labels").len(), 2);
    let mended = [
        "repaired: ada/app has the branch bot/integration now, made from main",
        "repaired: bot/integration of ada/app requires CI now",
        "repaired: main of ada/app requires CI now",
        "repaired: of Ralph's labels in ada/app, 15 missing and 1 changed are put right",
    ];
    assert_eq!(doctor(&stage, &["--repair"]), mended);
    assert_eq!(doctor(&stage, &[]), Vec::<String>::new());
    let names: Vec<_> =
        stage.forge.list("labels").iter().map(|label| label["name"].clone()).collect();
    assert!(names.len() == 17 && names.contains(&json!("bug")), "{names:?}");
    let protection = format!("/repos/{REPO}/branches/main/protection");
    let required = stage.forge.get(&format!("{protection}/required_status_checks"));
    assert_eq!(
        (&required["contexts"], &required["strict"]),
        (&json!(["CI", "lint"]), &json!(true))
    );
    assert_eq!(stage.forge.get(&protection)["enforce_admins"]["enabled"], true);
    let before = state(&stage);
    assert_eq!(doctor(&stage, &["--repair"]), Vec::<String>::new());
    assert_eq!(state(&stage), before, "a second repair changes nothing");
}

#[test]
fn without_admin_rights_protection_is_left_to_others() {
    let stage = Stage::set(WORK);
    let mut command = stage.command(&["doctor", "--repair", "--json"]);
    let ran = run(&mut command);
    let reported = "have an admin require CI in the branch protection; ralph-bot is none";
    assert!(ran.stdout.contains(reported), "{}", ran.stdout);
    assert!(stage.forge.list("branches").iter().all(|branch| branch["protected"] == false));
    assert_eq!(stage.forge.list("branches").len(), 2, "the bot branch needs no admin");
}

#[test]
fn a_bot_branch_that_wants_up_to_date_heads_is_said_to_switch_batches_off() {
    let stage = Stage::set(WORK);
    doctor(&stage, &["--repair"]);
    let strict = serde_json::from_str(include_str!("answers/lint_required.json")).expect("JSON");
    let path = format!("/repos/{REPO}/branches/bot%2Fintegration/protection");
    stage.forge.ask("PUT", &path, &strict);
    let reported = "note: bot/integration of ada/app requires branches to be up to date before merging, so pull \
                requests are tested one after the other and `batch_max` does nothing";
    let says = doctor(&stage, &[]);
    assert!(says.iter().any(|line| line == reported), "{says:#?}");
    let config = stage.home.join("config.toml");
    let text = std::fs::read_to_string(&config).expect("a file");
    std::fs::write(&config, format!("{text}batch_max = 1\n")).expect("a file");
    assert!(!doctor(&stage, &[]).iter().any(|line| line == reported));
}
