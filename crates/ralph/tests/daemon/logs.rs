//! The log of a life: one object a line, for its owner alone, and without anything that must not be in it.

use crate::stage::{SECRET, Stage, sizes_below};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

fn files(stage: &Stage) -> Vec<PathBuf> {
    sizes_below(&stage.home.join("logs")).into_iter().map(|(path, _)| path).collect()
}

fn lines(stage: &Stage) -> Vec<Value> {
    let texts = files(stage).into_iter().map(|path| fs::read_to_string(path).expect("a log"));
    let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    lines.map(|line| serde_json::from_str(&line).expect("an object")).collect()
}

#[test]
fn the_log_tells_the_whole_life_and_no_secret() {
    let stage = Stage::set("exit 1\n");
    // An agent that found the secrets somewhere says them aloud.
    let leak = format!("{} and {SECRET}", stage.forge.bot_token);
    fs::write(stage.place("implement.sh"), format!("echo 'I know {leak}' | tee /dev/stderr\n"))
        .expect("a file");
    let issue = stage.forge.open_issue("Do it", "");
    let refused = json!({"method": "POST", "path": "/comments$", "status": 403, "times": 1});
    stage.forge.fault(&json!([refused]));
    let ran = stage.work();
    assert_eq!(stage.forge.status(issue), ["escalated"]);

    let lines = lines(&stage);
    let reported =
        |message: &'static str| lines.iter().filter(move |line| line["message"] == message);
    let started = reported("started").next().expect("a start");
    assert_eq!(started["login"], "ralph-bot");
    assert_eq!(started["forge"], stage.forge.url);
    let refused = reported("refused").next().expect("a refused comment");
    assert!(refused["effect"].as_str().expect("an effect").contains("comment:"), "{refused}");
    assert_eq!(refused["level"], "warn");
    let facts: Vec<_> = reported("fact").collect();
    let numbers: Vec<_> =
        facts.iter().map(|fact| fact["seq"].as_u64().expect("a number")).collect();
    assert!(numbers.len() > 20 && numbers.is_sorted(), "{numbers:?}");
    let failed = facts.iter().filter_map(|fact| fact["says"].as_str());
    assert!(failed.into_iter().any(|says| says.contains("attempt 4")), "{facts:?}");
    assert_eq!(reported("ended").count(), 1);

    for path in files(&stage) {
        let mode = fs::metadata(&path).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
    for path in files(&stage) {
        let text = fs::read_to_string(&path).expect("a file");
        assert!(!text.contains(SECRET), "the webhook's secret: {text}");
    }
    for text in [ran.stderr, stage.ralph(&["status"]).stdout] {
        assert!(!text.contains(&stage.forge.bot_token), "a token: {text}");
    }
    for (path, _) in sizes_below(&stage.home) {
        let bytes = fs::read(&path).unwrap_or_default();
        let token = stage.forge.bot_token.as_bytes();
        let is_there = bytes.windows(token.len()).any(|part| part == token);
        assert!(!is_there, "a token: {}", path.display());
    }
}
