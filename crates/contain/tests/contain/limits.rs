//! Limits on what a run uses: over one of them it ends, and the reason is told.

use crate::room::{Room, containments, follow, launcher};
use ralph_contain::{Containment, Ending, Limits, Overrun, Resource, Spec};
use std::time::Duration;

const MEGABYTE: u64 = 1_000_000;

fn run(containment: &Containment, limits: Limits, script: &str) -> (Ending, String) {
    let room = Room::new();
    let spec = Spec { limits, ..room.spec(script) };
    let process = launcher(containment).confined(&spec).expect("it starts");
    follow(process, Duration::from_secs(120))
}

/// Holds this many megabytes in each of two processes.
fn holding(megabytes: u32) -> String {
    let hold = format!(
        "python3 -c 'import sys; held = bytearray({megabytes} * 1000000); print(\"held\", flush=True); sys.stdin.read()'"
    );
    format!("sleep 1000 | {hold} &\nsleep 1000 | {hold}")
}

#[test]
fn processes_that_use_too_much_memory_together_end_with_the_reason() {
    for containment in containments() {
        let limits = Limits { memory_bytes: Some(150 * MEGABYTE), ..Limits::default() };
        let (ending, _) = run(&containment, limits, &holding(100));
        let Ending::OverLimit(Overrun { resource: Resource::Memory, used, limit }) = ending else {
            panic!("{containment:?}: {ending}");
        };
        assert!(used > limit && limit == 150 * MEGABYTE, "{ending}");
        assert!(ending.to_string().ends_with("150 MB allowed"), "{ending}");
    }
}

#[test]
fn too_many_processes_end_with_the_reason() {
    for containment in containments() {
        let limits = Limits { processes: Some(30), ..Limits::default() };
        let script = "for one in $(seq 60); do sleep 1000 & done; wait";
        let (ending, _) = run(&containment, limits, script);
        let Ending::OverLimit(Overrun { resource: Resource::Processes, limit: 30, .. }) = ending
        else {
            panic!("{containment:?}: {ending}");
        };
    }
}

#[test]
fn a_run_within_its_limits_is_left_alone() {
    for containment in containments() {
        let limits = Limits {
            memory_bytes: Some(2_000 * MEGABYTE),
            processes: Some(500),
            open_files: Some(64),
            file_bytes: Some(10 * MEGABYTE),
            nice: Some(3),
        };
        // Longer than the time between two looks.
        let (ending, output) = run(&containment, limits, "ulimit -n; nice; sleep 1.2; exit 4");
        assert_eq!((ending, output.as_str()), (Ending::Exited(4), "64\n3\n"), "{containment:?}");
    }
}

#[test]
fn a_file_that_grows_too_large_and_a_descriptor_too_many_are_refused() {
    for containment in containments() {
        let limits =
            Limits { file_bytes: Some(MEGABYTE), open_files: Some(64), ..Limits::default() };
        let (ending, _) = run(&containment, limits, "exec head -c 5000000 /dev/zero > large");
        assert_eq!(ending, Ending::Signalled(25), "{containment:?}");
        assert!(ending.to_string().contains("limit"), "{ending}");
        let script =
            "python3 -c 'all = [open(\"/dev/null\") for one in range(100)]' 2>&1 | tail -1";
        let (_, output) = run(&containment, limits, script);
        assert!(output.contains("Too many open files"), "{output}");
    }
}
