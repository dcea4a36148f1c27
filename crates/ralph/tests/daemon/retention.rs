//! Old things go, and what is still needed stays, however old it is.

use crate::stage::{Stage, sizes_below};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Longer ago than anything is kept by default.
const LONG: Duration = Duration::from_secs(100 * 24 * 60 * 60);

/// Everything at this place and below was written long ago.
fn age(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        if !path.is_symlink() {
            age(&path);
        }
    }
    let long_ago = SystemTime::UNIX_EPOCH + now().saturating_sub(LONG);
    if let Ok(file) = File::open(path) {
        file.set_modified(long_ago).expect("a file of ours");
    }
}

#[expect(clippy::disallowed_methods, reason = "files have the time of this machine")]
fn now() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a time after 1970")
}

#[test]
fn old_runs_and_logs_go_and_a_run_that_is_not_over_stays() {
    let stage = Stage::set("echo I cannot.\n");
    let issue = stage.forge.open_issue("Do it", "");
    stage.work();
    assert_eq!(stage.forge.status(issue), ["escalated"]);
    let (runs, logs) = (stage.home.join("runs"), stage.home.join("logs"));
    let precious = stage.place("precious");
    fs::create_dir(&precious).expect("a folder");
    fs::write(precious.join("file"), "mine").expect("a file");
    fs::create_dir_all(runs.join("9-1/ada__app/4-implement")).expect("a folder");
    symlink(&precious, runs.join("9-1/ada__app/4-implement/link")).expect("a link");
    symlink(&precious, runs.join("8-1")).expect("a link");
    fs::write(logs.join("ralph-2020-01-31.jsonl"), "{}\n").expect("a file");
    let kept = sizes_below(&runs.join("1-1"));
    assert!(kept.len() > 5, "{kept:?}");
    age(&runs);
    stage.work();
    assert!(!runs.join("9-1").exists() && !logs.join("ralph-2020-01-31.jsonl").exists());
    assert_eq!(sizes_below(&runs.join("1-1")), kept, "a person may still look at it");
    assert_eq!(fs::read_to_string(runs.join("8-1/file")).expect("a file"), "mine");
    let texts = sizes_below(&logs).into_iter().map(|(path, _)| fs::read_to_string(path));
    let log: String = texts.map(|text| text.expect("a log")).collect();
    assert!(log.contains("removed what was kept for long enough"), "{log}");
}
