//! Where the git of new repositories is kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Git;
use super::bare::Bare;
use super::fault::GitFault;

#[derive(Clone, Debug, Default)]
pub(crate) enum GitStore {
    #[default]
    Memory,
    /// One bare repository per repository, named by its id.
    Disk(Arc<Path>),
}

impl GitStore {
    /// The git of a repository that is new.
    pub(crate) fn make(&self, id: u64) -> Result<Git, GitFault> {
        match self {
            Self::Memory => Ok(Git::default()),
            Self::Disk(root) => {
                let bare = Bare::make(place(root, id))?;
                Ok(Git::Disk(Arc::new(bare)))
            }
        }
    }

    /// The git of a repository that was there before.
    pub(crate) fn open(&self, id: u64) -> Git {
        match self {
            Self::Memory => Git::default(),
            Self::Disk(root) => Git::Disk(Arc::new(Bare::at(place(root, id)))),
        }
    }
}

fn place(root: &Path, id: u64) -> PathBuf {
    root.join(format!("{id}.git"))
}
