//! What the daemon says of itself in `daemon.json`, for `ralph status`.

use super::{Daemon, LeftOut};
use crate::daemon_status::{Budget, Degraded, Workers};
use ralph_core::time::{Span, Time};

/// How often the heartbeat is written when nothing else changes.
const HEARTBEAT: Span = Span::from_secs(10);

impl Daemon {
    /// Writes the file when it says something new, or to show that somebody is alive.
    pub(super) fn report(&mut self, now: Time) {
        let mut status = self.status.clone();
        let budget = self.account.snapshot();
        status.workers =
            Workers { busy: self.engine.world().busy(), max: self.engine.policy().max_workers };
        status.budget = budget.primary.map(|primary| Budget {
            remaining: primary.remaining,
            limit: primary.limit,
            resets: primary.reset,
        });
        status.degraded = budget
            .degraded
            .into_iter()
            .map(|found| Degraded {
                what: self.account.address().as_str().to_owned(),
                why: found.why,
                until: found.until,
            })
            .chain(self.left_out.iter().map(LeftOut::degraded))
            .collect();
        let is_news =
            status.degraded != self.status.degraded || status.workers != self.status.workers;
        if is_news || now.since(status.heartbeat) >= HEARTBEAT {
            status.heartbeat = now;
            // A full disk must not stop the work; status then shows an old heartbeat.
            if status.write(&self.home).is_ok() {
                self.status = status;
            }
        }
    }
}
