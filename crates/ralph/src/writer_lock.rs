//! The lock that goes with writing to the state store, and whether a process holds it. The system drops it however a
//! process ends, so unlike a file or a lease it cannot be stale.

use crate::home::Home;
use std::fs::{File, TryLockError};
use std::io;

/// While this lives no writer begins.
#[derive(Debug)]
pub struct Quiet {
    /// `None`: nothing was ever written here.
    _lock: Option<File>,
}

/// Keeps writers out, others who do so not. `None`: there is a writer.
pub fn keep_out(home: &Home) -> io::Result<Option<Quiet>> {
    let file = match File::open(home.lock()) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Some(Quiet { _lock: None }));
        }
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(Some(Quiet { _lock: Some(file) })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Is there a writer? When there is none, the lock is held for the moment it takes to find out, and a daemon
/// that starts in that moment has to try again.
pub fn is_held(home: &Home) -> io::Result<bool> {
    Ok(keep_out(home)?.is_none())
}
