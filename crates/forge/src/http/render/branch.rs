//! Branches and references.

use serde::{Serialize, Serializer};

use super::commit::CommitJson;
use super::{RenderContext, each, object};
use crate::git::commit::Commit;
use crate::git::object_kind::ObjectKind;
use crate::git::sha::Sha;
use crate::model::branches::BranchView;
use crate::model::other_refs::Pointer;

/// A branch as lists show it.
pub(in crate::http) struct ShortBranch<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) branch: &'a BranchView,
}

impl Serialize for ShortBranch<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repo, branch } = self;
        let (base, name) = (render.base, &branch.name);
        object!(serializer, {
            "name": name,
            "commit": Tip { base, repo, sha: branch.sha },
            "protected": branch.protected,
            "protection": PublicProtection { branch },
            "protection_url": format_args!("{base}/repos/{repo}/branches/{name}/protection"),
        })
    }
}

pub(super) struct Tip<'a> {
    pub(super) base: &'a str,
    pub(super) repo: &'a str,
    pub(super) sha: Sha,
}

impl Serialize for Tip<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { base, repo, sha } = self;
        object!(serializer, {
            "sha": sha,
            "url": format_args!("{base}/repos/{repo}/commits/{sha}"),
        })
    }
}

/// A branch on its own, with the commit it is at.
pub(in crate::http) struct BranchJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) branch: &'a BranchView,
    pub(in crate::http) commit: &'a Commit,
}

impl Serialize for BranchJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repo, branch, commit } = self;
        let (base, name) = (render.base, &branch.name);
        object!(serializer, {
            "name": name,
            "commit": CommitJson { render, repo, commit, files: None },
            "_links": BranchLinks { base, repo, name },
            "protected": branch.protected,
            "protection": PublicProtection { branch },
            "protection_url": format_args!("{base}/repos/{repo}/branches/{name}/protection"),
        })
    }
}

struct BranchLinks<'a> {
    base: &'a str,
    repo: &'a str,
    name: &'a str,
}

impl Serialize for BranchLinks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { base, repo, name } = self;
        object!(serializer, {
            "self": format_args!("{base}/repos/{repo}/branches/{name}"),
            "html": format_args!("{base}/{repo}/tree/{name}"),
        })
    }
}

/// The public part of a branch's protection.
struct PublicProtection<'a> {
    branch: &'a BranchView,
}

impl Serialize for PublicProtection<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "enabled": self.branch.protected,
            "required_status_checks": PublicChecks { branch: self.branch },
        })
    }
}

struct PublicChecks<'a> {
    branch: &'a BranchView,
}

impl Serialize for PublicChecks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let required = self.branch.required_checks.as_ref();
        let level = match (required, self.branch.enforced_for_admins) {
            (None, _) => "off",
            (Some(_), true) => "everyone",
            (Some(_), false) => "non_admins",
        };
        let contexts: Vec<&String> =
            required.into_iter().flat_map(|checks| &checks.contexts).collect();
        object!(serializer, {
            "enforcement_level": level,
            "contexts": contexts,
            "checks": each(&contexts, |context| Check { context }),
        })
    }
}

/// A required check; it is not bound to an app.
pub(super) struct Check<'a> {
    pub(super) context: &'a str,
}

impl Serialize for Check<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "context": self.context, "app_id": None::<u64> })
    }
}

/// A reference as git has it.
pub(in crate::http) struct ReferenceJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) pointer: &'a Pointer,
}

impl Serialize for ReferenceJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repo, pointer } = self;
        let Pointer { name, sha, kind } = pointer;
        let base = render.base;
        object!(serializer, {
            "ref": name,
            "node_id": format_args!("REF_{repo}:{name}"),
            "url": format_args!("{base}/repos/{repo}/git/{name}"),
            "object": Target { base, repo, sha: *sha, kind: *kind },
        })
    }
}

pub(super) struct Target<'a> {
    pub(super) base: &'a str,
    pub(super) repo: &'a str,
    pub(super) sha: Sha,
    pub(super) kind: ObjectKind,
}

impl Serialize for Target<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { base, repo, sha, kind } = self;
        let kind = kind.name();
        object!(serializer, {
            "type": kind,
            "sha": sha,
            "url": format_args!("{base}/repos/{repo}/git/{kind}s/{sha}"),
        })
    }
}

/// A branch as a status names it.
pub(in crate::http) struct StatusBranch<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) branch: &'a BranchView,
}

impl Serialize for StatusBranch<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repo, branch } = self;
        object!(serializer, {
            "name": branch.name,
            "commit": Tip { base: render.base, repo, sha: branch.sha },
            "protected": branch.protected,
        })
    }
}
