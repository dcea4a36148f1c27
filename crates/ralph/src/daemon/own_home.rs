//! The home becomes ours alone: made if need be, its store opened and locked. If it belongs to another user, it is
//! said whose.

use super::StartError;
use crate::daemon_status::{DaemonStatus, Workers};
use crate::home::Home;
use ralph_core::time::{Span, Time};
use ralph_engine::store::{OpenError, Store};
use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::time::Duration;

/// A command that looks whether a daemon runs holds the lock for an instant.
const LOOKED_AT: Duration = Duration::from_millis(50);

/// The home with its links resolved, because processes compare paths by text.
pub(super) fn prepared(home: &Home) -> Result<Home, StartError> {
    let failed = |source| StartError::Home { path: home.path().to_owned(), source };
    let is_new = !home.path().exists();
    DirBuilder::new().recursive(true).mode(0o700).create(home.path()).map_err(failed)?;
    if is_new {
        fs::set_permissions(home.path(), Permissions::from_mode(0o700)).map_err(failed)?;
    }
    home.path().canonicalize().map(Home::at).map_err(failed)
}

pub(super) fn open_store(home: &Home) -> Result<Store, StartError> {
    let open = || Store::open(&home.store());
    let mut opened = open();
    if matches!(opened, Err(OpenError::InUse { .. })) {
        std::thread::park_timeout(LOOKED_AT);
        opened = open();
    }
    if matches!(opened, Err(OpenError::InUse { .. })) {
        return Err(StartError::InUse { home: home.path().to_owned(), holder: holder(home) });
    }
    opened.map_err(StartError::Open)
}

/// Writes down who works here from now on, for a second daemon to read. A full disk does not keep a daemon from working.
pub(super) fn introduce(home: &Home, now: Time, max_workers: u32) -> DaemonStatus {
    let status = DaemonStatus {
        pid: std::process::id(),
        started: now,
        heartbeat: now,
        workers: Workers { busy: 0, max: max_workers },
        budget: None,
        degraded: Vec::new(),
        config_error: None,
        config_error_since: None,
        restart_needed: Vec::new(),
        sandbox: None,
        untested_agents: Vec::new(),
    };
    drop(status.write(home));
    // The first report is due at once.
    DaemonStatus { heartbeat: now.minus(Span::from_mins(1)), ..status }
}

/// The report of the daemon that works there.
fn holder(home: &Home) -> String {
    let status = DaemonStatus::read(home).ok().flatten();
    status.map_or_else(|| "another Ralph".to_owned(), |status| format!("process {}", status.pid))
}
