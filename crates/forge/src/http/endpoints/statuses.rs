//! Commit statuses.

use serde::Deserialize;

use super::pulls::seen;
use crate::http::answer::Answer;
use crate::http::ask::parse_sha;
use crate::http::desk::Desk;
use crate::http::problem::Problem;
use crate::http::render::each;
use crate::http::render::status::{CombinedJson, StatusJson};
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

pub(in crate::http) fn create(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let sha = parse_sha("Status", desk.ask.param("sha"))?;
    let body: NewStatusBody = desk.ask.json()?;
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
    let status = desk.call(CreateStatus { sha, status })?;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let location = format!("{}/repos/{repo}/statuses/{sha}", scene.base);
    let body = StatusJson { scene: &scene, repo: &repo, status: &status, with_creator: true };
    Ok(Answer::created(&body)?.at(location))
}

pub(in crate::http) fn list(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (reference, page) = (desk.ask.param("ref").to_owned(), desk.ask.page());
    let listing = desk.call(ListStatuses { reference, page })?;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = each(&listing.items, |status| StatusJson {
        scene: &scene,
        repo: &repo,
        status,
        with_creator: true,
    });
    Ok(Answer::ok(&body)?.paged(&listing))
}

pub(in crate::http) fn combined(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let reference = desk.ask.param("ref").to_owned();
    let call = GetCombinedStatus { reference };
    let page = desk.ask.page();
    let combined = desk.call(call)?;
    let listing = Listing::of(&combined.statuses, page, Clone::clone);
    let (scene, repository) = (desk.scene(), seen(desk)?);
    let body = CombinedJson {
        scene: &scene,
        repository: &repository,
        combined: &combined,
        listed: &listing.items,
    };
    Ok(Answer::ok(&body)?.paged(&listing))
}
