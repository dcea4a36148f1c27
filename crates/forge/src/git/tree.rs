//! What a commit holds: paths and their text, shared between commits that hold the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::sha::Sha;

pub(crate) type Files = BTreeMap<Arc<str>, Arc<str>>;

/// All files of a commit. Cloning shares; equal content has an equal `sha`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    files: Arc<Files>,
    sha: Sha,
}

impl Tree {
    pub(crate) fn new(files: Files) -> Self {
        let sha = Sha::of(files.iter().flat_map(|(path, text)| [path.as_bytes(), text.as_bytes()]));
        Self { files: Arc::new(files), sha }
    }

    /// A tree from paths and texts.
    #[must_use]
    pub fn from_files<P: AsRef<str>, T: AsRef<str>>(
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Self {
        let own = |(path, text): (P, T)| (Arc::from(path.as_ref()), Arc::from(text.as_ref()));
        Self::new(files.into_iter().map(own).collect())
    }

    /// This tree with some files written (`Some`) or removed (`None`).
    #[must_use]
    pub fn with_changes(&self, changes: &BTreeMap<String, Option<String>>) -> Self {
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
    #[must_use]
    pub fn sha(&self) -> Sha {
        self.sha
    }

    /// The text of one file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(AsRef::as_ref)
    }

    /// Every path with its text, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_ref(), text.as_ref()))
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
