//! Comments on issues and pulls.

use serde::Deserialize;

use crate::http::answer::Answer;
use crate::http::desk::Desk;
use crate::http::problem::Problem;
use crate::http::render::comment::CommentJson;
use crate::http::render::each;
use crate::model::comments::{CommentFilter, CommentSort, CommentView};
use crate::model::comments::{
    CreateComment, DeleteComment, EditComment, GetComment, ListComments, ListRepositoryComments,
};
use crate::model::paging::{Direction, Listing};

pub(in crate::http) fn list_all(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let ask = &desk.ask;
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
    let listing = desk.call(ListRepositoryComments { filter, page })?;
    render_list(desk, &listing)
}

pub(in crate::http) fn list(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let ask = &desk.ask;
    let (number, since, page) = (ask.number("issue_number")?, ask.since()?, ask.page());
    let listing = desk.call(ListComments { number, since, page })?;
    render_list(desk, &listing)
}

fn render_list(desk: &Desk<'_>, listing: &Listing<CommentView>) -> Result<Answer, Problem> {
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = each(&listing.items, |comment| CommentJson { scene: &scene, repo: &repo, comment });
    Ok(Answer::ok(&body)?.paged(listing))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommentBody {
    body: String,
}

pub(in crate::http) fn create(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let number = desk.ask.number("issue_number")?;
    let CommentBody { body } = desk.ask.json()?;
    let comment = desk.call(CreateComment { number, body })?;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let location = format!("{}/repos/{repo}/issues/comments/{}", scene.base, comment.comment.id);
    let body = CommentJson { scene: &scene, repo: &repo, comment: &comment };
    Ok(Answer::created(&body)?.at(location))
}

pub(in crate::http) fn show(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let id = desk.ask.number("comment_id")?;
    let comment = desk.call(GetComment { id })?;
    Ok(one(desk, &comment)?.modified(comment.comment.updated_at))
}

pub(in crate::http) fn edit(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let id = desk.ask.number("comment_id")?;
    let CommentBody { body } = desk.ask.json()?;
    let comment = desk.call(EditComment { id, body })?;
    one(desk, &comment)
}

pub(in crate::http) fn delete(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let id = desk.ask.number("comment_id")?;
    desk.call(DeleteComment { id })?;
    Ok(Answer::no_content())
}

fn one(desk: &Desk<'_>, comment: &CommentView) -> Result<Answer, Problem> {
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    Answer::ok(&CommentJson { scene: &scene, repo: &repo, comment })
}
