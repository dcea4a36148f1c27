//! A bare repository on disk, asked through the `git` program. Commits never change, so answers about
//! them are remembered.

mod commits;
mod files;
mod merges;
mod objects;
mod references;
pub(crate) mod upkeep;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Split;
use super::commit::Commit;
use super::diff::FileChange;
use super::fault::GitFault;
use super::sha::Sha;
use super::store::Folder;
use super::trial::Trial;
use crate::process::{Finished, Git};
use std::sync::Arc;

/// Answers of one kind remembered per repository. A busy repository asks about its open pull requests
/// again and again; these are few, and forgetting costs only a question.
const REMEMBERED_MAX: usize = 512;

/// Loose objects of so many pushes are still quickly found.
const PUSHES_BETWEEN_PACKINGS: u32 = 50;

#[derive(Debug)]
pub(crate) struct Bare {
    id: u64,
    path: PathBuf,
    folder: Arc<Folder>,
    commits: Memory<Sha, Arc<Commit>>,
    ancestry: Memory<(Sha, Sha), bool>,
    splits: Memory<(Sha, Sha), Arc<Split>>,
    trials: Memory<(Sha, Sha), Arc<Trial>>,
    changes: Memory<(Option<Sha>, Sha), Arc<Vec<FileChange>>>,
    /// Pushes since the objects were packed together.
    pushes: AtomicU32,
}

impl Bare {
    /// A repository that is there already.
    pub(super) fn at(id: u64, path: PathBuf, folder: Arc<Folder>) -> Self {
        Self {
            id,
            path,
            folder,
            commits: Memory::default(),
            ancestry: Memory::default(),
            splits: Memory::default(),
            trials: Memory::default(),
            changes: Memory::default(),
            pushes: AtomicU32::new(0),
        }
    }

    /// Makes the repository. One that is there already stays when its making is done again, and is
    /// otherwise what a killed server left of a repository that it never recorded.
    pub(super) fn make(id: u64, path: PathBuf, folder: Arc<Folder>) -> Result<Self, GitFault> {
        let bare = Self::at(id, path, folder);
        let stays = bare.folder.is_replaying() || !bare.path.exists();
        let made = if stays { Ok(()) } else { std::fs::remove_dir_all(&bare.path) };
        let made = made
            .and_then(|()| std::fs::create_dir_all(&bare.path))
            .and_then(|()| make_private(&bare.path))
            .and_then(|()| upkeep::make_whole(&bare.path));
        made.map_err(|error| bare.broken("make a repository", error))?;
        Ok(bare)
    }

    /// Replaces its own objects by those of another repository that is not needed again.
    pub(crate) fn take_objects(&self, from: &Path) -> Result<(), GitFault> {
        let own = self.path.join("objects");
        let moved = std::fs::remove_dir_all(&own).and_then(|()| std::fs::rename(from, &own));
        moved.map_err(|error| self.broken("take in objects", error))
    }

    /// Notes a push. Now and then it is time to pack objects together: the command that does it.
    /// Nothing is thrown away by it, so that it may run beside everything else.
    pub(crate) fn after_push(&self) -> Option<Git> {
        let pushes = self.pushes.fetch_add(1, Ordering::Relaxed) + 1;
        let is_time = pushes.is_multiple_of(PUSHES_BETWEEN_PACKINGS);
        is_time.then(|| self.git(["repack", "-d", "-q", "--geometric=2"]))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn git<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Git {
        Git::on(&self.path, arguments)
    }

    /// The output of a command that must succeed.
    fn answer<A: AsRef<OsStr>>(
        &self,
        doing: &'static str,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Vec<u8>, GitFault> {
        self.succeed(doing, self.git(arguments))
    }

    /// A command that ended, whatever it ended with.
    fn finish(&self, doing: &'static str, git: Git) -> Result<Finished, GitFault> {
        git.run().map_err(|error| self.broken(doing, error))
    }

    fn succeed(&self, doing: &'static str, git: Git) -> Result<Vec<u8>, GitFault> {
        let ended = self.finish(doing, git)?;
        if ended.status.success() { Ok(ended.output) } else { Err(self.failed(doing, &ended)) }
    }

    fn failed(&self, doing: &'static str, ended: &Finished) -> GitFault {
        self.broken(doing, format!("{}: {}", ended.status, ended.complaint))
    }

    fn broken(&self, doing: &'static str, detail: impl fmt::Display) -> GitFault {
        self.folder.note_failure(self.id);
        GitFault::broken(doing, detail)
    }

    /// The sha that a program printed alone.
    fn one_sha(&self, doing: &'static str, output: &[u8]) -> Result<Sha, GitFault> {
        let text = String::from_utf8_lossy(output);
        let sha = text.trim().parse();
        sha.map_err(|error| self.broken(doing, format!("git answered {text:?}: {error}")))
    }
}

#[cfg(unix)]
fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))
}

/// Answers that stay true. When it is full it is emptied.
#[derive(Debug)]
struct Memory<K, V>(Mutex<BTreeMap<K, V>>);

impl<K, V> Default for Memory<K, V> {
    fn default() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }
}

impl<K: Ord + Copy, V: Clone> Memory<K, V> {
    fn get(&self, key: K) -> Option<V> {
        self.lock().get(&key).cloned()
    }

    fn keep(&self, key: K, value: V) -> V {
        let mut known = self.lock();
        if known.len() >= REMEMBERED_MAX {
            known.clear();
        }
        known.insert(key, value.clone());
        value
    }

    fn or_ask(&self, key: K, ask: impl FnOnce() -> Result<V, GitFault>) -> Result<V, GitFault> {
        match self.get(key) {
            Some(known) => Ok(known),
            None => Ok(self.keep(key, ask()?)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
