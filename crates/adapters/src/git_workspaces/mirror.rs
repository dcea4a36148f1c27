//! Ralph's own bare clone of a repository: what is known of its branches, and what can be worked out without
//! any worktree.

use crate::git::{Call, Git, GitError};
use ralph_contain::{Ending, Switch};
use ralph_core::ids::{Branch, Sha};
use ralph_core::run::Head;
use ralph_core::test_files::{Changes, PATHS_MAX};
use sha2::{Digest as _, Sha256};
use std::path::Path;

/// Characters of the hash that stands for a diff: 128 bits, as core's digests have.
const DIFF_BYTES: usize = 16;
/// The folders that define CI; see the guard on changes that touch nothing else.
const CI_FOLDERS: [&str; 2] = [".github/workflows/", ".github/actions/"];
const CI_FILE: &str = ".ralph/checks.toml";
/// Answer of git to a question whose answer is no, and of a merge that has conflicts.
const NO: i32 = 1;
const NO_SUCH_OBJECT: i32 = 128;
/// The parts of a new repository in the order in which git makes them, all of which it needs.
const PARTS: [&str; 4] = ["HEAD", "config", "objects", "refs"];

#[derive(Debug, Clone, Copy)]
pub(crate) struct Mirror<'a> {
    pub(crate) git: &'a Git,
    pub(crate) switch: &'a Switch,
    pub(crate) path: &'a Path,
}

/// The result of merging two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Merged {
    Clean {
        tree: String,
    },
    /// The tree has git's marks in its files.
    Conflict {
        tree: String,
        files: Vec<String>,
    },
}

