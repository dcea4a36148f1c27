//! The things that all adapters of this machine share: git, the forge's remote, Ralph's home, and the order of fetches.

use crate::current::Current;
use crate::folder::Folder;
use crate::git::{Git, GitError};
use crate::git_workspaces::{Mirror, Remote, Worktree};
use crate::home::Home;
use ralph_contain::Switch;
use ralph_core::change::FILE_BYTES_MAX;
use ralph_core::fact::Outcome;
use ralph_core::ids::{Attempt, IssueKey, RepoName, RunId};
use ralph_core::managed_path::ManagedPath;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The name of a slot's folder, before its number.
const SLOT: &str = "slot-";

#[derive(Debug)]
pub(crate) struct Workshop {
    pub(crate) git: Git,
    pub(crate) home: Home,
    pub(crate) remote: Remote,
    /// The largest file that is taken, by repository.
    file_limits: Current<BTreeMap<RepoName, u64>>,
    /// One at a time makes or fetches a repository's mirror: two would fight for the same files.
    fetching: Mutex<BTreeMap<RepoName, Arc<Mutex<()>>>>,
}

impl Workshop {
    pub(crate) fn new(
        git: Git,
        home: Home,
        remote: Remote,
        file_limits: BTreeMap<RepoName, u64>,
    ) -> Self {
        let file_limits = Current::new(file_limits);
        Self { git, home, remote, file_limits, fetching: Mutex::new(BTreeMap::new()) }
    }

    /// Replaces the limits for later changes.
    pub(crate) fn limit_files(&self, file_limits: BTreeMap<RepoName, u64>) {
        self.file_limits.replace(file_limits);
    }

    fn file_bytes_max(&self, repo: &RepoName) -> u64 {
        self.file_limits.get().get(repo).copied().unwrap_or(FILE_BYTES_MAX)
    }

