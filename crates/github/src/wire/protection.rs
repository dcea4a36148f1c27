//! The whole protection of a branch, as it is shown and as it is written. The two differ: what is shown as an object
//! with a switch is written as the switch, and people are shown whole and written by name.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Parts that are addresses, or that a written protection leaves as they are.
const UNTOUCHED: [&str; 3] = ["url", "name", "required_signatures"];

/// A protection as it is shown to admins.
#[derive(Debug, Deserialize)]
pub(crate) struct WholeProtection {
    required_status_checks: Option<IgnoredAny>,
    #[serde(default)]
    enforce_admins: Switch,
    required_pull_request_reviews: Option<Reviews>,
    restrictions: Option<Actors>,
    #[serde(default)]
    required_linear_history: Switch,
    #[serde(default)]
    allow_force_pushes: Switch,
    #[serde(default)]
    allow_deletions: Switch,
    #[serde(default)]
    block_creations: Switch,
    #[serde(default)]
    required_conversation_resolution: Switch,
    #[serde(default)]
    lock_branch: Switch,
    #[serde(default)]
    allow_fork_syncing: Switch,
    #[serde(flatten)]
    others: BTreeMap<String, IgnoredAny>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
struct Switch {
    #[serde(default)]
    enabled: bool,
}

#[derive(Debug, Deserialize)]
struct Reviews {
    dismissal_restrictions: Option<Actors>,
    #[serde(default)]
    dismiss_stale_reviews: bool,
    #[serde(default)]
    require_code_owner_reviews: bool,
    required_approving_review_count: Option<u32>,
    #[serde(default)]
    require_last_push_approval: bool,
    bypass_pull_request_allowances: Option<Actors>,
    #[serde(flatten)]
    others: BTreeMap<String, IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
struct Actors {
    #[serde(default)]
    users: Vec<User>,
    #[serde(default)]
    teams: Vec<Named>,
    #[serde(default)]
    apps: Vec<Named>,
    #[serde(flatten)]
    others: BTreeMap<String, IgnoredAny>,
}

#[derive(Debug, Deserialize)]
struct User {
    login: String,
}

#[derive(Debug, Deserialize)]
struct Named {
    slug: String,
}

/// A protection as it is written: whatever is not in it is off afterwards.
#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "this is how GitHub writes it")]
pub(crate) struct Rewritten<'a> {
    required_status_checks: super::request::RequireChecks<'a>,
    enforce_admins: bool,
    required_pull_request_reviews: Option<RewrittenReviews<'a>>,
    restrictions: Option<Names<'a>>,
    required_linear_history: bool,
    allow_force_pushes: bool,
    allow_deletions: bool,
    block_creations: bool,
    required_conversation_resolution: bool,
    lock_branch: bool,
    allow_fork_syncing: bool,
}

#[derive(Serialize)]
struct RewrittenReviews<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    dismissal_restrictions: Option<Names<'a>>,
    dismiss_stale_reviews: bool,
    require_code_owner_reviews: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    required_approving_review_count: Option<u32>,
    require_last_push_approval: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    bypass_pull_request_allowances: Option<Names<'a>>,
}

#[derive(Serialize)]
struct Names<'a> {
    users: Vec<&'a str>,
    teams: Vec<&'a str>,
    apps: Vec<&'a str>,
}

impl WholeProtection {
    pub(crate) const fn requires_checks(&self) -> bool {
        self.required_status_checks.is_some()
    }

    /// A part that writing the protection would lose, at any depth.
    pub(crate) fn unknown_part(&self) -> Option<&str> {
        let reviews = self.required_pull_request_reviews.as_ref();
        let within = reviews.map(|reviews| {
            [&reviews.dismissal_restrictions, &reviews.bypass_pull_request_allowances]
        });
        let actors = within.into_iter().flatten().chain([&self.restrictions]).flatten();
        let parts = self.others.keys().chain(reviews.into_iter().flat_map(|it| it.others.keys()));
        let parts = parts.chain(actors.flat_map(|actors| actors.others.keys()));
        parts.map(String::as_str).find(|part| !is_untouched(part))
    }

