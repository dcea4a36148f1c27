//! Comments on issues and pulls.

use serde::Deserialize;

use crate::http::answer::Answer;
use crate::http::problem::Problem;
use crate::http::render::comment::CommentJson;
use crate::http::render::each;
use crate::http::request_context::RequestContext;
use crate::model::comments::{CommentFilter, CommentSort, CommentView};
use crate::model::comments::{
    CreateComment, DeleteComment, EditComment, GetComment, ListComments, ListRepositoryComments,
};
use crate::model::paging::{Direction, Listing};

pub(in crate::http) fn list_all(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let ask = &context.ask;
    let sorted_by = ask.choice("sort", &["created", "updated"])?;
    let sort = match sorted_by {
        Some("updated") => CommentSort::Updated,
        Some(_) | None => CommentSort::Created,
    };
    // GitHub heeds the direction only if something is to be sorted by, and says so.
    let wanted = ask.direction(Direction::Descending)?;
    let direction = if sorted_by.is_some() { wanted } else { Direction::Ascending };
    let filter = CommentFilter { since: ask.since()?, sort, direction };
    let page = ask.page();
    let listing = context.call(ListRepositoryComments { filter, page })?;
    render_list(context, &listing)
}

pub(in crate::http) fn list(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let ask = &context.ask;
    let (number, since, page) = (ask.number("issue_number")?, ask.since()?, ask.page());
    let listing = context.call(ListComments { number, since, page })?;
    render_list(context, &listing)
}

fn render_list(
    context: &RequestContext<'_>,
    listing: &Listing<CommentView>,
) -> Result<Answer, Problem> {
    let (render, repo) = (context.render(), context.ask.repo());
    let body =
        each(&listing.items, |comment| CommentJson { render: &render, repo: &repo, comment });
    Ok(Answer::ok(&body)?.paged(listing))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommentBody {
    body: String,
}

pub(in crate::http) fn create(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("issue_number")?;
    let CommentBody { body } = context.ask.json()?;
    let comment = context.call(CreateComment { number, body })?;
    let (render, repo) = (context.render(), context.ask.repo());
    let location = format!("{}/repos/{repo}/issues/comments/{}", render.base, comment.comment.id);
    let body = CommentJson { render: &render, repo: &repo, comment: &comment };
    Ok(Answer::created(&body)?.at(location))
}

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let id = context.ask.number("comment_id")?;
    let comment = context.call(GetComment { id })?;
    Ok(one(context, &comment)?.modified(comment.comment.updated_at))
}

pub(in crate::http) fn edit(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let id = context.ask.number("comment_id")?;
    let CommentBody { body } = context.ask.json()?;
    let comment = context.call(EditComment { id, body })?;
    one(context, &comment)
}

pub(in crate::http) fn delete(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let id = context.ask.number("comment_id")?;
    context.call(DeleteComment { id })?;
    Ok(Answer::no_content())
}

fn one(context: &RequestContext<'_>, comment: &CommentView) -> Result<Answer, Problem> {
    let (render, repo) = (context.render(), context.ask.repo());
    Answer::ok(&CommentJson { render: &render, repo: &repo, comment })
}
