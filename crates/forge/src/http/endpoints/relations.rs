//! Sub-issues and dependencies; others are named by database id.

use serde::Deserialize;

use super::issues::render_list;
use crate::http::answer::Answer;
use crate::http::desk::Desk;
use crate::http::problem::Problem;
use crate::model::dependencies::{AddBlockedBy, ListBlockedBy, ListBlocking, RemoveBlockedBy};
use crate::model::issue_view::IssueView;
use crate::model::sub_issues::{AddSubIssue, GetParent, ListSubIssues, RemoveSubIssue};

pub(in crate::http) fn sub_issues(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (number, page) = (desk.ask.number("issue_number")?, desk.ask.page());
    let listing = desk.call(ListSubIssues { number, page })?;
    render_list(desk, &listing)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubIssueBody {
    sub_issue_id: u64,
    #[serde(default)]
    replace_parent: bool,
}

pub(in crate::http) fn add_sub_issue(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let number = desk.ask.number("issue_number")?;
    let SubIssueBody { sub_issue_id: child_id, replace_parent } = desk.ask.json()?;
    let call = AddSubIssue { number, child_id, replace_parent };
    let issue = desk.call(call)?;
    created(desk, &issue)
}

/// Without `replace_parent`: a removal has no other parent to choose.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RemovalBody {
    sub_issue_id: u64,
}

pub(in crate::http) fn remove_sub_issue(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let number = desk.ask.number("issue_number")?;
    let RemovalBody { sub_issue_id: child_id } = desk.ask.json()?;
    let issue = desk.call(RemoveSubIssue { number, child_id })?;
    Answer::ok(&desk.scene().issue(&issue))
}

pub(in crate::http) fn parent(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let number = desk.ask.number("issue_number")?;
    let issue = desk.call(GetParent { number })?;
    Ok(Answer::ok(&desk.scene().issue(&issue))?.modified(issue.updated_at))
}

pub(in crate::http) fn blocked_by(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (number, page) = (desk.ask.number("issue_number")?, desk.ask.page());
    let listing = desk.call(ListBlockedBy { number, page })?;
    render_list(desk, &listing)
}

pub(in crate::http) fn blocking(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (number, page) = (desk.ask.number("issue_number")?, desk.ask.page());
    let listing = desk.call(ListBlocking { number, page })?;
    render_list(desk, &listing)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockerBody {
    issue_id: u64,
}

pub(in crate::http) fn add_blocked_by(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let number = desk.ask.number("issue_number")?;
    let BlockerBody { issue_id: blocker_id } = desk.ask.json()?;
    let issue = desk.call(AddBlockedBy { number, blocker_id })?;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let list = format!("{}/repos/{repo}/issues/{number}/dependencies/blocked_by", scene.base);
    Ok(Answer::created(&scene.issue(&issue))?.at(list))
}

pub(in crate::http) fn remove_blocked_by(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let number = desk.ask.number("issue_number")?;
    let blocker_id = desk.ask.number("issue_id")?;
    let issue = desk.call(RemoveBlockedBy { number, blocker_id })?;
    Answer::ok(&desk.scene().issue(&issue))
}

fn created(desk: &Desk<'_>, issue: &IssueView) -> Result<Answer, Problem> {
    let scene = desk.scene();
    let location = format!("{}/repos/{}/issues/{}", scene.base, issue.repo, issue.number);
    Ok(Answer::created(&scene.issue(issue))?.at(location))
}