    pub(crate) const fn mirror<'a>(&'a self, switch: &'a Switch, path: &'a Path) -> Mirror<'a> {
        Mirror { git: &self.git, switch, path }
    }

    /// The mirror for work that a workspace was made for: if it is gone, so is what the work needs.
    pub(crate) fn known_mirror<'a>(
        &'a self,
        switch: &'a Switch,
        path: &'a Path,
    ) -> Result<Mirror<'a>, GitError> {
        let mirror = self.mirror(switch, path);
        let gone = || GitError::Lost(format!("the mirror {} is gone", path.display()));
        if mirror.is_whole() { Ok(mirror) } else { Err(gone()) }
    }

    /// The outcome of an error: a step that failed, or one whose workspace has to be made again.
    pub(crate) fn outcome_of(&self, error: &GitError, issue: &IssueKey) -> Outcome {
        let reason = error.in_full();
        let path = self.home.mirror(&issue.repo.key());
        let is_gone = Switch::new().is_ok_and(|switch| !self.mirror(&switch, &path).is_whole());
        if is_gone || matches!(error, GitError::Lost(_)) {
            return Outcome::WorkspaceLost { reason };
        }
        Outcome::Failed { reason }
    }

    /// Makes the mirror if it is not there.
    pub(crate) fn ensure(&self, mirror: Mirror<'_>, repo: &RepoName) -> Result<(), GitError> {
        let turn = self.turn(repo);
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        mirror.ensure()
    }

    /// Brings the mirror up to the forge.
    pub(crate) fn fetch(&self, mirror: Mirror<'_>, repo: &RepoName) -> Result<(), GitError> {
        let turn = self.turn(repo);
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        mirror.ensure()?;
        self.remote.fetch(mirror, repo)
    }

    fn turn(&self, repo: &RepoName) -> Arc<Mutex<()>> {
        let mut all = self.fetching.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(repo.clone()).or_default().clone()
    }

    /// The worktree of a run.
    pub(crate) fn worktree<'a>(
        &'a self,
        mirror: Mirror<'a>,
        issue: &IssueKey,
        run: RunId,
        path: &ManagedPath,
    ) -> Result<Worktree<'a>, GitError> {
        let folder = self.home.run(issue, run);
        let index = folder.index();
        let path = self.resolve(path)?;
        let file_bytes_max = self.file_bytes_max(&issue.repo);
        Ok(Worktree { home: &self.home, mirror, path, index, folder, file_bytes_max })
    }

    /// A checkout for one attempt.
    pub(crate) fn scratch<'a>(
        &'a self,
        mirror: Mirror<'a>,
        issue: &IssueKey,
        (run, attempt): (RunId, Attempt),
    ) -> Result<(Worktree<'a>, ManagedPath), GitError> {
        let folder = self.home.run(issue, run);
        let index = folder.attempt(attempt, "index");
        let managed = self.home.worktrees().scratch(issue, run, attempt);
        let path = self.resolve(&managed)?;
        let file_bytes_max = self.file_bytes_max(&issue.repo);
        let worktree = Worktree { home: &self.home, mirror, path, index, folder, file_bytes_max };
        Ok((worktree, managed))
    }

    fn resolve(&self, path: &ManagedPath) -> Result<std::path::PathBuf, GitError> {
        let outside = || GitError::Unusable(format!("{path:?} does not lie below the worktrees"));
        self.home.resolve(path).ok_or_else(outside)
    }

    /// The folder above a managed path, made if it is missing and held open, and the last part's name.
    pub(crate) fn make_parent_of<'a>(
        &self,
        path: &'a ManagedPath,
    ) -> io::Result<(Folder, &'a str)> {
        let mut parts = self.home.parts(path).ok_or_else(outside)?;
        let name = parts.pop().ok_or_else(outside)?;
        let root = Folder::open_trusted(self.home.worktrees_path())?;
        let folder = parts.iter().try_fold(root, |folder, part| folder.make(part))?;
        Ok((folder, name))
    }

    /// Removes a worktree, and the folder of its issue if that is empty then. No link is followed.
    pub(crate) fn remove_worktree(&self, path: &ManagedPath) -> io::Result<()> {
        let parts = self.home.parts(path).ok_or_else(outside)?;
        let &[repo, slot, issue, run] = parts.as_slice() else { return Err(outside()) };
        let enter = || {
            let slot =
                Folder::open_trusted(self.home.worktrees_path())?.enter(repo)?.enter(slot)?;
            let folder = slot.enter(issue)?;
            Ok::<_, io::Error>((slot, folder))
        };
        let (slot, folder) = match enter() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found?,
        };
        folder.remove_tree(run)?;
        slot.remove_if_empty(issue);
        Ok(())
    }

    /// Tells whether a run has a worktree at another place than this one.
    pub(crate) fn has_other_place(&self, path: &ManagedPath) -> bool {
        let parts = self.home.parts(path).unwrap_or_default();
        let &[repo, slot, issue, run] = parts.as_slice() else { return false };
        let slots = self.home.worktrees_path().join(repo).read_dir().into_iter().flatten();
        let others = slots.flatten().filter(|entry| {
            let name = entry.file_name();
            name != *slot && name.to_string_lossy().starts_with(SLOT)
        });
        others.into_iter().any(|entry| entry.path().join(issue).join(run).exists())
    }

    /// Removes what an earlier run left: checkouts of attempts, and locks of a git that was killed.
    pub(crate) fn sweep(&self) -> io::Result<()> {
        for mirror in self.home.mirrors() {
            remove_locks(&mirror, false)?;
            remove_locks(&mirror.join("refs"), true)?;
        }
        let root = Folder::open_trusted(self.home.worktrees_path())?;
        for entry in self.home.worktrees_path().read_dir()? {
            let name = entry?.file_name();
            if let Some(repo) = name.to_str().and_then(|name| root.enter(name).ok()) {
                repo.remove_tree("scratch")?;
            }
        }
        Ok(())
    }
}

fn outside() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "this is no place below the managed root")
}

/// A folder that a death kept git from making has none.
fn remove_locks(folder: &Path, is_deep: bool) -> io::Result<()> {
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if is_deep && entry.file_type()?.is_dir() {
            remove_locks(&entry.path(), true)?;
        } else if entry.path().extension().is_some_and(|extension| extension == "lock") {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
