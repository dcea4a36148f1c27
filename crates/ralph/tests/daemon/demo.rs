//! `ralph demo`, as a new user runs it.

use crate::process::{Process, Ran, alive_in, ralph};
use rustix::process::Signal;
use std::path::Path;

fn demo(folder: &Path, arguments: &[&str]) -> Process {
    let mut command = ralph();
    command.env("HOME", folder).env("TMPDIR", folder).arg("demo").args(arguments);
    Process::start(&mut command)
}

fn assert_ended_well(ran: &Ran) {
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    let reported: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one document");
    assert_eq!(reported["ok"], true, "{reported}");
    let issues = reported["issues"].as_array().expect("issues");
    assert!(issues.len() >= 6, "{reported}");
    assert!(issues.iter().all(|issue| issue["status"] == issue["expected"]), "{reported}");
}

fn assert_nothing_left(folder: &Path) {
    let left: Vec<_> = std::fs::read_dir(folder).expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
    let alive = alive_in(folder);
    assert!(alive.is_empty(), "{alive:?}");
}

/// Two at once are a second run, and one that finds ports taken.
#[test]
fn two_demos_at_once_end_as_expected_and_leave_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let both = [demo(folder.path(), &["--json"]), demo(folder.path(), &["--json"])];
    for demo in both {
        assert_ended_well(&demo.wait());
    }
    assert_nothing_left(folder.path());
}

#[test]
fn a_demo_that_is_stopped_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut demo = demo(folder.path(), &[]);
    demo.hear(": implement");
    demo.signal(Signal::INT);
    let ran = demo.wait();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("the demo was stopped"), "{}", ran.stderr);
    assert_nothing_left(folder.path());
}
