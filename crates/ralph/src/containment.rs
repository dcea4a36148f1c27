//! How processes are kept from outliving Ralph, the same for whoever starts some and whoever reports on it.

use ralph_adapters::guard::{GuardSettings, Probe, secrets_below};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Between the request to end and the kill.
const GRACE: Duration = Duration::from_secs(5);

/// Does Bubblewrap work here?
pub(crate) fn probe(path: &OsStr) -> Probe {
    Probe::run(Path::new("bwrap"), path)
}

/// `executable` is this program, which is its own guard.
pub(crate) fn guard(executable: PathBuf, path: &OsStr, user_home: Option<&Path>) -> GuardSettings {
    GuardSettings {
        program: executable,
        arguments: vec!["guard".into()],
        bubblewrap: probe(path).program(),
        grace: GRACE,
        hidden: user_home.map(secrets_below).unwrap_or_default(),
    }
}
