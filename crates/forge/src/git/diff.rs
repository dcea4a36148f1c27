//! Paths that differ between two trees, and their counts of changed lines.

use std::sync::Arc;

use super::sha::Sha;
use super::tree::Tree;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    pub path: Arc<str>,
    pub status: FileStatus,
    /// Names the file's content, of a removed one the content it had.
    pub blob: Sha,
    pub additions: u64,
    pub deletions: u64,
    /// From its first `@@` on; none when not asked for, for binary and for very long ones.
    pub patch: Option<Arc<str>>,
}

/// A renamed file shows as one removed and one added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStatus {
    Added,
    Modified,
    Removed,
}

/// Something in a folder of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// From the root of the repository.
    pub path: String,
    pub kind: EntryKind,
    /// The name of its content.
    pub sha: Sha,
    /// None for a folder and another repository.
    pub size: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    Symlink,
    /// A commit of another repository.
    Submodule,
}

/// A file of a commit, or a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContent {
    pub entry: FolderEntry,
    /// None when it is too large to be shown.
    pub bytes: Option<Vec<u8>>,
}

/// A folder of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderContent {
    pub entry: FolderEntry,
    /// By path.
    pub entries: Vec<FolderEntry>,
}

/// The textual form of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeForm {
    Diff,
    /// As mail, one for each commit.
    Patch,
}

/// The amount of detail about each changed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    Counts,
    Patches,
}

/// The changes from one tree to another, by path.
pub(crate) fn changes(from: &Tree, to: &Tree, detail: Detail) -> Vec<FileChange> {
    if from == to {
        return Vec::new();
    }
    let mut changes = Vec::new();
    for (path, text) in to.files() {
        match from.files().get(path) {
            None => changes.push(change(path, FileStatus::Added, ["", text], detail)),
            Some(old) if old != text => {
                changes.push(change(path, FileStatus::Modified, [old, text], detail));
            }
            Some(_same) => {}
        }
    }
    let removed = from.files().iter().filter(|(path, _text)| !to.files().contains_key(*path));
    changes
        .extend(removed.map(|(path, text)| change(path, FileStatus::Removed, [text, ""], detail)));
    changes.sort_by(|left, right| left.path.cmp(&right.path));
    changes
}

fn change(
    path: &Arc<str>,
    status: FileStatus,
    [old, new]: [&str; 2],
    detail: Detail,
) -> FileChange {
    let [before, after] = [old, new].map(|text| text.lines().collect::<Vec<_>>());
    let start = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let rest = |lines: &[&str]| lines.len() - start;
    let backwards = before.iter().rev().zip(after.iter().rev());
    let end = backwards.take_while(|(one, other)| one == other).count();
    let end = end.min(rest(&before)).min(rest(&after));
    let (deletions, additions) = (rest(&before) - end, rest(&after) - end);
    let patch = (detail == Detail::Patches).then(|| {
        let gone = before.iter().skip(start).take(deletions).map(|line| format!("\n-{line}"));
        let come = after.iter().skip(start).take(additions).map(|line| format!("\n+{line}"));
        let place = |count: usize| start + usize::from(count > 0);
        let (from, to) = (place(deletions), place(additions));
        let head = format!("@@ -{from},{deletions} +{to},{additions} @@");
        Arc::from(std::iter::once(head).chain(gone).chain(come).collect::<String>())
    });
    FileChange {
        path: Arc::clone(path),
        status,
        blob: Sha::of([if status == FileStatus::Removed { old } else { new }.as_bytes()]),
        additions: additions as u64,
        deletions: deletions as u64,
        patch,
    }
}
