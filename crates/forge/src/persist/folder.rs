//! The data folder: private to its user, and held by one server at a time.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A folder that no other process writes to while this value lives.
#[derive(Debug)]
pub(crate) struct DataFolder {
    path: PathBuf,
    /// The system lets go of it however the process ends.
    lock: File,
    /// Removed with this value, if it need not be kept.
    temporary: Option<tempfile::TempDir>,
}

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("could not use the folder {path:?}: {source}")]
    Unusable { path: PathBuf, source: io::Error },
    #[error("the folder {path:?} is in use by {holder}; stop that server or name another folder")]
    Held { path: PathBuf, holder: String },
}

/// The holder's note is a line; more is not ours.
const NOTE_BYTES_MAX: u64 = 1024;

impl DataFolder {
    /// A folder to keep.
    pub(crate) fn open(path: &Path) -> Result<Self, FolderError> {
        let unusable = |source| FolderError::Unusable { path: path.to_owned(), source };
        make_private_folder(path).map_err(unusable)?;
        let path = path.canonicalize().map_err(unusable)?;
        let lock = take_lock(&path)?;
        Ok(Self { path, lock, temporary: None })
    }

    /// A folder that is gone afterwards.
    pub(crate) fn temporary() -> Result<Self, FolderError> {
        let made = tempfile::Builder::new().prefix("ralph-forge-").tempdir();
        let path = PathBuf::from("a temporary folder");
        let temporary = made.map_err(|source| FolderError::Unusable { path, source })?;
        let mut opened = Self::open(temporary.path())?;
        opened.temporary = Some(temporary);
        Ok(opened)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A private folder inside.
    pub(crate) fn inside(&self, name: &str) -> Result<PathBuf, FolderError> {
        let path = self.path.join(name);
        match make_private_folder(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(FolderError::Unusable { path, source }),
        }
    }

    /// Returns the secret from which every start makes the same tokens again. Known to those who may read the
    /// folder.
    pub(crate) fn secret(&self) -> io::Result<String> {
        let path = self.path.join("secret");
        match std::fs::read_to_string(&path) {
            Ok(secret) if !secret.is_empty() => Ok(secret),
            Ok(_) | Err(_) => {
                let (secret, beside) = (crate::chance::token()?, path.with_extension("new"));
                private_file(&beside)?.write_all(secret.as_bytes())?;
                std::fs::rename(&beside, &path)?;
                Ok(secret)
            }
        }
    }

    /// Writes down who holds the folder, for the error message of the next process that wants it.
    pub(crate) fn sign(&mut self, note: &str) -> Result<(), FolderError> {
        let written = self
            .lock
            .set_len(0)
            .and_then(|()| self.lock.rewind())
            .and_then(|()| self.lock.write_all(note.as_bytes()));
        written.map_err(|source| FolderError::Unusable { path: self.path.clone(), source })
    }
}

impl Drop for DataFolder {
    fn drop(&mut self) {
        // A program that is just being started may hold the file a moment longer than we do. What
        // cannot be let go of or removed now goes with the process.
        drop(self.lock.unlock());
        drop(self.temporary.take().map(tempfile::TempDir::close));
    }
}

/// A new file that only its user can read.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let mut permissions = path.metadata()?.permissions();
    if permissions.mode() & 0o077 != 0 {
        permissions.set_mode(0o700);
        std::fs::set_permissions(path, permissions)?;
    }
    Ok(())
}

fn take_lock(folder: &Path) -> Result<File, FolderError> {
    let unusable = |source| FolderError::Unusable { path: folder.to_owned(), source };
    let lock = private_file(&folder.join("lock")).map_err(unusable)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::Error(source)) => Err(unusable(source)),
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            (&lock).take(NOTE_BYTES_MAX).read_to_string(&mut holder).map_err(unusable)?;
            let holder = if holder.is_empty() { "another server".to_owned() } else { holder };
            Err(FolderError::Held { path: folder.to_owned(), holder })
        }
    }
}
