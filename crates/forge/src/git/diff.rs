//! Which paths differ between two trees.

use std::sync::Arc;

use super::tree::Tree;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    pub path: Arc<str>,
    pub status: FileStatus,
}

/// A renamed file shows as one removed and one added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStatus {
    Added,
    Modified,
    Removed,
}

/// The changes from one tree to another, by path.
pub(crate) fn changes(from: &Tree, to: &Tree) -> Vec<FileChange> {
    if from == to {
        return Vec::new();
    }
    let mut changes = Vec::new();
    for (path, text) in to.files() {
        let status = match from.files().get(path) {
            None => FileStatus::Added,
            Some(before) if before != text => FileStatus::Modified,
            Some(_same) => continue,
        };
        changes.push(FileChange { path: Arc::clone(path), status });
    }
    let removed = from.files().keys().filter(|path| !to.files().contains_key(*path));
    changes.extend(
        removed.map(|path| FileChange { path: Arc::clone(path), status: FileStatus::Removed }),
    );
    changes.sort_by(|left, right| left.path.cmp(&right.path));
    changes
}
