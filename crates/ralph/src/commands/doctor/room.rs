//! Room on the disk that holds the home folder.

use super::{Check, Examination};
use crate::config::Config;
use crate::daemon::free_bytes;

const ABOUT: &str = "disk";
const MEGABYTE: u64 = 1_000_000;

pub(super) fn checks(examination: &Examination<'_>) -> Vec<Check> {
    // A home that is not there yet has been reported.
    let Some(free) = free_bytes(examination.context.home.path()) else { return Vec::new() };
    let defaults = Config::default();
    let least = examination.config.as_ref().unwrap_or(&defaults).disk_free_min;
    let says = format!("{} MB are free", free / MEGABYTE);
    vec![if free < least {
        let next = format!(
            "make room: nothing new starts below {} MB (`disk_free_min`); `ralph worktrees` lists folders that can go",
            least / MEGABYTE
        );
        Check::finding(ABOUT, says, next)
    } else {
        Check::ok(ABOUT, says)
    }]
}
