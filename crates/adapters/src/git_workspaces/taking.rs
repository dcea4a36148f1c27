//! Taking over what an agent did in its worktree: the commits on its branch, and everything it left
//! uncommitted. The branch only moves forward, even if the agent rewrote its history.

use super::git_folder::At;
use super::messages::defused;
use super::mirror::work_ref;
use super::rescue::keep;
use super::scan::scan;
use super::worktree::Worktree;
use crate::git::GitError;
use ralph_core::ids::{Branch, Sha};

/// The ref of the commit at which Ralph last left the worktree of a run.
pub(super) fn at_ref(run: &str) -> String {
    format!("refs/ralph/at/{run}")
}

pub(super) fn incoming_ref(run: &str) -> String {
    format!("refs/ralph/incoming/{run}")
}

/// Brings the commits on a worktree's branch into the mirror and gives the last commit that counts. Commits
/// that do not descend from what is known do not count; they are kept aside.
pub(super) fn take_commits(
    worktree: &Worktree<'_>,
    branch: &Branch,
    run: &str,
) -> Result<Sha, GitError> {
    let mirror = worktree.mirror;
    let known = known(worktree, run)?;
    let Some(tip) = worktree.import(branch, &known, &incoming_ref(run))? else { return Ok(known) };
    mirror.forget(&incoming_ref(run))?;
    if !mirror.is_ancestor(&known, &tip)? {
        keep(mirror, run, &tip)?;
        return Ok(known);
    }
    scan(worktree, &known, &tip)?;
    let tip = defused(worktree, &known, &tip)?;
    record(worktree, branch, run, &tip)?;
    Ok(tip)
}

/// The commit at which Ralph left the worktree of a run.
pub(super) fn known(worktree: &Worktree<'_>, run: &str) -> Result<Sha, GitError> {
    let unknown = || {
        let path = worktree.path.display();
        GitError::Lost(format!("{path} is there, but the mirror has no record of it"))
    };
    worktree.mirror.find(&at_ref(run))?.ok_or_else(unknown)
}

/// As `take_commits`, for work that goes on: commits that must not be taken become changes again.
pub(crate) fn take_what_fits(
    worktree: &Worktree<'_>,
    branch: &Branch,
    run: &str,
) -> Result<Sha, GitError> {
    match take_commits(worktree, branch, run) {
        Err(refusal) if refusal.is_refusal() => worktree.mirror.find(&at_ref(run))?.ok_or(refusal),
        taken => taken,
    }
}

/// As `take_commits`, and commits what is left.
pub(crate) fn take_all(
    worktree: &Worktree<'_>,
    branch: &Branch,
    run: &str,
    message: &str,
) -> Result<Sha, GitError> {
    let tip = take_commits(worktree, branch, run)?;
    let tree = worktree.tree_now(&tip, worktree.file_bytes_max)?;
    finish(worktree, (branch, run), (&tip, None), (&tree, message))
}

/// Commits a tree on top of what was taken, as a merge if there is a second parent, and goes on from there.
pub(super) fn finish(
    worktree: &Worktree<'_>,
    (branch, run): (&Branch, &str),
    (tip, also): (&Sha, Option<&Sha>),
    (tree, message): (&str, &str),
) -> Result<Sha, GitError> {
    let mirror = worktree.mirror;
    let head = if also.is_none() && tree == mirror.tree_of(tip)? {
        tip.clone()
    } else {
        let parents: Vec<&Sha> = std::iter::once(tip).chain(also).collect();
        mirror.commit(tree, &parents, message)?
    };
    scan(worktree, tip, &head)?;
    record(worktree, branch, run, &head)?;
    worktree.put_in_order(At::Branch(branch, &head))?;
    Ok(head)
}

/// The branch first: after a crash in between the worktree is simply taken over again.
pub(super) fn record(
    worktree: &Worktree<'_>,
    branch: &Branch,
    run: &str,
    commit: &Sha,
) -> Result<(), GitError> {
    worktree.mirror.set(&work_ref(branch), commit)?;
    worktree.mirror.set(&at_ref(run), commit)
}
