//! Classic protection and the rules of rulesets.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::branch::Check;
use super::{Enabled, NONE, RenderContext, each, object};
use crate::model::protection::{Protection, RequiredChecks, Rule, RuleView};

pub(in crate::http) struct ProtectionJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) branch: &'a str,
    pub(in crate::http) protection: &'a Protection,
}

impl ProtectionJson<'_> {
    fn url(&self) -> String {
        format!("{}/repos/{}/branches/{}/protection", self.render.base, self.repo, self.branch)
    }
}

impl Serialize for ProtectionJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (url, protection) = (self.url(), self.protection);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("url", &url)?;
        if let Some(checks) = &protection.required_checks {
            let entry = RequiredChecksJson { url: &url, checks };
            map.serialize_entry("required_status_checks", &entry)?;
        }
        if let Some(approvals) = protection.required_approvals {
            let entry = Reviews { url: &url, approvals };
            map.serialize_entry("required_pull_request_reviews", &entry)?;
        }
        let off = Enabled { enabled: false };
        let on_off = |part: &'static str, enabled| OnOff { url: &url, part, enabled };
        super::entries!(map, {
            "required_signatures": on_off("required_signatures", false),
            "enforce_admins": on_off("enforce_admins", protection.enforce_admins),
            "required_linear_history": off,
            "allow_force_pushes": Enabled { enabled: protection.allow_force_pushes },
            "allow_deletions": Enabled { enabled: protection.allow_deletions },
            "block_creations": off,
            "required_conversation_resolution": off,
            "lock_branch": off,
            "allow_fork_syncing": off,
        });
        map.end()
    }
}

struct OnOff<'a> {
    url: &'a str,
    part: &'static str,
    enabled: bool,
}

impl Serialize for OnOff<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { url, part, enabled } = self;
        object!(serializer, { "url": format_args!("{url}/{part}"), "enabled": enabled })
    }
}

pub(in crate::http) struct RequiredChecksJson<'a> {
    /// That of the protection.
    pub(in crate::http) url: &'a str,
    pub(in crate::http) checks: &'a RequiredChecks,
}

impl Serialize for RequiredChecksJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { url, checks } = self;
        let contexts: Vec<&String> = checks.contexts.iter().collect();
        object!(serializer, {
            "url": format_args!("{url}/required_status_checks"),
            "strict": checks.strict,
            "contexts": contexts,
            "contexts_url": format_args!("{url}/required_status_checks/contexts"),
            "checks": each(&contexts, |context| Check { context }),
        })
    }
}

struct Reviews<'a> {
    url: &'a str,
    approvals: u32,
}

impl Serialize for Reviews<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { url, approvals } = self;
        object!(serializer, {
            "url": format_args!("{url}/required_pull_request_reviews"),
            "dismiss_stale_reviews": false,
            "require_code_owner_reviews": false,
            "require_last_push_approval": false,
            "required_approving_review_count": approvals,
        })
    }
}

/// A rule that holds for a branch.
pub(in crate::http) struct RuleJson<'a> {
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) rule: &'a RuleView,
}

impl Serialize for RuleJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.rule.rule {
            Rule::RequiredChecks(checks) => {
                map.serialize_entry("type", "required_status_checks")?;
                map.serialize_entry("parameters", &CheckParameters(checks))?;
            }
            Rule::PullRequest { approvals } => {
                map.serialize_entry("type", "pull_request")?;
                map.serialize_entry("parameters", &PullParameters(*approvals))?;
            }
            Rule::NonFastForward => map.serialize_entry("type", "non_fast_forward")?,
            Rule::Deletion => map.serialize_entry("type", "deletion")?,
        }
        super::entries!(map, {
            "ruleset_source_type": "Repository",
            "ruleset_source": self.repo,
            "ruleset_id": self.rule.ruleset_id,
        });
        map.end()
    }
}

struct CheckParameters<'a>(&'a RequiredChecks);

impl Serialize for CheckParameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let contexts: Vec<&String> = self.0.contexts.iter().collect();
        object!(serializer, {
            "strict_required_status_checks_policy": self.0.strict,
            "do_not_enforce_on_create": false,
            "required_status_checks": each(&contexts, |context| Context { context }),
        })
    }
}

struct Context<'a> {
    context: &'a str,
}

impl Serialize for Context<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "context": self.context })
    }
}

struct PullParameters(u32);

impl Serialize for PullParameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "required_approving_review_count": self.0,
            "dismiss_stale_reviews_on_push": false,
            "require_code_owner_review": false,
            "require_last_push_approval": false,
            "required_review_thread_resolution": false,
            "allowed_merge_methods": ["merge", "squash", "rebase"],
            "required_reviewers": NONE,
        })
    }
}