impl<'a> Mirror<'a> {
    pub(crate) fn call(&self, words: &[&str]) -> Call<'a> {
        self.git.call(self.switch, self.path, words)
    }

    /// Tells whether there is a clone with all of its parts.
    pub(crate) fn is_whole(&self) -> bool {
        PARTS.iter().all(|part| self.path.join(part).exists())
    }

    /// Makes the clone if it is not there; half of one left by a crash is completed.
    pub(crate) fn ensure(&self) -> Result<(), GitError> {
        if self.is_whole() {
            return Ok(());
        }
        crate::private_files::make_folder(self.path)
            .map_err(GitError::file("make the folder of the mirror"))?;
        self.call(&["init", "--quiet", "--bare", "--template="]).quick().map(drop)
    }

    /// The commit a name stands for; `None` if there is no such name here.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Sha>, GitError> {
        let name = format!("{name}^{{commit}}");
        match self.call(&["rev-parse", "--quiet", "--verify", "--end-of-options", &name]).quick() {
            Ok(sha) => Ok(Some(Sha::new(sha.trim()))),
            Err(error) if error.is_exit(NO) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The error itself, or a loss if one of these commits is gone.
    pub(crate) fn lost_or(&self, error: GitError, commits: &[&Sha]) -> GitError {
        let is_here = |commit: &&&Sha| matches!(self.find(commit.as_str()), Ok(Some(_)));
        match commits.iter().find(|commit| !is_here(commit)) {
            Some(missing) => GitError::Lost(format!("there is no commit {missing} here")),
            None => error,
        }
    }

    pub(crate) fn tree_of(&self, commit: &Sha) -> Result<String, GitError> {
        let name = format!("{commit}^{{tree}}");
        let tree = self.call(&["rev-parse", "--verify", "--end-of-options", &name]).quick()?;
        Ok(tree.trim().to_owned())
    }

    /// A file of a commit or tree as text; nothing if there is no such file.
    pub(super) fn text_of(&self, tree: &str, file: &str) -> Result<String, GitError> {
        let name = format!("{tree}:{file}");
        let mut bytes = Vec::new();
        match self.call(&["cat-file", "blob", &name]).stream(&mut |it| bytes.extend_from_slice(it))
        {
            Ok(()) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.is_exit(NO_SUCH_OBJECT) => Ok(String::new()),
            Err(error) => Err(error),
        }
    }

    /// Tells whether `older` is an ancestor of `newer`, or the same.
    pub(super) fn is_ancestor(&self, older: &Sha, newer: &Sha) -> Result<bool, GitError> {
        self.asks(&["merge-base", "--is-ancestor", older.as_str(), newer.as_str()])
    }

    /// A question to which git answers yes or no.
    fn asks(&self, words: &[&str]) -> Result<bool, GitError> {
        match self.call(words).quick() {
            Ok(_) => Ok(true),
            Err(error) if error.is_exit(NO) => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) fn merge_base(&self, one: &Sha, other: &Sha) -> Result<Sha, GitError> {
        let base = self.call(&["merge-base", one.as_str(), other.as_str()]).quick()?;
        Ok(Sha::new(base.trim()))
    }

    /// Tells whether they have a common history. Without one git does not merge them.
    pub(super) fn has_merge_base(&self, one: &Sha, other: &Sha) -> Result<bool, GitError> {
        self.asks(&["merge-base", one.as_str(), other.as_str()])
    }

    /// Merges without touching any worktree.
    pub(super) fn merge(&self, into: &Sha, from: &Sha) -> Result<Merged, GitError> {
        let words = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z"];
        let call = self.call(&[words.as_slice(), &[into.as_str(), from.as_str()]].concat());
        let exchange = call.asked()?;
        let has_conflicts = exchange.ending == Ending::Exited(NO);
        let output = if has_conflicts { exchange.output } else { exchange.or_failed(&call)? };
        let mut fields = output.split('\0').filter(|field| !field.is_empty()).map(str::to_owned);
        let tree = fields.next().unwrap_or_default();
        Ok(if has_conflicts {
            Merged::Conflict { tree, files: fields.collect() }
        } else {
            Merged::Clean { tree }
        })
    }

    pub(crate) fn commit(
        &self,
        tree: &str,
        parents: &[&Sha],
        message: &str,
    ) -> Result<Sha, GitError> {
        let mut words = vec!["commit-tree", tree, "-m", message];
        parents.iter().for_each(|parent| words.extend(["-p", parent.as_str()]));
        let sha = self.call(&words).quick()?;
        Ok(Sha::new(sha.trim()))
    }

    pub(super) fn set(&self, reference: &str, to: &Sha) -> Result<(), GitError> {
        self.call(&["update-ref", reference, to.as_str()]).quick().map(drop)
    }

    pub(super) fn forget(&self, reference: &str) -> Result<(), GitError> {
        self.call(&["update-ref", "-d", reference]).quick().map(drop)
    }

    /// The parts of a commit that are judged: its tree, and its difference to the base. `None`: there is no difference.
    pub(crate) fn describe(&self, base: &Sha, commit: &Sha) -> Result<Option<Head>, GitError> {
        let range = format!("{base}...{commit}");
        let names = ["diff", "--no-ext-diff", "--name-status", "--no-renames", "-z", &range];
        let names = self.call(&names).quick()?;
        if names.is_empty() {
            return Ok(None);
        }
        let (tree, diff) = (self.tree_of(commit)?, self.diff_hash(&range)?);
        let (ci_only, changes) = (is_ci_only(&names), Some(changes_in(base, &names)));
        Ok(Some(Head { commit: commit.clone(), tree, diff, ci_only, changes, summary: None }))
    }

    fn diff_hash(&self, range: &str) -> Result<String, GitError> {
        let words = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"];
        let mut hash = DiffHash::default();
        let call = self.call(&[words.as_slice(), &["--binary", range]].concat());
        call.stream(&mut |bytes| hash.take(bytes))?;
        Ok(hash.finish())
    }

    /// The last commit of a branch that is known here, pushed or not.
    pub(super) fn work(&self, branch: &Branch) -> Result<Option<Sha>, GitError> {
        self.find(&work_ref(branch))
    }
}

/// Pairs of what happened to a file and its path, out of a list that git ends with NULs.
fn pairs(listed: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut fields = listed.split('\0').filter(|field| !field.is_empty());
    std::iter::from_fn(move || Some((fields.next()?, fields.next()?)))
}

fn is_ci_only(listed: &str) -> bool {
    let is_of_ci = |name: &str| name == CI_FILE || CI_FOLDERS.iter().any(|it| name.starts_with(it));
    pairs(listed).all(|(_, name)| is_of_ci(name))
}

fn changes_in(base: &Sha, listed: &str) -> Changes {
    let (mut edited, mut added) = (Vec::new(), Vec::new());
    let mut is_cut = false;
    for (status, path) in pairs(listed) {
        let list = if status == "A" { &mut added } else { &mut edited };
        if list.len() < PATHS_MAX {
            list.push(path.to_owned());
        } else {
            is_cut = true;
        }
    }
    Changes { base: base.clone(), edited, added, is_cut }
}

/// The ref that keeps the work on a branch until it is pushed.
pub(super) fn work_ref(branch: &Branch) -> String {
    format!("refs/ralph/work/{branch}")
}

/// The hash of a diff without its `index` lines: they name the whole files, which a clean merge of the base
/// may change without changing the diff.
#[derive(Default)]
struct DiffHash {
    hash: Sha256,
    line: Vec<u8>,
    /// The current line is known to count, so its bytes need not be kept.
    is_through: bool,
}

const INDEX_LINE: &[u8] = b"index ";

impl DiffHash {
    fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.is_through {
                self.hash.update(piece);
            } else {
                self.line.extend_from_slice(piece);
                if self.line.len() >= INDEX_LINE.len() && !self.line.starts_with(INDEX_LINE) {
                    self.hash.update(&self.line);
                    self.line.clear();
                    self.is_through = true;
                }
            }
            if piece.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        if !self.line.starts_with(INDEX_LINE) {
            self.hash.update(&self.line);
        }
        self.line.clear();
        self.is_through = false;
    }

    fn finish(mut self) -> String {
        self.end_line();
        let hash = self.hash.finalize();
        hash.iter().take(DIFF_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str, chunk: usize) -> String {
        let mut hash = DiffHash::default();
        text.as_bytes().chunks(chunk).for_each(|bytes| hash.take(bytes));
        hash.finish()
    }

    #[test]
    fn only_index_lines_do_not_count() {
        let one = "diff --git a/x b/x\nindex 12..34 100644\n+a\n-b";
        let same = "diff --git a/x b/x\nindex ab..cd 100644\n+a\n-b";
        let other = "diff --git a/x b/x\nindex ab..cd 100644\n+index\n-b";
        for chunk in [1, 2, 5, 1_000] {
            assert_eq!(hash(one, chunk), hash(same, 7));
            assert_ne!(hash(one, chunk), hash(other, chunk));
        }
    }
}
