//! Comments on issues and pulls.

use serde::{Deserialize, Serialize};

use super::behaviour::Behaviour;
use super::event::{CommentAction, EventKind};
use super::paging::{Direction, Listing, Page};
use super::permission::{Association, Permission};
use super::refusal::{DetailCode, Refusal};
use super::reply::{Reply, Response};
use super::timeline::TimelineEvent;
use super::turn::Turn;

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

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommentCall {
    /// → `Comment`
    Create { number: u64, body: String },
    /// → `Comment`
    Get { id: u64 },
    /// → `Comment`
    Edit { id: u64, body: String },
    /// → `Done`
    Delete { id: u64 },
    /// → `Comments` of one issue, ascending by id, whatever one would like
    List { number: u64, since: Option<u64>, page: Page },
    /// → `Comments` of the repository
    ListAll { filter: CommentFilter, page: Page },
}

impl Turn<'_> {
    pub(super) fn comment_call(&mut self, call: CommentCall) -> Response {
        match call {
            CommentCall::Create { number, body } => self.create_comment(number, body),
            CommentCall::Get { id } => self.comment_reply(id),
            CommentCall::Edit { id, body } => self.edit_comment(id, body),
            CommentCall::Delete { id } => self.delete_comment(id),
            CommentCall::List { number, since, page } => {
                let repo = self.repo()?;
                let ids = &self.issue(number)?.comments;
                let mut found: Vec<&Comment> =
                    ids.iter().filter_map(|id| repo.comments.get(id)).collect();
                found.retain(|comment| since.is_none_or(|since| comment.updated_at >= since));
                if !self.holds(Behaviour::CommentsAscend) {
                    found.reverse();
                }
                self.comments_reply(&found, page)
            }
            CommentCall::ListAll { filter, page } => {
                let mut found: Vec<&Comment> = self.repo()?.comments.values().collect();
                found.retain(|found| filter.since.is_none_or(|since| found.updated_at >= since));
                match filter.sort {
                    CommentSort::Created => {}
                    CommentSort::Updated => found.sort_by_key(|comment| comment.updated_at),
                }
                filter.direction.apply(&mut found);
                self.comments_reply(&found, page)
            }
        }
    }

    fn comment(&self, id: u64) -> Result<&Comment, Refusal> {
        self.repo()?.comments.get(&id).ok_or_else(Refusal::not_found)
    }

    fn comment_reply(&self, id: u64) -> Response {
        let comment = self.comment(id)?.clone();
        let association = self.repo()?.association_of(&comment.author);
        Ok(Reply::Comment(Box::new(CommentView { comment, association })))
    }

    fn comments_reply(&self, found: &[&Comment], page: Page) -> Response {
        let repo = self.repo()?;
        let view = |comment: &&Comment| CommentView {
            comment: (*comment).clone(),
            association: repo.association_of(&comment.author),
        };
        Ok(Reply::Comments(Listing::of(found, page, view)))
    }

    fn create_comment(&mut self, number: u64, body: String) -> Response {
        self.issue(number)?;
        check_body(&body)?;
        let key = self.key(number);
        let id = self.forge.next_id();
        let (author, now) = (self.actor.clone(), self.now);
        let comment = Comment { id, number, author, body, created_at: now, updated_at: now };
        self.mention(key, &comment.body)?;
        self.repo_mut()?.comments.insert(id, comment);
        self.touch(key)?.comments.push(id);
        self.record(key, TimelineEvent::Commented { comment: id })?;
        let action = CommentAction::Created;
        self.emit(EventKind::Comment { number, comment: id, action, before: None });
        self.comment_reply(id)
    }

    fn edit_comment(&mut self, id: u64, body: String) -> Response {
        let number = self.may_change_comment(id)?;
        check_body(&body)?;
        let key = self.key(number);
        self.mention(key, &body)?;
        let now = self.now;
        let mut before = None;
        if let Some(comment) = self.repo_mut()?.comments.get_mut(&id) {
            before = Some(Box::new(comment.clone()));
            comment.body = body;
            comment.updated_at = now;
        }
        self.touch(key)?;
        let action = CommentAction::Edited;
        self.emit(EventKind::Comment { number, comment: id, action, before });
        self.comment_reply(id)
    }

    fn delete_comment(&mut self, id: u64) -> Response {
        let number = self.may_change_comment(id)?;
        let before = self.repo_mut()?.comments.remove(&id).map(Box::new);
        let issue = self.touch(self.key(number))?;
        issue.comments.retain(|comment| *comment != id);
        issue.timeline.retain(|entry| entry.event != TimelineEvent::Commented { comment: id });
        let action = CommentAction::Deleted;
        self.emit(EventKind::Comment { number, comment: id, action, before });
        Ok(Reply::Done)
    }

    /// Authors may change their own; for those of others one needs write access.
    fn may_change_comment(&self, id: u64) -> Result<u64, Refusal> {
        let comment = self.comment(id)?;
        if comment.author != self.actor {
            self.need(Permission::Write)?;
        }
        Ok(comment.number)
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
