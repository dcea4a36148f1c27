//! Git without files: the commits of one repository in memory, and the questions about them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::commit::{Commit, Content, NewCommit, email_of};
use super::diff::{self, Detail, EntryKind, FileChange, FileContent, FolderEntry};
use super::fault::GitFault;
use super::history::Walk;
use super::object_kind::{NewTag, ObjectKind, TagObject};
use super::sha::Sha;
use super::tree::Tree;
use super::trial::{MergedTrees, Trial, merge_trees};
use super::{Replayed, Split};

#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    nodes: BTreeMap<Sha, Arc<Node>>,
    trees: BTreeMap<Sha, Tree>,
    trials: BTreeMap<(Sha, Sha), Arc<Trial>>,
    tags: BTreeMap<Sha, TagObject>,
    /// Commits that some branch has led to; closed under ancestry.
    published: BTreeSet<Sha>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) commit: Arc<Commit>,
    tree: Tree,
    /// Longer than that of every parent, so that walks can stop early.
    pub(super) generation: u64,
    /// The order of making, so that walks are the same in every run.
    pub(super) sequence: u64,
}

impl Graph {
    /// Adds a commit. Equal commits made twice get different names, as their moments differ in life.
    pub(crate) fn add(&mut self, new: NewCommit) -> Result<Sha, GitFault> {
        let mut generation = 0;
        for parent in &new.parents {
            generation = generation.max(self.node(*parent)?.generation + 1);
        }
        let first = new.parents.first().and_then(|parent| self.nodes.get(parent));
        let tree = match new.content {
            Content::Whole(sha) => {
                self.trees.get(&sha).cloned().ok_or(GitFault::UnknownCommit(sha))?
            }
            Content::Changes(changes) => {
                first.map_or_else(Tree::default, |node| node.tree.clone()).with_changes(&changes)
            }
        };
        let sequence = self.nodes.len() as u64;
        let numbers = [new.at.to_le_bytes(), sequence.to_le_bytes()].concat();
        let texts = [&numbers, new.message.as_bytes(), new.author.as_bytes()];
        let tree_sha = tree.sha();
        let named = std::iter::once(&tree_sha).chain(&new.parents).map(Sha::as_bytes);
        let sha = Sha::of(texts.into_iter().chain(named));
        let NewCommit { parents, message, author, at, .. } = new;
        let email = email_of(&author);
        let commit =
            Commit { sha, parents, tree: tree_sha, message, author, email, authored_at: at, at };
        self.keep(&tree);
        let node = Node { commit: Arc::new(commit), tree, generation, sequence };
        self.nodes.insert(sha, Arc::new(node));
        Ok(sha)
    }

    pub(crate) fn tag(&self, sha: Sha) -> Option<&TagObject> {
        self.tags.get(&sha)
    }

    pub(crate) fn kind(&self, sha: Sha) -> Option<ObjectKind> {
        let tag = self.tags.contains_key(&sha).then_some(ObjectKind::Tag);
        tag.or_else(|| self.nodes.contains_key(&sha).then_some(ObjectKind::Commit))
    }

    pub(crate) fn contains_tree(&self, sha: Sha) -> bool {
        self.trees.contains_key(&sha)
    }

    pub(crate) fn add_tag(&mut self, new: &NewTag) -> TagObject {
        let sha = Sha::of([new.write().as_slice()]);
        let tag = TagObject { sha, tag: new.clone() };
        self.tags.insert(sha, tag.clone());
        tag
    }

    fn keep(&mut self, tree: &Tree) {
        self.trees.entry(tree.sha()).or_insert_with(|| tree.clone());
    }

    pub(super) fn node(&self, sha: Sha) -> Result<&Arc<Node>, GitFault> {
        self.nodes.get(&sha).ok_or(GitFault::UnknownCommit(sha))
    }

    pub(crate) fn commit(&self, sha: Sha) -> Result<&Arc<Commit>, GitFault> {
        Ok(&self.node(sha)?.commit)
    }

    pub(crate) fn text(&self, commit: Sha, path: &str) -> Result<Option<Arc<str>>, GitFault> {
        Ok(self.node(commit)?.tree.files().get(path).cloned())
    }

    pub(crate) fn paths(&self, commit: Sha) -> Result<Vec<Arc<str>>, GitFault> {
        Ok(self.node(commit)?.tree.files().keys().cloned().collect())
    }

    pub(crate) fn folder(&self, commit: Sha, path: &str) -> Result<Vec<FolderEntry>, GitFault> {
        let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
        let mut entries: BTreeMap<String, FolderEntry> = BTreeMap::new();
        for (file, text) in self.node(commit)?.tree.files() {
            let Some(rest) = file.strip_prefix(&folder) else { continue };
            let (path, kind, size) = match rest.split_once('/') {
                Some((name, _deeper)) => (format!("{folder}{name}"), EntryKind::Folder, None),
                None => (file.to_string(), EntryKind::File, Some(text.len())),
            };
            let sha = match kind {
                EntryKind::File => Sha::of([text.as_bytes()]),
                EntryKind::Folder | EntryKind::Symlink | EntryKind::Submodule => {
                    Sha::of([path.as_bytes(), commit.to_string().as_bytes()])
                }
            };
            entries.insert(path.clone(), FolderEntry { path, kind, sha, size });
        }
        Ok(entries.into_values().collect())
    }

    pub(crate) fn folder_sha(&self, commit: Sha, path: &str) -> Result<Sha, GitFault> {
        if path.is_empty() {
            return Ok(self.node(commit)?.tree.sha());
        }
        Ok(Sha::of([path.as_bytes(), commit.to_string().as_bytes()]))
    }

