//! Reviews of pulls.

use serde::Deserialize;

use crate::http::answer::Answer;
use crate::http::ask::parse_sha;
use crate::http::nothing::Nothing;
use crate::http::problem::Problem;
use crate::http::render::review::ReviewJson;
use crate::http::render::{NONE, each};
use crate::http::request_context::RequestContext;
use crate::model::paging::Direction;
use crate::model::pull_view::ListPullCommits;
use crate::model::reviews::ReviewVerdict;
use crate::model::reviews::{CreateReview, ListReviews};

pub(in crate::http) fn list(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (number, page) = (context.ask.number("pull_number")?, context.ask.page());
    let listing = context.call(ListReviews { number, page })?;
    let (render, repo) = (context.render(), context.ask.repo());
    let body = each(&listing.items, |review| ReviewJson { render: &render, repo: &repo, review });
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

pub(in crate::http) fn create(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("pull_number")?;
    let body: NewReviewBody = context.ask.json()?;
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
    let review = context.call(call)?;
    let (render, repo) = (context.render(), context.ask.repo());
    Answer::ok(&ReviewJson { render: &render, repo: &repo, review: &review })
}

/// Comments on lines are not kept, so there are none.
pub(in crate::http) fn comments(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    // There are none, in whatever order and since whenever.
    context.ask.choice("sort", &["created", "updated"])?;
    context.ask.direction(Direction::Descending)?;
    context.ask.since()?;
    let (number, page) = (context.ask.number("pull_number")?, context.ask.page());
    context.call(ListPullCommits { number, page })?;
    Answer::ok(&NONE)
}
