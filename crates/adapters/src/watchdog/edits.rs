//! Changes in a worktree: whether there are any, and texts that are changed again and again while no check of them is
//! run.

use super::ticks_of;
use crate::wall_clock::file_time;
use ralph_contain::ProcessTree;
use ralph_core::digest::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Entries of a worktree that are looked at for a change; a larger one counts as changed.
const ENTRIES_MAX: usize = 200_000;
/// More changed files at once are the work of a program, not of an editor.
const FILES_AT_ONCE_MAX: usize = 50;
/// Texts that are followed. A turn that changes more of them makes progress.
const TEXTS_MAX: usize = 500;
/// A larger file is no text that an agent edits.
const TEXT_BYTES_MAX: u64 = 1_000_000;
/// Versions of a text that are known again.
const VERSIONS_MAX: usize = 64;
/// A text that comes back to what it was counts like so many other changes.
const RETURN_WEIGHT: u32 = 10;
/// Processor time of programs that have ended since the last look: more is a check, less a tool to edit with.
const CHECK_TIME: Duration = Duration::from_millis(200);
/// A program that runs for longer is a check, too.
const CHECK_AGE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Edits {
    looked: SystemTime,
    texts: BTreeMap<PathBuf, Text>,
    /// Processes that were there at the last look.
    known: BTreeSet<i32>,
    /// Processor time of those that have ended.
    ended: u64,
}

/// A file that is being edited.
#[derive(Debug)]
struct Text {
    length: usize,
    version: Digest,
    earlier: BTreeSet<Digest>,
    edits: u32,
}

/// The result of one look at a worktree.
#[derive(Debug, Default)]
pub(super) struct Glance {
    /// Anything was made, written, renamed or removed.
    pub(super) has_changed: bool,
    files: Vec<PathBuf>,
}

impl Edits {
    pub(super) fn new() -> Self {
        Self { looked: file_time(), texts: BTreeMap::new(), known: BTreeSet::new(), ended: 0 }
    }

    pub(super) fn look(&mut self, folder: &Path, tree: &ProcessTree, root: i32) -> Glance {
        let since = std::mem::replace(&mut self.looked, file_time());
        let glance = Glance::take(folder, since);
        if self.was_checked(tree, root) || glance.files.len() > FILES_AT_ONCE_MAX {
            self.texts.values_mut().for_each(|text| text.edits = 0);
        } else {
            glance.files.iter().for_each(|file| self.read(folder, file));
        }
        glance
    }

    /// Was something run since the last look that was more than an edit?
    fn was_checked(&mut self, tree: &ProcessTree, root: i32) -> bool {
        let ended = tree.ended_ticks_of(root);
        let used = ended.saturating_sub(std::mem::replace(&mut self.ended, ended));
        let below = tree.below(root);
        let known = std::mem::replace(&mut self.known, below);
        let mut new = self.known.difference(&known);
        used > ticks_of(CHECK_TIME)
            || new.any(|pid| tree.age_of(*pid).is_some_and(|age| age >= CHECK_AGE))
    }

    fn read(&mut self, folder: &Path, file: &Path) {
        let Ok(content) = fs::read_to_string(file) else { return };
        let name = file.strip_prefix(folder).unwrap_or(file);
        let (length, version) = (content.len(), Digest::of(&content));
        if let Some(text) = self.texts.get_mut(name) {
            text.change(&content, version);
        } else if self.texts.len() < TEXTS_MAX {
            let text = Text { length, version, earlier: BTreeSet::new(), edits: 1 };
            self.texts.insert(name.to_owned(), text);
        }
    }

    /// The text that was changed most since anything was run.
    pub(super) fn most(&self) -> Option<(String, u32)> {
        let (name, text) = self.texts.iter().max_by_key(|(_, text)| text.edits)?;
        Some((name.to_string_lossy().into_owned(), text.edits))
    }
}

impl Text {
    fn change(&mut self, content: &str, version: Digest) {
        if version == self.version {
            return;
        }
        // A log grows all the time, and is not edited.
        let is_longer = content.get(..self.length).map(Digest::of) == Some(self.version);
        let is_back = self.earlier.contains(&version);
        if self.earlier.len() < VERSIONS_MAX {
            self.earlier.insert(self.version);
        }
        (self.length, self.version) = (content.len(), version);
        if !is_longer {
            let weight = if is_back { RETURN_WEIGHT } else { 1 };
            self.edits = self.edits.saturating_add(weight);
        }
    }
}

impl Glance {
    /// Links are not followed. What is hidden, git's own folder first of all, is seen but not read.
    fn take(folder: &Path, since: SystemTime) -> Self {
        let mut glance = Self::default();
        let mut folders = vec![(folder.to_owned(), false)];
        let mut seen = 0;
        while let Some((folder, is_hidden)) = folders.pop() {
            let modified = folder.symlink_metadata().and_then(|it| it.modified());
            glance.has_changed |= modified.is_ok_and(|at| at > since);
            for entry in folder.read_dir().into_iter().flatten().flatten() {
                seen += 1;
                if seen > ENTRIES_MAX {
                    glance.has_changed = true;
                    return glance;
                }
                let is_hidden = is_hidden || entry.file_name().as_encoded_bytes().starts_with(b".");
                if glance.note(&entry, since, is_hidden) {
                    folders.push((entry.path(), is_hidden));
                }
            }
        }
        glance
    }

    /// Looks at one entry; `true`: it is a folder to go on with.
    fn note(&mut self, entry: &DirEntry, since: SystemTime, is_hidden: bool) -> bool {
        let Ok(metadata) = entry.metadata() else { return false };
        if metadata.modified().is_ok_and(|at| at > since) {
            self.has_changed = true;
            let is_text = metadata.is_file() && metadata.len() <= TEXT_BYTES_MAX && !is_hidden;
            if is_text && self.files.len() <= FILES_AT_ONCE_MAX {
                self.files.push(entry.path());
            }
        }
        metadata.is_dir()
    }
}
