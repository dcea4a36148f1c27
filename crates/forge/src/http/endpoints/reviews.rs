//! Reviews of pulls.

use serde::Deserialize;

use crate::http::answer::Answer;
use crate::http::ask::parse_sha;
use crate::http::desk::Desk;
use crate::http::nothing::Nothing;
use crate::http::problem::Problem;
use crate::http::render::review::ReviewJson;
use crate::http::render::{NONE, each};
use crate::model::paging::Direction;
use crate::model::pull_view::ListPullCommits;
use crate::model::reviews::ReviewVerdict;
use crate::model::reviews::{CreateReview, ListReviews};

pub(in crate::http) fn list(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (number, page) = (desk.ask.number("pull_number")?, desk.ask.page());
    let listing = desk.call(ListReviews { number, page })?;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = each(&listing.items, |review| ReviewJson { scene: &scene, repo: &repo, review });
    Ok(Answer::ok(&body)?.paged(&listing))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewReviewBody {
    event: Option<String>,
    body: Option<String>,
    commit_id: Option<String>,
    /// Comments on lines are not kept here.
    #[serde(default, rename = "comments")]
    _comments: Option<Nothing>,
}

pub(in crate::http) fn create(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let number = desk.ask.number("pull_number")?;
    let body: NewReviewBody = desk.ask.json()?;
    let verdict = match body.event.as_deref() {
        Some("APPROVE") => ReviewVerdict::Approved,
        Some("REQUEST_CHANGES") => ReviewVerdict::ChangesRequested,
        Some("COMMENT") => ReviewVerdict::Commented,
        Some(_) | None => {
            let words = "event is none of APPROVE, REQUEST_CHANGES and COMMENT; \
                         pending reviews are not kept here";
            return Err(Problem::unprocessable(words));
        }
    };
    let commit = body.commit_id.as_deref();
    let commit = commit.map(|sha| parse_sha("PullRequestReview", sha)).transpose()?;
    let text = body.body.unwrap_or_default();
    let call = CreateReview { number, verdict, body: text, commit };
    let review = desk.call(call)?;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    Answer::ok(&ReviewJson { scene: &scene, repo: &repo, review: &review })
}

/// Comments on lines are not kept, so there are none.
pub(in crate::http) fn comments(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    // There are none, in whatever order and since whenever.
    desk.ask.choice("sort", &["created", "updated"])?;
    desk.ask.direction(Direction::Descending)?;
    desk.ask.since()?;
    let (number, page) = (desk.ask.number("pull_number")?, desk.ask.page());
    desk.call(ListPullCommits { number, page })?;
    Answer::ok(&NONE)
}
