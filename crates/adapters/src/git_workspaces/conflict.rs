//! A merge of the base that git could not finish by itself. Its conflicted files are laid into the worktree for an
//! agent to resolve; the result becomes that merge, once no conflict is left in it.

use super::git_folder::At;
use super::mirror::Merged;
use super::taking::{finish, record, take_commits};
use super::worktree::Worktree;
use crate::git::GitError;
use ralph_core::ids::{Branch, Sha};
use std::collections::BTreeSet;

/// The beginnings of the lines that git puts around the two sides. Its line of `=` between them is not among these,
/// because people underline headings with it.
const MARKERS: [&str; 3] = ["<<<<<<<", "|||||||", ">>>>>>>"];

/// A merge that a turn is to finish.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Merging<'a> {
    pub(crate) branch: &'a Branch,
    pub(crate) run: &'a str,
    /// The head of the branch before the merge.
    pub(crate) ours: &'a Sha,
    pub(crate) base: &'a Sha,
}

/// The result of a turn that resolves conflicts.
#[derive(Debug)]
pub(crate) enum Taken {
    Merged(Sha),
    /// These files have git's marks in them still; or it is all of them, because nothing was done about the
    /// merge, or nothing of our side is left in it.
    Open(Vec<String>),
}

/// Says which base was laid into the worktree of a run.
pub(super) fn laid_ref(run: &str) -> String {
    format!("refs/ralph/laid/{run}")
}

/// Replaces the files of the branch by those of the merge, for the first turn only. A later turn finds the files that
/// the earlier one left, and the commits of the earlier one become uncommitted changes: they count when the merge does.
pub(super) fn lay(worktree: &Worktree<'_>, merging: Merging<'_>) -> Result<(), GitError> {
    let Merging { branch, run, ours, base } = merging;
    let mirror = worktree.mirror;
    let (Merged::Clean { tree } | Merged::Conflict { tree, .. }) = mirror.merge(ours, base)?;
    let laid = laid_ref(run);
    if mirror.find(&laid)?.as_ref() != Some(base) {
        worktree.replace(ours, &tree)?;
        mirror.set(&laid, base)?;
    }
    worktree.put_in_merge((branch, ours), (base, &tree))
}

/// Takes the files as they are for the merge, with both sides as its parents unless the agent has made it itself.
pub(crate) fn take_merge(
    worktree: &Worktree<'_>,
    merging: Merging<'_>,
    message: &str,
) -> Result<Taken, GitError> {
    let Merging { branch, run, ours, base } = merging;
    let mirror = worktree.mirror;
    let (laid, files) = match mirror.merge(ours, base)? {
        Merged::Clean { tree } => (Sha::new(&tree), Vec::new()),
        Merged::Conflict { tree, files } => (Sha::new(&tree), files),
    };
    // Against the merge and not against our side: that does not know which ignored files the base has.
    let tree = worktree.tree_now(&laid, worktree.file_bytes_max)?;
    let is_untouched = tree == laid.as_str() && worktree.is_at(branch, ours)?;
    let is_base = tree == mirror.tree_of(base)?;
    let mut open = Vec::new();
    for file in files {
        if is_untouched || is_base || is_marked(worktree, merging, &tree, &file)? {
            open.push(file);
        }
    }
    if !open.is_empty() {
        worktree.put_in_order(At::Branch(branch, ours))?;
        return Ok(Taken::Open(open));
    }
    match commit(worktree, merging, &tree, message) {
        Ok(head) => Ok(Taken::Merged(head)),
        Err(error) => {
            // Commits without the merge that they belong to would pass for it.
            record(worktree, branch, run, ours)?;
            Err(error)
        }
    }
}

fn commit(
    worktree: &Worktree<'_>,
    merging: Merging<'_>,
    tree: &str,
    message: &str,
) -> Result<Sha, GitError> {
    let Merging { branch, run, base, .. } = merging;
    let mirror = worktree.mirror;
    let tip = take_commits(worktree, branch, run)?;
    let also = (!mirror.is_ancestor(base, &tip)?).then_some(base);
    let head = finish(worktree, (branch, run), (&tip, also), (tree, message))?;
    mirror.forget(&laid_ref(run))?;
    Ok(head)
}

/// Has the file a mark of git's that neither side has by itself?
fn is_marked(
    worktree: &Worktree<'_>,
    merging: Merging<'_>,
    tree: &str,
    file: &str,
) -> Result<bool, GitError> {
    let mirror = worktree.mirror;
    let mut marks = marks(&mirror.text_of(tree, file)?);
    for side in [merging.ours, merging.base] {
        if marks.is_empty() {
            break;
        }
        for known in self::marks(&mirror.text_of(side.as_str(), file)?) {
            marks.remove(&known);
        }
    }
    Ok(!marks.is_empty())
}

fn marks(text: &str) -> BTreeSet<String> {
    let is_mark = |line: &&str| {
        MARKERS.iter().any(|mark| {
            let rest = line.strip_prefix(mark);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r']))
        })
    };
    text.lines().filter(is_mark).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_seven_of_its_signs_at_the_beginning_of_a_line() {
        for mark in ["<<<<<<< 0123", ">>>>>>> base", "|||||||", "<<<<<<<\r"] {
            assert_eq!(marks(&format!("a\n{mark}\nb")).len(), 1, "{mark:?}");
        }
        for text in ["=======", " <<<<<<< a", "<<<<<<<a", "<<<<<<<<< a", ">>>>>> a", ""] {
            assert!(marks(text).is_empty(), "{text:?}");
        }
    }
}
