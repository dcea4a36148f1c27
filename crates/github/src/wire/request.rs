//! The bodies of our requests.

use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct AddLabels<'a> {
    pub(crate) labels: [&'a str; 1],
}

/// The new text of a comment, an issue or a pull request.
#[derive(Serialize)]
pub(crate) struct Text<'a> {
    pub(crate) body: &'a str,
}

#[derive(Serialize)]
pub(crate) struct Close {
    pub(crate) state: &'static str,
    pub(crate) state_reason: &'static str,
}

#[derive(Serialize)]
pub(crate) struct OpenIssue<'a> {
    pub(crate) title: &'a str,
    pub(crate) body: &'a str,
}

#[derive(Serialize)]
pub(crate) struct OpenPull<'a> {
    pub(crate) title: &'a str,
    pub(crate) body: &'a str,
    pub(crate) head: &'a str,
    pub(crate) base: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) draft: bool,
}

#[derive(Serialize)]
pub(crate) struct ClosePull {
    pub(crate) state: &'static str,
}

#[derive(Serialize)]
pub(crate) struct Merge<'a> {
    /// The head that is meant; another one is refused.
    pub(crate) sha: &'a str,
    pub(crate) merge_method: &'static str,
}

#[derive(Serialize)]
pub(crate) struct UpdateBranch<'a> {
    /// The head that is meant; another one is refused.
    pub(crate) expected_head_sha: &'a str,
}

#[derive(Serialize)]
pub(crate) struct Label<'a> {
    /// Left out when a label is edited: it keeps its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<&'a str>,
    pub(crate) color: &'a str,
    pub(crate) description: &'a str,
}

#[derive(Serialize)]
pub(crate) struct CreateRef<'a> {
    #[serde(rename = "ref")]
    pub(crate) reference: &'a str,
    pub(crate) sha: &'a str,
}

/// Moves a reference, forward only unless it is forced.
#[derive(Serialize)]
pub(crate) struct UpdateRef<'a> {
    pub(crate) sha: &'a str,
    pub(crate) force: bool,
}

#[derive(Serialize)]
pub(crate) struct CreateCommit<'a> {
    pub(crate) message: &'a str,
    pub(crate) tree: &'a str,
    pub(crate) parents: &'a [&'a str],
}

/// Checks that a branch is to require beside those it requires already.
#[derive(Serialize)]
pub(crate) struct AddContexts<'a> {
    pub(crate) contexts: &'a [&'a str],
}

/// The whole protection of a branch that has none.
#[derive(Serialize)]
pub(crate) struct Protect<'a> {
    pub(crate) required_status_checks: RequireChecks<'a>,
    pub(crate) enforce_admins: bool,
    pub(crate) required_pull_request_reviews: Option<()>,
    pub(crate) restrictions: Option<()>,
}

#[derive(Serialize)]
pub(crate) struct RequireChecks<'a> {
    pub(crate) strict: bool,
    pub(crate) contexts: &'a [&'a str],
}

/// A request that its path says all about.
#[derive(Serialize)]
pub(crate) struct Nothing {}