    pub(crate) fn file(&self, commit: Sha, path: &str) -> Result<Option<FileContent>, GitFault> {
        let Some(text) = self.text(commit, path)? else { return Ok(None) };
        let (sha, size) = (Sha::of([text.as_bytes()]), Some(text.len()));
        let entry = FolderEntry { path: path.to_owned(), kind: EntryKind::File, sha, size };
        Ok(Some(FileContent { entry, bytes: Some(text.as_bytes().to_vec()) }))
    }

    /// The one commit whose sha begins so.
    pub(crate) fn find_commit(&self, beginning: &str) -> Option<Sha> {
        let mut found =
            self.nodes.keys().copied().filter(|sha| sha.to_string().starts_with(beginning));
        found.next().filter(|_first| found.next().is_none())
    }

    pub(crate) fn log(&self, tip: Sha, path: Option<&str>) -> Result<Vec<Sha>, GitFault> {
        let mut seen = BTreeSet::from([tip]);
        let mut open = vec![tip];
        let mut found = Vec::new();
        while let Some(sha) = open.pop() {
            let node = self.node(sha)?;
            open.extend(node.commit.parents.iter().filter(|parent| seen.insert(**parent)));
            if path.is_none_or(|path| self.changes_path(node, path)) {
                found.push(node);
            }
        }
        found.sort_by_key(|node| std::cmp::Reverse((node.generation, node.sequence)));
        Ok(found.iter().map(|node| node.commit.sha).collect())
    }

    fn changes_path(&self, node: &Node, path: &str) -> bool {
        let parent = node.commit.parents.first().and_then(|sha| self.nodes.get(sha));
        let before = parent.and_then(|parent| parent.tree.files().get(path));
        before != node.tree.files().get(path)
    }

    pub(crate) fn changes(
        &self,
        from: Option<Sha>,
        to: Sha,
        detail: Detail,
    ) -> Result<Vec<FileChange>, GitFault> {
        let to = &self.node(to)?.tree;
        Ok(match from {
            Some(from) => diff::changes(&self.node(from)?.tree, to, detail),
            None => diff::changes(&Tree::default(), to, detail),
        })
    }

    pub(crate) fn is_ancestor(&self, ancestor: Sha, descendant: Sha) -> bool {
        let (Ok(goal), Ok(start)) = (self.node(ancestor), self.node(descendant)) else {
            return false;
        };
        let mut seen = BTreeSet::new();
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if node.commit.sha == ancestor {
                return true;
            }
            if node.generation > goal.generation && seen.insert(node.commit.sha) {
                open.extend(node.commit.parents.iter().filter_map(|sha| self.nodes.get(sha)));
            }
        }
        false
    }

    /// Walks both histories from the newest, so that it ends soon after they meet.
    pub(crate) fn split(&self, left: Sha, right: Sha) -> Result<Split, GitFault> {
        Walk::between(self, left, right)
    }

    pub(crate) fn trial(&mut self, base: Sha, head: Sha) -> Result<Arc<Trial>, GitFault> {
        if let Some(trial) = self.trials.get(&(base, head)) {
            return Ok(Arc::clone(trial));
        }
        let origin = match self.split(base, head)?.merge_base {
            Some(sha) => self.node(sha)?.tree.clone(),
            None => Tree::default(),
        };
        let trial = match merge_trees(&origin, &self.node(base)?.tree, &self.node(head)?.tree) {
            MergedTrees::Clean(tree) => {
                self.keep(&tree);
                Trial::Clean(tree.sha())
            }
            MergedTrees::Conflict(paths) => Trial::Conflict(paths),
        };
        let trial = Arc::new(trial);
        self.trials.insert((base, head), Arc::clone(&trial));
        Ok(trial)
    }

    pub(crate) fn replay(
        &mut self,
        commits: &[Arc<Commit>],
        onto: Sha,
        at: u64,
    ) -> Result<Replayed, GitFault> {
        let mut tree = self.node(onto)?.tree.clone();
        let mut planned = Vec::new();
        for commit in commits.iter().filter(|commit| commit.parents.len() < 2) {
            let origin = match commit.parents.first() {
                Some(parent) => self.node(*parent)?.tree.clone(),
                None => Tree::default(),
            };
            match merge_trees(&origin, &tree, &self.node(commit.sha)?.tree) {
                MergedTrees::Clean(merged) => tree = merged,
                MergedTrees::Conflict(_paths) => return Ok(Replayed::Conflict),
            }
            planned.push((Arc::clone(commit), tree.clone()));
        }
        let mut tip = onto;
        for (commit, tree) in planned {
            self.keep(&tree);
            tip = self.add(NewCommit {
                parents: vec![tip],
                content: Content::Whole(tree.sha()),
                message: commit.message.clone(),
                author: commit.author.clone(),
                at,
            })?;
        }
        Ok(Replayed::Onto(tip))
    }

    /// Commits that no branch led to before, oldest first.
    pub(crate) fn publish(&mut self, tip: Sha) -> Result<Vec<Arc<Commit>>, GitFault> {
        let mut open = vec![tip];
        let mut new: Vec<Arc<Node>> = Vec::new();
        while let Some(sha) = open.pop() {
            if self.published.insert(sha) {
                let node = self.node(sha)?;
                open.extend(&node.commit.parents);
                new.push(Arc::clone(node));
            }
        }
        new.sort_by_key(|node| node.sequence);
        Ok(new.iter().map(|node| Arc::clone(&node.commit)).collect())
    }
}
