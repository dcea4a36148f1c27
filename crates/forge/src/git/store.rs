//! Where the git of new repositories is kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// Whether git failed on any of them since this was asked last.
    failed: AtomicBool,
}

impl Folder {
    pub(super) fn note_failure(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    fn place(&self, id: u64) -> PathBuf {
        self.path.join(format!("{id}.git"))
    }
}

impl GitStore {
    pub(crate) fn on_disk(path: &Path) -> Self {
        Self::Disk(Arc::new(Folder { path: path.to_owned(), failed: AtomicBool::new(false) }))
    }

    /// Whether git failed since this was asked last. Then a change may have been left half done.
    pub(crate) fn take_failure(&self) -> bool {
        match self {
            Self::Memory => false,
            Self::Disk(folder) => folder.failed.swap(false, Ordering::Relaxed),
        }
    }

    /// The git of a repository that is new.
    pub(crate) fn make(&self, id: u64) -> Result<Git, GitFault> {
        match self {
            Self::Memory => Ok(Git::default()),
            Self::Disk(folder) => {
                let bare = Bare::make(folder.place(id), Arc::clone(folder))?;
                Ok(Git::Disk(Arc::new(bare)))
            }
        }
    }

    /// The git of a repository that was there before.
    pub(crate) fn open(&self, id: u64) -> Git {
        match self {
            Self::Memory => Git::default(),
            Self::Disk(folder) => {
                Git::Disk(Arc::new(Bare::at(folder.place(id), Arc::clone(folder))))
            }
        }
    }
}
