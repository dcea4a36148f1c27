//! The content of a commit: paths and their text, shared between commits that hold the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::sha::Sha;

pub(crate) type Files = BTreeMap<Arc<str>, Arc<str>>;

/// All files of a commit. Cloning shares; equal content has an equal `sha`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    files: Arc<Files>,
    sha: Sha,
}

impl Tree {
    pub(crate) fn new(files: Files) -> Self {
        let sha = Sha::of(files.iter().flat_map(|(path, text)| [path.as_bytes(), text.as_bytes()]));
        Self { files: Arc::new(files), sha }
    }

    /// This tree with some files written (`Some`) or removed (`None`).
    pub(crate) fn with_changes(&self, changes: &BTreeMap<String, Option<String>>) -> Self {
        let mut files = (*self.files).clone();
        for (path, text) in changes {
            match text {
                Some(text) => files.insert(Arc::from(path.as_str()), Arc::from(text.as_str())),
                None => files.remove(path.as_str()),
            };
        }
        Self::new(files)
    }

    /// The name of this content.
    pub(crate) fn sha(&self) -> Sha {
        self.sha
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self::new(Files::new())
    }
}
