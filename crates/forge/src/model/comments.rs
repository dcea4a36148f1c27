//! Comments on issues and pulls.

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::event::{CommentAction, EventKind};
use super::paging::{Direction, Listing, Page};
use super::permission::{Association, Permission};
use super::refusal::{DetailCode, Refusal};
use super::repository::Repository;
use super::request::{Operation, operations};
use super::timeline::TimelineEvent;
use super::view::View;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    pub id: u64,
    /// The issue or pull it is on.
    pub number: u64,
    pub author: String,
    pub body: String,
    pub created_at: u64,
    pub updated_at: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentView {
    pub comment: Comment,
    pub association: Association,
}

/// For the list of a whole repository. The default is ascending by time of making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommentFilter {
    /// Changed at or after this moment, in unix seconds.
    pub since: Option<u64>,
    pub sort: CommentSort,
    pub direction: Direction,
}

impl Default for CommentFilter {
    fn default() -> Self {
        Self { since: None, sort: CommentSort::Created, direction: Direction::Ascending }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentSort {
    Created,
    Updated,
}

operations! {
    CreateComment { number: u64, body: String }
    GetComment { id: u64 }
    EditComment { id: u64, body: String }
    DeleteComment { id: u64 }
    /// Returns the comments of one issue. They ascend by id; GitHub takes no other order.
    ListComments { number: u64, since: Option<u64>, page: Page }
    /// Returns the comments of the repository.
    ListRepositoryComments { filter: CommentFilter, page: Page }
}

impl Repository {
    fn comment(&self, id: u64) -> Result<&Comment, Refusal> {
        self.comments.get(&id).ok_or_else(Refusal::not_found)
    }

    pub(super) fn comment_view(&self, comment: &Comment) -> CommentView {
        let association = self.association_of(&comment.author);
        CommentView { comment: comment.clone(), association }
    }
}

impl View<'_> {
    /// Returns the issue of a comment. Authors may change their comments; others need write access.
    fn may_change_comment(self, id: u64) -> Result<u64, Refusal> {
        let comment = self.repo()?.comment(id)?;
        if comment.author != self.viewer {
            self.need(Permission::Write)?;
        }
        Ok(comment.number)
    }
}

impl Operation for CreateComment {
    type Reply = CommentView;

    fn run(self, context: &mut Context<'_>) -> Result<CommentView, Refusal> {
        let Self { number, body } = self;
        let key = context.key(number);
        context.issue_at(key)?;
        check_body(&body)?;
        let id = context.forge.next_id();
        let (author, now) = (context.actor.clone(), context.now);
        let comment = Comment { id, number, author, body, created_at: now, updated_at: now };
        context.mention(key, &comment.body)?;
        context.repo_mut()?.comments.insert(id, comment);
        context.touch(key)?.comments.push(id);
        context.record(key, TimelineEvent::Commented { comment: id })?;
        let action = CommentAction::Created;
        context.emit(EventKind::Comment { number, comment: id, action, before: None });
        GetComment { id }.run(context)
    }
}

impl Operation for GetComment {
    type Reply = CommentView;

    fn run(self, context: &mut Context<'_>) -> Result<CommentView, Refusal> {
        let repo = context.repo()?;
        Ok(repo.comment_view(repo.comment(self.id)?))
    }
}

impl Operation for EditComment {
    type Reply = CommentView;

    fn run(self, context: &mut Context<'_>) -> Result<CommentView, Refusal> {
        let Self { id, body } = self;
        let number = context.view().may_change_comment(id)?;
        check_body(&body)?;
        let key = context.key(number);
        context.mention(key, &body)?;
        let now = context.now;
        let mut before = None;
        if let Some(comment) = context.repo_mut()?.comments.get_mut(&id) {
            before = Some(Box::new(comment.clone()));
            comment.body = body;
            comment.updated_at = now;
        }
        context.touch(key)?;
        let action = CommentAction::Edited;
        context.emit(EventKind::Comment { number, comment: id, action, before });
        GetComment { id }.run(context)
    }
}

impl Operation for DeleteComment {
    type Reply = ();

    fn run(self, context: &mut Context<'_>) -> Result<(), Refusal> {
        let id = self.id;
        let number = context.view().may_change_comment(id)?;
        let before = context.repo_mut()?.comments.remove(&id).map(Box::new);
        let issue = context.touch(context.key(number))?;
        issue.comments.retain(|comment| *comment != id);
        issue.timeline.retain(|entry| entry.event != TimelineEvent::Commented { comment: id });
        let action = CommentAction::Deleted;
        context.emit(EventKind::Comment { number, comment: id, action, before });
        Ok(())
    }
}

impl Operation for ListComments {
    type Reply = Listing<CommentView>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<CommentView>, Refusal> {
        let repo = context.repo()?;
        let ids = &repo.issue(self.number)?.comments;
        let mut found: Vec<&Comment> = ids.iter().filter_map(|id| repo.comments.get(id)).collect();
        found.retain(|comment| self.since.is_none_or(|since| comment.updated_at >= since));
        Ok(Listing::of(&found, self.page, |comment| repo.comment_view(comment)))
    }
}

impl Operation for ListRepositoryComments {
    type Reply = Listing<CommentView>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<CommentView>, Refusal> {
        let (repo, filter) = (context.repo()?, self.filter);
        let mut found: Vec<&Comment> = repo.comments.values().collect();
        found.retain(|found| filter.since.is_none_or(|since| found.updated_at >= since));
        match filter.sort {
            CommentSort::Created => {}
            CommentSort::Updated => found.sort_by_key(|comment| comment.updated_at),
        }
        filter.direction.apply(&mut found);
        Ok(Listing::of(&found, self.page, |comment| repo.comment_view(comment)))
    }
}

/// GitHub's limit on bodies, in characters.
const BODY_CHARACTERS_MAX: usize = 65_536;

fn check_body(body: &str) -> Result<(), Refusal> {
    if body.trim().is_empty() {
        return Err(Refusal::invalid("IssueComment", "body", DetailCode::MissingField));
    }
    if body.chars().count() > BODY_CHARACTERS_MAX {
        let words = format!("Body is too long (maximum is {BODY_CHARACTERS_MAX} characters)");
        return Err(Refusal::custom("IssueComment", words));
    }
    Ok(())
}