    /// The same protection, with these checks required.
    pub(crate) fn requiring<'a>(&'a self, contexts: &'a [&'a str]) -> Rewritten<'a> {
        let reviews = self.required_pull_request_reviews.as_ref();
        Rewritten {
            required_status_checks: super::request::RequireChecks { strict: false, contexts },
            enforce_admins: self.enforce_admins.enabled,
            required_pull_request_reviews: reviews.map(Reviews::rewritten),
            restrictions: self.restrictions.as_ref().map(Actors::names),
            required_linear_history: self.required_linear_history.enabled,
            allow_force_pushes: self.allow_force_pushes.enabled,
            allow_deletions: self.allow_deletions.enabled,
            block_creations: self.block_creations.enabled,
            required_conversation_resolution: self.required_conversation_resolution.enabled,
            lock_branch: self.lock_branch.enabled,
            allow_fork_syncing: self.allow_fork_syncing.enabled,
        }
    }
}

impl Reviews {
    fn rewritten(&self) -> RewrittenReviews<'_> {
        RewrittenReviews {
            dismissal_restrictions: self.dismissal_restrictions.as_ref().map(Actors::names),
            dismiss_stale_reviews: self.dismiss_stale_reviews,
            require_code_owner_reviews: self.require_code_owner_reviews,
            required_approving_review_count: self.required_approving_review_count,
            require_last_push_approval: self.require_last_push_approval,
            bypass_pull_request_allowances: self
                .bypass_pull_request_allowances
                .as_ref()
                .map(Actors::names),
        }
    }
}

impl Actors {
    fn names(&self) -> Names<'_> {
        Names {
            users: self.users.iter().map(|user| user.login.as_str()).collect(),
            teams: slugs(&self.teams),
            apps: slugs(&self.apps),
        }
    }
}

fn is_untouched(part: &str) -> bool {
    UNTOUCHED.contains(&part) || part.ends_with("_url")
}

fn slugs(named: &[Named]) -> Vec<&str> {
    named.iter().map(|one| one.slug.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_shown_is_written_again() {
        let shown = r#"{"url":"u","enforce_admins":{"url":"u","enabled":true},
            "required_pull_request_reviews":{"url":"u","dismiss_stale_reviews":true,
                "require_code_owner_reviews":true,"required_approving_review_count":2,
                "require_last_push_approval":true,
                "dismissal_restrictions":{"users":[{"login":"ann"}],"teams":[{"slug":"core"}],"apps":[]}},
            "restrictions":{"users":[],"teams":[],"apps":[{"slug":"bot"}]},
            "required_linear_history":{"enabled":true},"allow_force_pushes":{"enabled":true},
            "allow_deletions":{"enabled":true},"block_creations":{"enabled":true},
            "required_conversation_resolution":{"enabled":true},"lock_branch":{"enabled":true},
            "allow_fork_syncing":{"enabled":true},"required_signatures":{"enabled":true}}"#;
        let found: WholeProtection = serde_json::from_str(shown).unwrap();
        assert_eq!((found.requires_checks(), found.unknown_part()), (false, None));
        let written = serde_json::to_string(&found.requiring(&["ci"])).unwrap();
        assert_eq!(
            written,
            r#"{"required_status_checks":{"strict":false,"contexts":["ci"]},"enforce_admins":true,"required_pull_request_reviews":{"dismissal_restrictions":{"users":["ann"],"teams":["core"],"apps":[]},"dismiss_stale_reviews":true,"require_code_owner_reviews":true,"required_approving_review_count":2,"require_last_push_approval":true},"restrictions":{"users":[],"teams":[],"apps":["bot"]},"required_linear_history":true,"allow_force_pushes":true,"allow_deletions":true,"block_creations":true,"required_conversation_resolution":true,"lock_branch":true,"allow_fork_syncing":true}"#
        );
        let newer: WholeProtection = serde_json::from_str(r#"{"require_cake":{}}"#).unwrap();
        assert_eq!(newer.unknown_part(), Some("require_cake"));
        for within in [
            r#"{"required_pull_request_reviews":{"url":"u","require_cake":true}}"#,
            r#"{"required_pull_request_reviews":{"dismissal_restrictions":{"users_url":"u","require_cake":[]}}}"#,
            r#"{"required_pull_request_reviews":{"bypass_pull_request_allowances":{"require_cake":[]}}}"#,
            r#"{"restrictions":{"apps_url":"u","require_cake":[]}}"#,
        ] {
            let newer: WholeProtection = serde_json::from_str(within).unwrap();
            assert_eq!(newer.unknown_part(), Some("require_cake"), "{within}");
        }
    }
}
