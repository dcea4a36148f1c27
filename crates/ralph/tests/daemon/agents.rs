//! Agents that behave badly, and a daemon that dies while one works.

use crate::process::alive_in;
use crate::stage::{Stage, WORK, sizes_below};
use crate::waiting::until;
use std::fs;

/// The memory that a daemon may hold while an agent prints without end.
const MEMORY_KIB_MAX: u64 = 128 * 1024;
/// The part of one turn's output that is kept.
const KEPT_BYTES_MAX: u64 = 17 * 1024 * 1024;

fn peak_memory_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a status");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|line| line.split_whitespace().next()?.parse().ok());
    peak.expect("a peak")
}

/// The processes that agents of this stage have started and not ended. They sleep much longer than any test waits.
fn sleepers(stage: &Stage) -> Vec<String> {
    let mut alive = alive_in(&stage.home);
    alive.retain(|line| line.ends_with(": sleep 1000 "));
    alive
}

#[test]
fn an_agent_that_prints_a_gigabyte_fills_neither_memory_nor_disk() {
    let stage = Stage::set(&format!("yes 'All work and no play' | head -c 1000000000\n{WORK}"));
    let path = stage.home.join("config.toml");
    let config = fs::read_to_string(&path).expect("a file");
    let config = config.replace("[agent]\n", "[agent]\noutput_mb_max = 2000\n");
    fs::write(&path, config).expect("a file");
    let issue = stage.forge.open_issue("Do it", "");
    let daemon = stage.daemon();
    stage.forge.wait_for_status(issue, "in-bot");
    let peak = peak_memory_kib(daemon.id());
    assert!(peak < MEMORY_KIB_MAX, "{peak} KiB");
    assert_eq!(daemon.stop().code, Some(0));
    let kept = sizes_below(&stage.home.join("runs"));
    let largest = kept.iter().max_by_key(|(_, size)| *size).expect("a file");
    assert!((1_000_000..KEPT_BYTES_MAX).contains(&largest.1), "{largest:?}");
}

#[test]
fn a_daemon_that_an_agent_leaves_behind_dies_with_the_run() {
    let stage = Stage::set(&format!(
        "setsid sh -c 'setsid sleep 1000 & echo left > left.txt' > /dev/null 2>&1 &\n\
         until test -s left.txt; do sleep 0.05; done\n{WORK}"
    ));
    let issue = stage.forge.open_issue("Do it", "");
    let mut daemon = stage.daemon();
    daemon.hear("next step: preflight");
    until("the end of the agent's daemon", || sleepers(&stage).is_empty().then_some(()));
    stage.forge.wait_for_status(issue, "in-bot");
    assert_eq!(daemon.stop().code, Some(0));
    stage.assert_nobody_left();
}

#[test]
fn an_agent_cannot_write_outside_of_its_worktree() {
    let stage = Stage::set(&format!(
        "top=$(dirname \"$0\")\n\
         for place in \"$top/outside.txt\" \"$top/home/config.toml\" \"$top/home/state.sqlite\" \"$top/user/.profile\"\n\
         do echo broken 2>> log.txt > \"$place\"; done\n{WORK}"
    ));
    if !stage.ralph(&["doctor"]).stdout.contains("Bubblewrap works") {
        eprintln!("not tested: without Bubblewrap nothing keeps an agent in its worktree");
        return;
    }
    let config = fs::read(stage.home.join("config.toml")).expect("a file");
    let issue = stage.forge.open_issue("Do it", "");
    stage.work_to_the_end();
    assert_eq!(stage.forge.status(issue), ["done"]);
    assert!(!stage.exists("outside.txt"));
    assert!(!stage.exists("user/.profile"));
    assert_eq!(fs::read(stage.home.join("config.toml")).expect("a file"), config);
}

#[test]
fn a_daemon_killed_in_the_middle_of_a_turn_loses_nothing() {
    let stage = Stage::set(&format!(
        "if test ! -e half.txt; then echo precious > half.txt; setsid sleep 1000 & sleep 1000; fi\n{WORK}"
    ));
    let issue = stage.forge.open_issue("Do it", "");
    let mut daemon = stage.daemon();
    daemon.hear("attempt 4 is running");
    let worktree = stage.worktree(issue);
    until("work in progress", || (sleepers(&stage).len() == 2).then_some(()));
    daemon.kill();
    stage.assert_nobody_left();
    let status = stage.ralph(&["status"]).stdout;
    let line = status.lines().find(|line| line.contains("Do it")).unwrap_or_default();
    assert!(line.contains("implement was under way") && !line.contains("until"), "{status}");
    assert_eq!(fs::read_to_string(worktree.join("half.txt")).expect("a file"), "precious\n");
    stage.work();
    assert_eq!(stage.forge.status(issue), ["in-bot"]);
    let story = stage.explained(issue);
    assert!(story.contains("attempt 4 was interrupted"), "{story}");
    let files = stage.forge.list(&format!("pulls/{}/files", stage.forge.task_pulls()[0]["number"]));
    let names: Vec<_> = files.iter().filter_map(|file| file["filename"].as_str()).collect();
    assert_eq!(names, ["half.txt", "work-1.txt"]);
    stage.forge.merge_rollup();
    stage.work();
    assert_eq!(stage.forge.status(issue), ["done"]);
    stage.forge.assert_nothing_twice();
}
