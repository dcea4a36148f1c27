//! The `.git` of a worktree: a small clone that borrows the mirror's objects. The agent may use and spoil it;
//! Ralph writes it, and reads only commits from it.

use crate::folder::Folder;
use ralph_core::ids::{Branch, Sha};
use std::io;
use std::path::Path;

/// Files that a crashed or interrupted command of the agent may have left, and files that lead git to other folders.
const REMOVED: [&str; 17] = [
    ".git",
    "BISECT_LOG",
    "CHERRY_PICK_HEAD",
    "HEAD.lock",
    "MERGE_HEAD",
    "MERGE_MODE",
    "MERGE_MSG",
    "REVERT_HEAD",
    "commondir",
    "config.lock",
    "config.worktree",
    "index.lock",
    "packed-refs.lock",
    "rebase-apply",
    "rebase-merge",
    "sequencer",
    "shallow.lock",
];

/// A commit and the end of its line, with room for the longer names of another hash.
const REF_BYTES_MAX: u64 = 100;

/// The branch or commit of a worktree.
#[derive(Debug, Clone, Copy)]
pub(super) enum At<'a> {
    Branch(&'a Branch, &'a Sha),
    Commit(&'a Sha),
}

#[derive(Debug)]
pub(super) struct GitFolder(Folder);

impl GitFolder {
    /// The git folder of a worktree; `None` if it is missing or something else has its place.
    pub(super) fn open(worktree: &Folder) -> Option<Self> {
        let folder = worktree.enter(".git").ok()?;
        let is_whole = folder.enter("objects").is_ok() && folder.enter("refs").is_ok();
        is_whole.then_some(Self(folder))
    }

    /// Makes a new git folder, and replaces anything in its place.
    pub(super) fn make(worktree: &Folder) -> io::Result<Self> {
        worktree.remove_tree(".git")?;
        let folder = worktree.make(".git")?;
        folder.make("objects")?.make("pack")?;
        folder.make("refs")?.make("heads")?;
        Ok(Self(folder))
    }

    /// Takes out what the agent may have set up here: from now on configuration and objects are what Ralph
    /// says. Hooks stay; no git of Ralph's runs them.
    pub(super) fn wash(&self, mirror: &Path) -> io::Result<()> {
        for name in REMOVED {
            self.0.remove_tree(name)?;
        }
        self.0.write("config", CONFIGURATION.as_bytes())?;
        let info = self.0.make("info")?;
        ["attributes", "grafts", "sparse-checkout"]
            .iter()
            .try_for_each(|name| info.remove_tree(name))?;
        let info = self.0.enter("objects")?.make("info")?;
        info.remove_tree("http-alternates")?;
        let objects = mirror.join("objects");
        info.write("alternates", format!("{}\n", objects.display()).as_bytes())
    }

    /// Puts the worktree on a branch or a commit. `index` is a git index that fits.
    pub(super) fn point(&self, at: At<'_>, index: &[u8]) -> io::Result<()> {
        let head = match at {
            At::Commit(commit) => format!("{commit}\n"),
            At::Branch(branch, commit) => {
                self.set_branch(branch, commit)?;
                format!("ref: refs/heads/{branch}\n")
            }
        };
        self.0.write("HEAD", head.as_bytes())?;
        self.0.write("index", index)
    }

    /// The next commit is a merge with `base`.
    pub(super) fn note_merge(&self, base: &Sha) -> io::Result<()> {
        self.0.write("MERGE_MSG", format!("Merge {base}\n").as_bytes())?;
        self.0.write("MERGE_HEAD", format!("{base}\n").as_bytes())
    }

    /// Tells whether the branch is on this very commit, by the file that `point` wrote. `false` may also mean that the
    /// file does not say.
    pub(super) fn is_at(&self, branch: &Branch, commit: &Sha) -> bool {
        let written = branch_file(branch).and_then(|(folders, name)| {
            let mut folder = self.0.enter("refs")?.enter("heads")?;
            for part in folders {
                folder = folder.enter(part)?;
            }
            folder.read(name, REF_BYTES_MAX)
        });
        written.is_ok_and(|written| written.trim_ascii() == commit.as_str().as_bytes())
    }

    fn set_branch(&self, branch: &Branch, commit: &Sha) -> io::Result<()> {
        let mut folder = self.0.enter("refs")?.make("heads")?;
        let (folders, name) = branch_file(branch)?;
        for part in folders {
            folder = folder.make(part)?;
        }
        folder.remove_tree(&format!("{name}.lock"))?;
        folder.write(name, format!("{commit}\n").as_bytes())
    }
}

/// The folders on the way to a branch's file, and the file's name.
fn branch_file(branch: &Branch) -> io::Result<(Vec<&str>, &str)> {
    let mut parts: Vec<&str> = branch.as_str().split('/').collect();
    if parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a branch name"));
    }
    let name = parts.pop().unwrap_or_default();
    Ok((parts, name))
}

/// There is no remote: an agent has no credentials and nothing to push to.
const CONFIGURATION: &str = "[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[gc]
\tauto = 0
[maintenance]
\tauto = false
";
