//! The place where the git of new repositories is kept.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Git;
use super::bare::Bare;
use super::fault::GitFault;

#[derive(Clone, Debug, Default)]
pub(crate) enum GitStore {
    #[default]
    Memory,
    Disk(Arc<Folder>),
}

/// A folder with one bare repository per repository, named by its id.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Repositories in which git failed since this was asked last.
    failed: Mutex<BTreeSet<u64>>,
    /// Changes that were accepted before are done again. Git's word on their names was asked then.
    is_replaying: AtomicBool,
}

impl Folder {
    pub(super) fn note_failure(&self, id: u64) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
    }

    pub(super) fn is_replaying(&self) -> bool {
        self.is_replaying.load(Ordering::Relaxed)
    }

    fn place(&self, id: u64) -> PathBuf {
        self.path.join(format!("{id}.git"))
    }
}

impl GitStore {
    pub(crate) fn on_disk(path: &Path) -> Self {
        Self::Disk(Arc::new(Folder {
            path: path.to_owned(),
            failed: Mutex::default(),
            is_replaying: AtomicBool::new(false),
        }))
    }

    /// Repositories in which git failed since this was asked last. A change of them may have been
    /// left half done.
    pub(crate) fn take_failures(&self) -> BTreeSet<u64> {
        match self {
            Self::Memory => BTreeSet::new(),
            Self::Disk(folder) => {
                std::mem::take(&mut *folder.failed.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }

    pub(crate) fn set_replaying(&self, is_replaying: bool) {
        match self {
            Self::Memory => {}
            Self::Disk(folder) => folder.is_replaying.store(is_replaying, Ordering::Relaxed),
        }
    }

    /// The git of a repository that is new.
    pub(crate) fn make(&self, id: u64) -> Result<Git, GitFault> {
        match self {
            Self::Memory => Ok(Git::default()),
            Self::Disk(folder) => {
                let bare = Bare::make(id, folder.place(id), Arc::clone(folder))?;
                Ok(Git::Disk(Arc::new(bare)))
            }
        }
    }

    /// The git of a repository that was there before.
    pub(crate) fn open(&self, id: u64) -> Git {
        match self {
            Self::Memory => Git::default(),
            Self::Disk(folder) => {
                Git::Disk(Arc::new(Bare::at(id, folder.place(id), Arc::clone(folder))))
            }
        }
    }
}
