//! Whether somebody holds the lock that goes with writing to the state store. The system drops it however a
//! process ends, so unlike a file or a lease it cannot be stale.

use crate::home::Home;
use std::fs::{File, TryLockError};
use std::io;

/// Is there a writer? When there is none, the lock is held for the moment it takes to find out, and a daemon
/// that starts in that moment has to try again.
pub fn is_held(home: &Home) -> io::Result<bool> {
    let file = match File::open(home.lock()) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
