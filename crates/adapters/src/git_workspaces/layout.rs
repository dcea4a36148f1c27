//! Making a checkout: filled beside its place and moved there when it is whole, so that a folder that exists
//! is never half of one.

use super::git_folder::At;
use super::worktree::Worktree;
use crate::folder::Folder;
use crate::git::GitError;
use crate::private_files;
use crate::workshop::Workshop;
use ralph_core::ids::Sha;
use ralph_core::managed_path::ManagedPath;

/// A checkout that goes when this value does.
#[derive(Debug)]
pub(crate) struct Checkout<'a> {
    pub(crate) worktree: Worktree<'a>,
    parent: Folder,
    name: String,
}

impl<'a> Checkout<'a> {
    /// A clean, detached checkout of a commit.
    pub(crate) fn make(
        shop: &Workshop,
        (worktree, managed): (Worktree<'a>, ManagedPath),
        commit: &Sha,
    ) -> Result<Self, GitError> {
        let checkout = Self::filled(shop, worktree, &managed, commit)?;
        checkout.worktree.point(At::Commit(commit))?;
        Ok(checkout)
    }

    fn filled(
        shop: &Workshop,
        worktree: Worktree<'a>,
        managed: &ManagedPath,
        commit: &Sha,
    ) -> Result<Self, GitError> {
        let doing = || GitError::file("make a folder for a checkout");
        let (parent, name) = shop.make_parent_of(managed).map_err(doing())?;
        parent.remove_tree(name).map_err(doing())?;
        parent.make(name).map_err(doing())?;
        private_files::make_folder(worktree.folder.path()).map_err(doing())?;
        let checkout = Self { worktree, parent, name: name.to_owned() };
        let filled = checkout.worktree.fill(commit);
        filled.map_err(|error| checkout.worktree.mirror.lost_or(error, &[commit]))?;
        Ok(checkout)
    }

    /// Writes down which files differ from the commit, for the record; nothing if none do.
    pub(crate) fn changes(&self, commit: &Sha) -> Result<Option<String>, GitError> {
        if !self.worktree.exists() {
            return Ok(Some("the whole checkout was removed".to_owned()));
        }
        let tree = self.worktree.tree_now(commit, u64::MAX)?;
        let mirror = self.worktree.mirror;
        if tree == mirror.tree_of(commit)? {
            return Ok(None);
        }
        let words = ["diff", "--no-ext-diff", "--stat", "--no-renames", commit.as_str(), &tree];
        mirror.call(&words).quick().map(Some)
    }
}

impl Drop for Checkout<'_> {
    fn drop(&mut self) {
        // What cannot be removed now is swept away at the next start.
        drop(self.parent.remove_tree(&self.name));
        drop(std::fs::remove_file(&self.worktree.index));
    }
}

/// Makes a run's worktree at a commit. Its git folder is made when the worktree is put in order.
pub(super) fn lay_out<'a>(
    shop: &Workshop,
    scratch: (Worktree<'a>, ManagedPath),
    place: (&Worktree<'a>, &ManagedPath),
    commit: &Sha,
) -> Result<(), GitError> {
    let doing = || GitError::file("move a checkout to its place");
    let (worktree, path) = place;
    let checkout = Checkout::filled(shop, scratch.0, &scratch.1, commit)?;
    let (parent, name) = shop.make_parent_of(path).map_err(doing())?;
    std::fs::rename(&checkout.worktree.index, &worktree.index).map_err(doing())?;
    parent.remove_tree(name).map_err(doing())?;
    checkout.parent.rename_to(&checkout.name, &parent, name).map_err(doing())
}
