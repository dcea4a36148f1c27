//! Room on the disk of the home folder. Below what the operator wants to be left, nothing new starts.

use super::Daemon;
use crate::daemon_status::{Degraded, DegradedKind};
use ralph_core::time::{Span, Time};
use ralph_engine::EngineError;
use std::path::Path;

/// The time between two looks: a build writes a gigabyte in less than a minute.
const LOOK: Span = Span::from_secs(15);
const MEGABYTE: u64 = 1_000_000;

/// The last look.
#[derive(Debug)]
pub(super) struct Room {
    next: Time,
    free: Option<u64>,
}

impl Default for Room {
    fn default() -> Self {
        Self { next: Time(i64::MIN), free: None }
    }
}

/// Bytes that are free on the disk of this folder.
pub(crate) fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

impl Daemon {
    pub(super) fn look_at_disk(&mut self, now: Time) -> Result<(), EngineError> {
        if now < self.room.next {
            return Ok(());
        }
        self.room = Room { next: now.plus(LOOK), free: free_bytes(self.home.path()) };
        let least = self.settings.current.disk_free_min;
        let is_short = self.room.free.is_some_and(|free| free < least);
        if is_short == self.engine.policy().is_short_of_disk {
            return Ok(());
        }
        let mut policy = self.engine.policy().clone();
        policy.is_short_of_disk = is_short;
        self.engine.set_policy(now, policy)
    }

    pub(super) fn no_room(&self) -> Option<Degraded> {
        let free = self.room.free.filter(|_| self.engine.policy().is_short_of_disk)? / MEGABYTE;
        let least = self.settings.current.disk_free_min / MEGABYTE;
        let why = format!(
            "nothing new starts: {free} MB are free on the disk, and `disk_free_min` is {least} MB. `ralph worktrees` lists \
             folders that can go"
        );
        let what = self.home.path().display().to_string();
        Some(Degraded::new(DegradedKind::Disk, what, why, None))
    }
}
