//! The daemon's report of itself in `daemon.json`, for `ralph status`.

use super::Daemon;
use crate::daemon_status::{Budget, DaemonStatus, Workers};
use ralph_core::time::{Span, Time};

/// The time between two heartbeats when nothing else changes.
const HEARTBEAT: Span = Span::from_secs(10);

impl Daemon {
    /// Writes the file when there is something new, or as a heartbeat.
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
        status.degraded = self.degraded(now);
        self.tell_degraded(&status.degraded);
        let refused = self.settings.refused.clone();
        (status.config_error, status.config_error_since) = refused.unzip();
        status.restart_needed = self.settings.restart_needed.clone();
        status.sandbox = Some(self.sandbox.state());
        status.untested_agents = self.agent_versions.get();
        let is_news = status != DaemonStatus { budget: status.budget, ..self.status.clone() };
        if is_news || now.since(status.heartbeat) >= HEARTBEAT {
            status.heartbeat = now;
            // A full disk must not stop the work; `ralph status` then shows an old heartbeat.
            drop(status.write(&self.home));
            self.status = status;
        }
    }
}
