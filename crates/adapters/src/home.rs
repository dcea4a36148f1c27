//! The layout of Ralph's home. Runs of different repositories may have the same id, so the files of a run lie in a
//! folder per repository below it.

use crate::folder::Folder;
use crate::git::Identity;
use crate::private_files::make_folder;
use ralph_contain::Access;
use ralph_core::ids::{Attempt, IssueKey, RunId};
use ralph_core::managed_path::{ManagedPath, ManagedRoot};
use std::io;
use std::path::{Path, PathBuf};

/// Ralph's home folder, with every link on the way to it resolved.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    path: PathBuf,
    worktrees: ManagedRoot,
    worktrees_path: PathBuf,
}

impl Home {
    /// Makes the folder if it is missing. `worktrees` is the root that decisions name.
    pub(crate) fn open(path: &Path, worktrees: ManagedRoot) -> io::Result<Self> {
        make_folder(path)?;
        make_folder(Path::new(worktrees.as_str()))?;
        let worktrees_path = Path::new(worktrees.as_str()).canonicalize()?;
        Ok(Self { path: path.canonicalize()?, worktrees, worktrees_path })
    }

    pub(crate) const fn worktrees(&self) -> &ManagedRoot {
        &self.worktrees
    }

    /// The root of all worktrees, with every link on the way to it resolved.
    pub(crate) fn worktrees_path(&self) -> &Path {
        &self.worktrees_path
    }

    /// The parts of a managed path below the root; `None` if it lies elsewhere.
    pub(crate) fn parts<'a>(&self, path: &'a ManagedPath) -> Option<Vec<&'a str>> {
        let rest = path.as_str().strip_prefix(self.worktrees.as_str())?.strip_prefix('/')?;
        let parts: Vec<&str> = rest.split('/').collect();
        let is_plain = parts.iter().all(|part| !matches!(*part, "" | "." | ".."));
        is_plain.then_some(parts)
    }

    /// The real location of a managed path.
    pub(crate) fn resolve(&self, path: &ManagedPath) -> Option<PathBuf> {
        Some(
            self.parts(path)?
                .iter()
                .fold(self.worktrees_path.clone(), |path, part| path.join(part)),
        )
    }

    /// The files below the home that a process of a run may write and see: the named ones, and nothing of other runs.
    pub(crate) fn access(&self, writable: Vec<PathBuf>, readable: Vec<PathBuf>) -> Access {
        Access { writable, readable, hidden: self.hidden(), named: Vec::new() }
    }

    /// The folders of which a process sees nothing but what is named.
    pub(crate) fn hidden(&self) -> Vec<PathBuf> {
        vec![self.path.clone(), self.worktrees_path.clone()]
    }

    /// The bare clone of a repository.
    pub(crate) fn mirror(&self, repo_key: &str) -> PathBuf {
        self.path.join("repos").join(format!("{repo_key}.git"))
    }

    pub(crate) fn mirrors(&self) -> Vec<PathBuf> {
        let entries = self.path.join("repos").read_dir().into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    }

    /// A folder that commands of this repository share from run to run.
    pub(crate) fn cache(&self, repo_key: &str) -> PathBuf {
        self.path.join("cache").join(repo_key)
    }

    /// The configuration of `OpenCode` that Ralph manages.
    pub(crate) fn opencode(&self) -> PathBuf {
        self.path.join("opencode")
    }

    /// The folder of all runs.
    pub(crate) fn runs(&self) -> PathBuf {
        self.path.join("runs")
    }

    pub(crate) fn run(&self, issue: &IssueKey, run: RunId) -> RunFolder {
        RunFolder(self.runs().join(run.to_string()).join(issue.repo.key()))
    }

    /// The run that works in a worktree, derived from its path: `<root>/<repoKey>/slot-<s>/<issue>/<run>`.
    pub(crate) fn owner(&self, path: &ManagedPath) -> Option<Owner> {
        let parts = self.parts(path)?;
        let &[repo_key, _, _, run] = parts.as_slice() else { return None };
        let folder = self.runs().join(run).join(repo_key);
        let (repo_key, run) = (repo_key.to_owned(), run.to_owned());
        Some(Owner { repo_key, run, folder: RunFolder(folder) })
    }
}

/// The run that a worktree belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Owner {
    pub(crate) repo_key: String,
    pub(crate) run: String,
    pub(crate) folder: RunFolder,
}

/// The folder of a run: prompts, transcripts, and its private folders.
#[derive(Debug, Clone)]
pub(crate) struct RunFolder(PathBuf);

impl RunFolder {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The folders of those who work on the change: setup, the planner, the implementer.
    pub(crate) fn working(&self) -> PrivateFolders {
        PrivateFolders(self.0.clone())
    }

    /// For one who judges the change, and only for that one. What an implementer leaves in its home, a tool's
    /// settings or an agent's rules, must not find its judges.
    pub(crate) fn judging(&self, who: &str) -> PrivateFolders {
        PrivateFolders(self.0.join(JUDGES).join(who))
    }

    /// Removes all private folders. Transcripts stay.
    pub(crate) fn remove_private(&self) -> io::Result<()> {
        match Folder::open_trusted(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(run) => {
                [HOME, TEMPORARY, JUDGES, INCOMING].iter().try_for_each(|it| run.remove_tree(it))
            }
        }
    }

    /// The folder in which commits out of the worktree arrive.
    pub(crate) fn incoming(&self) -> PathBuf {
        self.0.join(INCOMING)
    }

    /// Ralph's index of the files in the worktree. Out of the agent's reach, unlike the one in `.git`.
    pub(crate) fn index(&self) -> PathBuf {
        self.0.join("index")
    }

    /// Prompt, response and log of one attempt.
    pub(crate) fn attempt(&self, attempt: Attempt, what: &str) -> PathBuf {
        self.0.join(format!("{attempt}-{what}"))
    }
}

const HOME: &str = "home";
const TEMPORARY: &str = "tmp";
const JUDGES: &str = "judges";
const INCOMING: &str = "incoming";

/// The `HOME` and `TMPDIR` of processes that may trust each other.
#[derive(Debug, Clone)]
pub(crate) struct PrivateFolders(PathBuf);

impl PrivateFolders {
    /// Of a turn that belongs to no run.
    pub(crate) fn below(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.0.join(HOME)
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.0.join(TEMPORARY)
    }

    /// Makes the folders that are missing. Git finds an author in the home, and no other configuration.
    pub(crate) fn make(&self, identity: &Identity) -> io::Result<()> {
        make_folder(&self.0)?;
        let folder = Folder::open_trusted(&self.0)?;
        folder.make(TEMPORARY)?;
        let plain = |text: &str| text.replace(['\\', '"', '\n'], "");
        let (name, email) = (plain(&identity.name), plain(&identity.email));
        let text = format!("[user]\n\tname = \"{name}\"\n\temail = \"{email}\"\n");
        folder.make(HOME)?.write(".gitconfig", text.as_bytes())
    }

    /// Makes the folders, and removes their former contents.
    pub(crate) fn make_fresh(&self, identity: &Identity) -> io::Result<()> {
        self.remove()?;
        self.make(identity)
    }

    pub(crate) fn remove(&self) -> io::Result<()> {
        match Folder::open_trusted(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(folder) => [HOME, TEMPORARY].iter().try_for_each(|it| folder.remove_tree(it)),
        }
    }
}
