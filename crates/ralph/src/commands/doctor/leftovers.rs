//! The files that a killed daemon leaves behind. None of them does harm, and all of it can go while no daemon
//! runs.

use super::{Check, Examination};
use crate::daemon_status::DaemonStatus;
use crate::writer_lock;
use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

const ABOUT: &str = "left over";

pub(super) fn checks(examination: &Examination<'_>) -> Vec<Check> {
    let home = &examination.context.home;
    let mut checks = Vec::new();
    if let Err(error) = DaemonStatus::read(home) {
        let says = format!("{} cannot be read: {error}", home.daemon_status().display());
        checks.push(Check::finding(ABOUT, says, "remove it; a running daemon writes it again"));
    }
    // While a daemon runs these are its own; when that is unknown they may be.
    let Ok(Some(_nobody_writes)) = writer_lock::keep_out(home) else { return checks };
    let mut left = left(home.path(), &home.socket());
    for mirror in fs::read_dir(home.repos()).into_iter().flatten().flatten() {
        left.extend(git_locks(&mirror.path()));
    }
    checks.extend(left.iter().map(|path| gone(examination, path)));
    if checks.is_empty() {
        checks.push(Check::ok(ABOUT, "nothing"));
    }
    checks
}

fn left(home: &Path, socket: &Path) -> Vec<PathBuf> {
    let is_socket = fs::symlink_metadata(socket).is_ok_and(|found| found.file_type().is_socket());
    let entries = fs::read_dir(home).into_iter().flatten().flatten();
    let is_half_written = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        let number = name.and_then(|name| name.strip_prefix("daemon.json."));
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut left: Vec<_> = entries.map(|entry| entry.path()).filter(is_half_written).collect();
    left.extend(is_socket.then(|| socket.to_owned()));
    left.sort();
    left
}

/// Locks that a killed git left in a mirror. Among objects there are none, and those are many.
fn git_locks(folder: &Path) -> Vec<PathBuf> {
    let mut locks = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, kind) = (entry.path(), entry.file_type());
        let is_lock = path.extension().is_some_and(|extension| extension == "lock");
        match kind {
            Ok(kind) if kind.is_dir() && entry.file_name() != "objects" => {
                locks.extend(git_locks(&path));
            }
            Ok(kind) if kind.is_file() && is_lock => locks.push(path),
            Ok(_) | Err(_) => {}
        }
    }
    locks.sort();
    locks
}

fn gone(examination: &Examination<'_>, path: &Path) -> Check {
    let shown = path.display();
    if !examination.wish.repair {
        let says = format!("{shown} was left behind by a daemon that was killed");
        return Check::note(ABOUT, says).next("`ralph doctor --repair` removes it");
    }
    match fs::remove_file(path) {
        Ok(()) => Check::repaired(ABOUT, format!("{shown} is removed")),
        Err(error) => {
            let says = format!("{shown} could not be removed: {error}");
            Check::finding(ABOUT, says, "remove it by hand")
        }
    }
}
