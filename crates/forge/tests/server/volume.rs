//! Large pushes and clones pass through; they are not held.

use crate::client::{Clone, command};
use crate::crashes::Remote;
use serde_json::json;

/// The size of the push and of the clone, in bytes.
const VOLUME_BYTES: usize = 50 * 1024 * 1024;

/// Far less than what is carried, in kilobytes.
const RESIDENT_KILOBYTES_MAX: u64 = 40 * 1024;

pub(crate) fn most_resident_kilobytes(pid: u32) -> u64 {
    kilobytes(pid, "VmHWM:")
}

/// A line of what the system knows about the memory of a process.
pub(crate) fn kilobytes(pid: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Time that a process has used so far, in clock ticks.
fn ticks_used(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    [11, 12].iter().map(|at| fields[*at].parse::<u64>().unwrap()).sum()
}

#[test]
fn an_idle_server_uses_no_time() {
    let folder = tempfile::tempdir().unwrap();
    let remote = Remote::start(&folder.path().join("data"));
    remote.api().get("/user");
    let before = ticks_used(remote.child.id());
    command("sleep").arg("2").status().unwrap();
    assert_eq!(ticks_used(remote.child.id()), before);
}

#[test]
fn a_large_push_and_clone_fit_into_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let remote = Remote::start(&folder.path().join("data"));
    remote.api().ask("POST", "/user/repos", Some(&json!({"name": "app"})));
    let work = Clone::empty(folder.path().join("work"));
    // Bytes without repetition, so that git cannot make them smaller.
    let mut state = 1_u64;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    })
    .take(VOLUME_BYTES)
    .collect();
    std::fs::write(work.path.join("large"), &bytes).unwrap();
    work.commit("small", "1");
    work.git(&["push", "--quiet", &remote.git_url(), "main"]);
    let clone = Clone::of(&remote.git_url(), folder.path().join("clone"));
    assert!(std::fs::read(clone.path.join("large")).unwrap() == bytes);
    let most = most_resident_kilobytes(remote.child.id());
    assert!(most < RESIDENT_KILOBYTES_MAX, "{most} kilobytes");
}
