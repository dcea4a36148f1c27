//! Commit statuses.

use serde::Deserialize;

use super::pulls::seen;
use crate::http::answer::Answer;
use crate::http::ask::parse_sha;
use crate::http::problem::Problem;
use crate::http::render::each;
use crate::http::render::status::{CombinedJson, StatusJson};
use crate::http::request_context::RequestContext;
use crate::model::paging::Listing;
use crate::model::refusal::DetailCode;
use crate::model::statuses::{CreateStatus, GetCombinedStatus, ListStatuses};
use crate::model::statuses::{NewStatus, StatusState};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewStatusBody {
    state: String,
    context: Option<String>,
    description: Option<String>,
    target_url: Option<String>,
}

pub(in crate::http) fn create(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let sha = parse_sha("Status", context.ask.param("sha"))?;
    let body: NewStatusBody = context.ask.json()?;
    let state = match body.state.as_str() {
        "pending" => StatusState::Pending,
        "success" => StatusState::Success,
        "failure" => StatusState::Failure,
        "error" => StatusState::Error,
        _ => return Err(Problem::invalid("Status", "state", DetailCode::Invalid)),
    };
    let status = NewStatus {
        context: body.context.unwrap_or_else(|| "default".to_owned()),
        state,
        description: body.description,
        target_url: body.target_url,
    };
    let status = context.call(CreateStatus { sha, status })?;
    let (render, repo) = (context.render(), context.ask.repo());
    let location = format!("{}/repos/{repo}/statuses/{sha}", render.base);
    let body = StatusJson { render: &render, repo: &repo, status: &status, with_creator: true };
    Ok(Answer::created(&body)?.at(location))
}

pub(in crate::http) fn list(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (reference, page) = (context.ask.param("ref").to_owned(), context.ask.page());
    let listing = context.call(ListStatuses { reference, page })?;
    let (render, repo) = (context.render(), context.ask.repo());
    let body = each(&listing.items, |status| StatusJson {
        render: &render,
        repo: &repo,
        status,
        with_creator: true,
    });
    Ok(Answer::ok(&body)?.paged(&listing))
}

pub(in crate::http) fn combined(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let reference = context.ask.param("ref").to_owned();
    let call = GetCombinedStatus { reference };
    let page = context.ask.page();
    let combined = context.call(call)?;
    let listing = Listing::of(&combined.statuses, page, Clone::clone);
    let (render, repository) = (context.render(), seen(context)?);
    let body = CombinedJson {
        render: &render,
        repository: &repository,
        combined: &combined,
        listed: &listing.items,
    };
    Ok(Answer::ok(&body)?.paged(&listing))
}
