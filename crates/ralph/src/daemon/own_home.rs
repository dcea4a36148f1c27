//! The home becomes ours alone: made if need be, its store opened and locked. If it is somebody else's, it is
//! said whose.

use super::StartError;
use crate::daemon_status::DaemonStatus;
use crate::home::Home;
use ralph_engine::store::{OpenError, Store};
use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::time::Duration;

/// Whoever looks whether a daemon runs holds the lock for an instant.
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

/// What the one who works there says of itself.
fn holder(home: &Home) -> String {
    let status = DaemonStatus::read(home).ok().flatten();
    status.map_or_else(|| "another Ralph".to_owned(), |status| format!("process {}", status.pid))
}
