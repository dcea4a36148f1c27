//! Branches, their protection and the rules that hold for them.

use std::collections::BTreeSet;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use crate::http::answer::Answer;
use crate::http::nothing::Nothing;
use crate::http::problem::Problem;
use crate::http::render::branch::{BranchJson, ShortBranch};
use crate::http::render::each;
use crate::http::render::protection::{ProtectionJson, RequiredChecksJson, RuleJson};
use crate::http::request_context::RequestContext;
use crate::model::branches::{GetBranch, ListBranches};
use crate::model::history::GetCommit;
use crate::model::paging::Listing;
use crate::model::protection::{
    AddContexts, DeleteProtection, GetProtection, ListRules, SetProtection,
};
use crate::model::protection::{Protection, RequiredChecks};

pub(in crate::http) fn list(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let protected = context.ask.choice("protected", &["true", "false", "1", "0"])?;
    let protected = protected.map(|value| value == "true" || value == "1");
    let page = context.ask.page();
    let listing = context.call(ListBranches { protected, page })?;
    let (render, repo) = (context.render(), context.ask.repo());
    let body = each(&listing.items, |branch| ShortBranch { render: &render, repo: &repo, branch });
    Ok(Answer::ok(&body)?.paged(&listing))
}

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let branch = context.ask.param("branch").to_owned();
    let branch = context.call(GetBranch { branch })?;
    let reference = branch.sha.to_string();
    let commit = context.call(GetCommit { reference })?;
    let (render, repo) = (context.render(), context.ask.repo());
    let body = BranchJson { render: &render, repo: &repo, branch: &branch, commit: &commit };
    Answer::ok(&body)
}

pub(in crate::http) fn protection(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let branch = context.ask.param("branch").to_owned();
    let protection = context.call(GetProtection { branch })?;
    render(context, &protection)
}

fn render(context: &RequestContext<'_>, protection: &Protection) -> Result<Answer, Problem> {
    let (render, repo, branch) =
        (context.render(), context.ask.repo(), context.ask.param("branch"));
    Answer::ok(&ProtectionJson { render: &render, repo: &repo, branch, protection })
}

/// The four fields without a default must be there, if only as null; `PUT` replaces all.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProtectionBody {
    #[serde(deserialize_with = "needed")]
    required_status_checks: Option<ChecksBody>,
    #[serde(deserialize_with = "needed")]
    enforce_admins: Option<bool>,
    #[serde(deserialize_with = "needed")]
    required_pull_request_reviews: Option<ReviewsBody>,
    #[serde(deserialize_with = "needed")]
    restrictions: Option<IgnoredAny>,
    allow_force_pushes: Option<bool>,
    allow_deletions: Option<bool>,
    #[serde(default, rename = "required_linear_history")]
    _required_linear_history: Option<Nothing>,
    #[serde(default, rename = "block_creations")]
    _block_creations: Option<Nothing>,
    #[serde(default, rename = "required_conversation_resolution")]
    _required_conversation_resolution: Option<Nothing>,
    #[serde(default, rename = "lock_branch")]
    _lock_branch: Option<Nothing>,
    #[serde(default, rename = "allow_fork_syncing")]
    _allow_fork_syncing: Option<Nothing>,
}

/// Null is a value; a field that is not there is an error.
fn needed<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChecksBody {
    strict: bool,
    #[serde(default)]
    contexts: Vec<String>,
    #[serde(default)]
    checks: Vec<CheckBody>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckBody {
    context: String,
    /// Any app may report, which is what -1 says.
    app_id: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReviewsBody {
    required_approving_review_count: Option<u32>,
    #[serde(default, rename = "dismissal_restrictions")]
    _dismissal_restrictions: Option<Nothing>,
    #[serde(default, rename = "bypass_pull_request_allowances")]
    _bypass_pull_request_allowances: Option<Nothing>,
    #[serde(default, rename = "dismiss_stale_reviews")]
    _dismiss_stale_reviews: Option<Nothing>,
    #[serde(default, rename = "require_code_owner_reviews")]
    _require_code_owner_reviews: Option<Nothing>,
    #[serde(default, rename = "require_last_push_approval")]
    _require_last_push_approval: Option<Nothing>,
}

pub(in crate::http) fn set_protection(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let branch = context.ask.param("branch").to_owned();
    let body: ProtectionBody = context.ask.json()?;
    let checks = body.required_status_checks.iter().flat_map(|checks| &checks.checks);
    if checks.into_iter().any(|check| check.app_id.is_some_and(|app| app != -1)) {
        let words = "checks are not bound to an app here; leave app_id out, or send -1";
        return Err(Problem::unprocessable(words));
    }
    if body.restrictions.is_some() {
        let words = "restrictions are not kept here; send null";
        return Err(Problem::unprocessable(words));
    }
    let checks = body.required_status_checks.map(|checks| {
        let named = checks.checks.into_iter().map(|check| check.context);
        let contexts: BTreeSet<String> = checks.contexts.into_iter().chain(named).collect();
        RequiredChecks { strict: checks.strict, contexts }
    });
    let reviews = body.required_pull_request_reviews;
    let protection = Protection {
        required_checks: checks,
        required_approvals: reviews
            .map(|reviews| reviews.required_approving_review_count.unwrap_or(1)),
        enforce_admins: body.enforce_admins.unwrap_or(false),
        allow_force_pushes: body.allow_force_pushes.unwrap_or(false),
        allow_deletions: body.allow_deletions.unwrap_or(false),
    };
    let call = SetProtection { branch, protection };
    let protection = context.call(call)?;
    render(context, &protection)
}

pub(in crate::http) fn delete_protection(
    context: &mut RequestContext<'_>,
) -> Result<Answer, Problem> {
    let branch = context.ask.param("branch").to_owned();
    context.call(DeleteProtection { branch })?;
    Ok(Answer::no_content())
}

pub(in crate::http) fn required_checks(
    context: &mut RequestContext<'_>,
) -> Result<Answer, Problem> {
    let branch = context.ask.param("branch").to_owned();
    let call = GetProtection { branch: branch.clone() };
    let protection = context.call(call)?;
    let checks = protection.required_checks.as_ref();
    let checks = checks.ok_or_else(|| Problem::new(404, "Required status checks not enabled"))?;
    let base = &context.site.settings.base_url;
    let url = format!("{base}/repos/{}/branches/{branch}/protection", context.ask.repo());
    Answer::ok(&RequiredChecksJson { url: &url, checks })
}

/// GitHub takes an object or a bare list.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum ContextsBody {
    Object { contexts: Vec<String> },
    List(Vec<String>),
}

pub(in crate::http) fn add_contexts(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let branch = context.ask.param("branch").to_owned();
    let contexts = match context.ask.json()? {
        ContextsBody::Object { contexts } | ContextsBody::List(contexts) => contexts,
    };
    let call = AddContexts { branch, contexts };
    let protection = context.call(call)?;
    let checks = protection.required_checks.unwrap_or_default();
    Answer::ok(&checks.contexts)
}

pub(in crate::http) fn rules(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let branch = context.ask.param("branch").to_owned();
    let rules = context.call(ListRules { branch })?;
    let (repo, page) = (context.ask.repo(), context.ask.page());
    let listing = Listing::of(&rules, page, Clone::clone);
    let body = each(&listing.items, |rule| RuleJson { repo: &repo, rule });
    Ok(Answer::ok(&body)?.paged(&listing))
}
