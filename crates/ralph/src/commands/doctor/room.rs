//! Room on the disk that holds the home folder.

use super::{Check, Examination};

const ABOUT: &str = "disk";
/// Below this a clone, a worktree and a build of a middling project no longer fit.
const FREE_BYTES_MIN: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

pub(super) fn checks(examination: &Examination<'_>) -> Vec<Check> {
    // A home that is not there yet has been reported.
    let Ok(found) = rustix::fs::statvfs(examination.context.home.path()) else { return Vec::new() };
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let says = format!("{} MiB are free", free / MIB);
    vec![if free < FREE_BYTES_MIN {
        let next = format!(
            "make room: at least {} MiB; `ralph worktrees` lists folders that can go",
            FREE_BYTES_MIN / MIB
        );
        Check::finding(ABOUT, says, next)
    } else {
        Check::ok(ABOUT, says)
    }]
}
