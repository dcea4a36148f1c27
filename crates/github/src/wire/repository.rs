//! Repositories, branches and their protection, permissions, comparisons.

use ralph_core::ids::{Branch, Sha};
use ralph_core::policy::MergeMethod;
use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Debug, Deserialize)]
pub(crate) struct Repository {
    pub(crate) full_name: String,
    pub(crate) default_branch: Branch,
    #[serde(default)]
    pub(crate) private: bool,
    #[serde(default)]
    pub(crate) archived: bool,
    #[serde(default = "yes")]
    pub(crate) has_issues: bool,
    pub(crate) permissions: Option<Permissions>,
    pub(crate) owner: Option<Owner>,
    /// The three ways to merge are shown only to those who may push.
    pub(crate) allow_merge_commit: Option<bool>,
    pub(crate) allow_squash_merge: Option<bool>,
    pub(crate) allow_rebase_merge: Option<bool>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Owner {
    #[serde(rename = "type")]
    kind: Option<String>,
}

impl Owner {
    pub(crate) fn is_organization(&self) -> bool {
        self.kind.as_deref() == Some("Organization")
    }
}

impl Repository {
    /// `None`: the forge does not say.
    pub(crate) const fn allows(&self, how: MergeMethod) -> Option<bool> {
        match how {
            MergeMethod::Merge => self.allow_merge_commit,
            MergeMethod::Squash => self.allow_squash_merge,
            MergeMethod::Rebase => self.allow_rebase_merge,
        }
    }
}

const fn yes() -> bool {
    true
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "this is how GitHub writes a role")]
pub(crate) struct Permissions {
    #[serde(default)]
    pub(crate) triage: bool,
    #[serde(default)]
    pub(crate) push: bool,
    #[serde(default)]
    pub(crate) maintain: bool,
    #[serde(default)]
    pub(crate) admin: bool,
}

/// The permissions of a user. `permission` folds triage into read and maintain into write; the truth is below
/// `user`, or in the role's name where that is missing.
#[derive(Debug, Deserialize)]
pub(crate) struct CollaboratorPermission {
    pub(crate) permission: String,
    pub(crate) role_name: Option<String>,
    pub(crate) user: Option<Collaborator>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Collaborator {
    pub(crate) permissions: Option<Permissions>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct BranchHead {
    pub(crate) commit: Commit,
    #[serde(default)]
    pub(crate) protected: bool,
    pub(crate) protection: Option<Protection>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Commit {
    pub(crate) sha: Sha,
}

/// A commit as git keeps it.
#[derive(Debug, Deserialize)]
pub(crate) struct GitCommit {
    pub(crate) tree: Commit,
}

/// The commit that a mark is.
#[derive(Debug, Deserialize)]
pub(crate) struct MarkCommit {
    pub(crate) message: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Reference {
    pub(crate) object: Commit,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Protection {
    pub(crate) required_status_checks: Option<RequiredChecks>,
}

/// The same checks twice: by name alone, and with the app that must report them.
#[derive(Debug, Deserialize)]
pub(crate) struct RequiredChecks {
    /// Only admins are shown it.
    #[serde(default)]
    pub(crate) strict: bool,
    #[serde(deserialize_with = "super::list", default)]
    pub(crate) contexts: Vec<String>,
    #[serde(deserialize_with = "super::list", default)]
    pub(crate) checks: Vec<RequiredCheck>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct RequiredCheck {
    pub(crate) context: String,
}

/// A rule of a ruleset that is in force for a branch. Each kind has its own parameters.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(crate) enum Rule {
    #[serde(rename = "required_status_checks")]
    RequiredChecks { parameters: RuleParameters },
    #[serde(rename = "required_signatures")]
    Signatures,
    #[serde(rename = "merge_queue")]
    MergeQueue,
    #[serde(other)]
    Other,
}

impl Rule {
    pub(crate) const fn is_strict(&self) -> bool {
        match self {
            Self::RequiredChecks { parameters } => parameters.strict_required_status_checks_policy,
            Self::Signatures | Self::MergeQueue | Self::Other => false,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct RuleParameters {
    #[serde(default)]
    pub(crate) strict_required_status_checks_policy: bool,
    pub(crate) required_status_checks: Vec<RequiredCheck>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Comparison {
    /// Commits that the base has and the head has not.
    pub(crate) behind_by: u64,
    /// The changes from the merge base to the head; of very many the first only.
    #[serde(deserialize_with = "super::list", default)]
    pub(crate) files: Vec<IgnoredAny>,
}
