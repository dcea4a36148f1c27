//! Sub-issues and dependencies; others are named by database id.

use serde::Deserialize;

use super::issues::render_list;
use crate::http::answer::Answer;
use crate::http::problem::Problem;
use crate::http::request_context::RequestContext;
use crate::model::dependencies::{AddBlockedBy, ListBlockedBy, ListBlocking, RemoveBlockedBy};
use crate::model::issue_view::IssueView;
use crate::model::sub_issues::{AddSubIssue, GetParent, ListSubIssues, RemoveSubIssue};

pub(in crate::http) fn sub_issues(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (number, page) = (context.ask.number("issue_number")?, context.ask.page());
    let listing = context.call(ListSubIssues { number, page })?;
    render_list(context, &listing)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubIssueBody {
    sub_issue_id: u64,
    #[serde(default)]
    replace_parent: bool,
}

pub(in crate::http) fn add_sub_issue(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("issue_number")?;
    let SubIssueBody { sub_issue_id: child_id, replace_parent } = context.ask.json()?;
    let call = AddSubIssue { number, child_id, replace_parent };
    let issue = context.call(call)?;
    created(context, &issue)
}

/// Without `replace_parent`: a removal has no other parent to choose.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RemovalBody {
    sub_issue_id: u64,
}

pub(in crate::http) fn remove_sub_issue(
    context: &mut RequestContext<'_>,
) -> Result<Answer, Problem> {
    let number = context.ask.number("issue_number")?;
    let RemovalBody { sub_issue_id: child_id } = context.ask.json()?;
    let issue = context.call(RemoveSubIssue { number, child_id })?;
    Answer::ok(&context.render().issue(&issue))
}

pub(in crate::http) fn parent(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("issue_number")?;
    let issue = context.call(GetParent { number })?;
    Ok(Answer::ok(&context.render().issue(&issue))?.modified(issue.updated_at))
}

pub(in crate::http) fn blocked_by(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (number, page) = (context.ask.number("issue_number")?, context.ask.page());
    let listing = context.call(ListBlockedBy { number, page })?;
    render_list(context, &listing)
}

pub(in crate::http) fn blocking(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (number, page) = (context.ask.number("issue_number")?, context.ask.page());
    let listing = context.call(ListBlocking { number, page })?;
    render_list(context, &listing)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockerBody {
    issue_id: u64,
}

pub(in crate::http) fn add_blocked_by(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("issue_number")?;
    let BlockerBody { issue_id: blocker_id } = context.ask.json()?;
    let issue = context.call(AddBlockedBy { number, blocker_id })?;
    let (render, repo) = (context.render(), context.ask.repo());
    let list = format!("{}/repos/{repo}/issues/{number}/dependencies/blocked_by", render.base);
    Ok(Answer::created(&render.issue(&issue))?.at(list))
}

pub(in crate::http) fn remove_blocked_by(
    context: &mut RequestContext<'_>,
) -> Result<Answer, Problem> {
    let number = context.ask.number("issue_number")?;
    let blocker_id = context.ask.number("issue_id")?;
    let issue = context.call(RemoveBlockedBy { number, blocker_id })?;
    Answer::ok(&context.render().issue(&issue))
}

fn created(context: &RequestContext<'_>, issue: &IssueView) -> Result<Answer, Problem> {
    let render = context.render();
    let location = format!("{}/repos/{}/issues/{}", render.base, issue.repo, issue.number);
    Ok(Answer::created(&render.issue(issue))?.at(location))
}
