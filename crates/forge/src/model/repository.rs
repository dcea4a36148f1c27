//! A repository: everything that belongs to it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::checks::CheckRun;
use super::comments::Comment;
use super::issues::Issue;
use super::labels::Label;
use super::merging::MergeMethod;
use super::permission::Permission;
use super::protection::{Protection, Ruleset};
use super::reviews::Review;
use super::statuses::CommitStatus;
use crate::git::Git;
use crate::git::commit::{Commit, Content, NewCommit};
use crate::git::fault::GitFault;
use crate::git::sha::Sha;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct RepositoryId(pub(crate) u64);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Repository {
    pub(super) id: RepositoryId,
    pub(super) owner: String,
    pub(super) name: String,
    pub(super) default_branch: String,
    pub(super) settings: Settings,
    /// By login in lower case; the owner is not listed.
    pub(super) collaborators: BTreeMap<String, Permission>,
    /// Logins in lower case of people whose role was chosen for this repository alone.
    #[serde(default)]
    pub(super) chosen_roles: BTreeSet<String>,
    /// Logins in lower case of people whose pulls were merged.
    pub(super) contributors: BTreeSet<String>,
    pub(super) labels: BTreeMap<u64, Arc<Label>>,
    /// Label ids by name in lower case.
    pub(super) label_names: BTreeMap<String, u64>,
    pub(super) issues: BTreeMap<u64, Issue>,
    pub(super) last_number: u64,
    pub(super) pulls: BTreeSet<u64>,
    pub(super) open_pulls: BTreeSet<u64>,
    pub(super) comments: BTreeMap<u64, Comment>,
    pub(super) reviews: BTreeMap<u64, Review>,
    /// Persisted apart: objects before references.
    #[serde(skip)]
    pub(super) git: Git,
    pub(super) branches: BTreeMap<String, Sha>,
    /// References that are no branches, such as tags, by full name.
    #[serde(default)]
    pub(super) other_references: BTreeMap<String, Sha>,
    pub(super) protections: BTreeMap<String, Protection>,
    pub(super) rulesets: BTreeMap<u64, Ruleset>,
    pub(super) check_runs: BTreeMap<u64, CheckRun>,
    /// Check run ids by commit, in the order of making.
    pub(super) check_runs_of: BTreeMap<Sha, Vec<u64>>,
    pub(super) statuses: BTreeMap<Sha, Vec<CommitStatus>>,
    /// Unix seconds.
    pub(super) created_at: u64,
    pub(super) pushed_at: u64,
    /// The time of the last change of its settings.
    #[serde(default)]
    pub(super) edited_at: u64,
    /// The times at which labels were last made or changed, by id.
    #[serde(default)]
    pub(super) labels_changed_at: BTreeMap<u64, u64>,
    /// Issues and pulls together.
    pub(super) open_threads: usize,
    /// The reason why nothing is done in it: its git is damaged.
    #[serde(skip)]
    pub(super) set_aside: Option<String>,
}

impl Repository {
    pub(super) fn new(
        id: RepositoryId,
        owner: String,
        git: Git,
        new: NewRepository,
    ) -> Result<Self, GitFault> {
        let author = owner.clone();
        let mut repository = Self::empty(id, owner, new.name, git, new.at);
        let first = repository.git.add(NewCommit {
            parents: Vec::new(),
            content: Content::written(new.files),
            message: "Initial commit".to_owned(),
            author,
            at: new.at,
        })?;
        repository.publish(first)?;
        repository.branches.insert(new.default_branch.clone(), first);
        repository.default_branch = new.default_branch;
        Ok(repository)
    }

    /// Without commits: the first branch that is pushed becomes the default one.
    pub(super) fn empty(id: RepositoryId, owner: String, name: String, git: Git, at: u64) -> Self {
        Self {
            id,
            owner,
            name,
            branches: BTreeMap::new(),
            other_references: BTreeMap::new(),
            default_branch: "main".to_owned(),
            settings: Settings::default(),
            collaborators: BTreeMap::new(),
            chosen_roles: BTreeSet::new(),
            contributors: BTreeSet::new(),
            labels: BTreeMap::new(),
            label_names: BTreeMap::new(),
            issues: BTreeMap::new(),
            last_number: 0,
            pulls: BTreeSet::new(),
            open_pulls: BTreeSet::new(),
            comments: BTreeMap::new(),
            reviews: BTreeMap::new(),
            git,
            protections: BTreeMap::new(),
            rulesets: BTreeMap::new(),
            check_runs: BTreeMap::new(),
            check_runs_of: BTreeMap::new(),
            statuses: BTreeMap::new(),
            created_at: at,
            pushed_at: at,
            edited_at: 0,
            labels_changed_at: BTreeMap::new(),
            open_threads: 0,
            set_aside: None,
        }
    }

    pub(super) fn full_name(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }

    /// Commits that no branch led to before and that a branch is about to lead to, oldest first.
    pub(super) fn publish(&mut self, tip: Sha) -> Result<Vec<Arc<Commit>>, GitFault> {
        let tips: Vec<Sha> = self.branches.values().copied().collect();
        self.git.publish(tip, &tips)
    }
}

/// A repository to be made, with one commit on its default branch unless there are no files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRepository {
    pub owner: String,
    pub name: String,
    pub default_branch: String,
    pub files: BTreeMap<String, String>,
    /// Unix seconds.
    pub at: u64,
}

impl NewRepository {
    /// An almost empty repository with the default branch `main`.
    #[must_use]
    pub fn named(owner: &str, name: &str) -> Self {
        Self {
            owner: owner.to_owned(),
            name: name.to_owned(),
            default_branch: "main".to_owned(),
            files: BTreeMap::from([("README.md".to_owned(), format!("# {name}\n"))]),
            at: 0,
        }
    }
}

/// An administrator's choices for a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    pub visibility: Visibility,
    pub dependencies: Availability,
    pub merge_methods: BTreeSet<MergeMethod>,
    pub delete_branch_on_merge: bool,
    /// Only on GitHub Enterprise Server; makes a clean pull `has_hooks`.
    pub pre_receive_hooks: bool,
    /// Switched off, issues answer 410.
    pub has_issues: bool,
    pub description: Option<String>,
    #[serde(default)]
    pub homepage: Option<String>,
    /// Those that were switched on.
    #[serde(default)]
    pub features: BTreeSet<Feature>,
}

/// Shown as it was chosen; there is nothing behind it here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Feature {
    Wiki,
    Projects,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            visibility: Visibility::Public,
            dependencies: Availability::On,
            merge_methods: [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase].into(),
            delete_branch_on_merge: false,
            pre_receive_hooks: false,
            has_issues: true,
            description: None,
            homepage: None,
            features: BTreeSet::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Visibility {
    /// Everyone may read.
    Public,
    Private,
}

/// The availability of a feature's endpoints; switched off they answer 404 or 410 while issues read well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Availability {
    On,
    NotFound,
    Gone,
}
