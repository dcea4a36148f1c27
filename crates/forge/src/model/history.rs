//! Reading a repository's history: its references, its commits and what they hold.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::paging::{Listing, Page};
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::turn::Turn;
use crate::git::commit::Commit;
use crate::git::sha::Sha;

/// Something in a folder of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// From the root of the repository.
    pub path: String,
    /// None for a folder.
    pub size: Option<usize>,
}

impl Turn<'_> {
    pub(super) fn matching_refs(&self, prefix: &str) -> Response {
        let branches = self.repo()?.branches.iter();
        let found = branches.filter(|(name, _sha)| name.starts_with(prefix));
        Ok(Reply::References(found.map(|(name, sha)| (name.clone(), *sha)).collect()))
    }

    pub(super) fn contents(&self, reference: &str, path: &str) -> Response {
        if self.repo()?.branches.is_empty() {
            return Err(Refusal::absent("This repository is empty."));
        }
        let unknown = || Refusal::absent(format!("No commit found for the ref {reference}"));
        let sha = self.resolve(reference).ok().ok_or_else(unknown)?;
        let tree = &self.repo()?.graph.known(sha)?.tree;
        let path = path.trim_matches('/');
        if let Some(text) = tree.files().get(path) {
            return Ok(Reply::Text(Arc::clone(text)));
        }
        let mut entries: BTreeMap<String, Option<usize>> = BTreeMap::new();
        let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
        for (file, text) in tree.iter() {
            let Some(rest) = file.strip_prefix(&folder) else { continue };
            match rest.split_once('/') {
                Some((name, _deeper)) => entries.insert(format!("{folder}{name}"), None),
                None => entries.insert(file.to_owned(), Some(text.len())),
            };
        }
        if entries.is_empty() && !path.is_empty() {
            return Err(Refusal::not_found());
        }
        let entries = entries.into_iter().map(|(path, size)| FolderEntry { path, size });
        Ok(Reply::Folder(entries.collect()))
    }

    pub(super) fn list_commits(&self, reference: &str, path: Option<&str>, page: Page) -> Response {
        if self.repo()?.branches.is_empty() {
            return Err(Refusal::conflict("Git Repository is empty."));
        }
        let tip = self.resolve(reference).ok().ok_or_else(Refusal::not_found)?;
        let mut commits = self.ancestry(tip)?;
        if let Some(path) = path {
            commits.retain(|commit| self.changes_path(commit, path));
        }
        Ok(Reply::Commits(Listing::of(&commits, page, Arc::clone)))
    }

    /// A commit and all before it, children before their parents and the newest first.
    fn ancestry(&self, tip: Sha) -> Result<Vec<Arc<Commit>>, Refusal> {
        let graph = &self.repo()?.graph;
        let mut seen = BTreeSet::from([tip]);
        let mut open = vec![tip];
        let mut found = Vec::new();
        while let Some(sha) = open.pop() {
            let commit = graph.known(sha)?;
            let new = commit.parents.iter().filter(|parent| seen.insert(**parent));
            open.extend(new.copied());
            found.push(Arc::clone(commit));
        }
        found.sort_by_key(|commit| std::cmp::Reverse((commit.generation, commit.sequence)));
        Ok(found)
    }

    fn changes_path(&self, commit: &Commit, path: &str) -> bool {
        let Ok(repo) = self.repo() else { return false };
        let parent = commit.parents.first().and_then(|sha| repo.graph.get(*sha));
        let before = parent.and_then(|parent| parent.tree.get(path));
        before != commit.tree.get(path)
    }
}
