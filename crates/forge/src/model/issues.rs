//! Issues, and what pulls share with them: number, title, body, state.

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::event::ThreadAction;
use super::issue_view::IssueView;
use super::permission::Permission;
use super::pulls::Pull;
use super::refusal::{DetailCode, Refusal};
use super::repository::{Repository, RepositoryId};
use super::request::{Operation, operations};
use super::timeline::{TimelineEntry, TimelineEvent};
use super::view::View;

/// The repository and number of an issue or pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct IssueKey {
    pub(crate) repository: RepositoryId,
    pub(crate) number: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Issue {
    pub(super) id: u64,
    pub(super) title: String,
    pub(super) body: String,
    pub(super) author: String,
    pub(super) state: IssueState,
    /// In the order of adding.
    pub(super) labels: Vec<u64>,
    pub(super) comments: Vec<u64>,
    pub(super) created_at: u64,
    pub(super) updated_at: u64,
    pub(super) timeline: Vec<TimelineEntry>,
    pub(super) parent: Option<IssueKey>,
    pub(super) sub_issues: Vec<IssueKey>,
    pub(super) blocked_by: Vec<IssueKey>,
    pub(super) blocking: Vec<IssueKey>,
    pub(super) pull: Option<Box<Pull>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IssueState {
    Open { reopened: bool },
    Closed { reason: CloseReason, by: String, at: u64 },
}

impl IssueState {
    #[must_use]
    pub fn is_open(&self) -> bool {
        match self {
            Self::Open { .. } => true,
            Self::Closed { .. } => false,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CloseReason {
    #[default]
    Completed,
    NotPlanned,
    Duplicate,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewIssue {
    pub title: String,
    pub body: String,
    /// Ignored when the author may not label.
    pub labels: Vec<String>,
}

/// Absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueEdit {
    pub title: Option<String>,
    pub body: Option<String>,
    pub state: Option<StateChange>,
    /// Exactly these. Ignored when the actor may not label.
    pub labels: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateChange {
    Close(CloseReason),
    Reopen,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateIssue(pub NewIssue);

operations! {
    GetIssue { number: u64 }
    EditIssue { number: u64, edit: IssueEdit }
}

impl Operation for CreateIssue {
    type Reply = IssueView;

    fn run(self, context: &mut Context<'_>) -> Result<IssueView, Refusal> {
        let Self(mut new) = self;
        context.view().need_issues(None)?;
        if context.view().permission() < Permission::Triage {
            new.labels.clear();
        }
        let key = context.open_issue(new)?;
        context.view().issue(key)
    }
}

impl Operation for GetIssue {
    type Reply = IssueView;

    fn run(self, context: &mut Context<'_>) -> Result<IssueView, Refusal> {
        let view = context.view();
        view.need_issues(Some(self.number))?;
        view.issue(view.key(self.number))
    }
}

impl Operation for EditIssue {
    type Reply = IssueView;

    fn run(self, context: &mut Context<'_>) -> Result<IssueView, Refusal> {
        let key = context.key(self.number);
        context.view().need_issues(Some(self.number))?;
        context.view().may_edit(key, &self.edit)?;
        context.edit_issue(key, self.edit)?;
        context.view().issue(key)
    }
}

impl Repository {
    pub(super) fn issue(&self, number: u64) -> Result<&Issue, Refusal> {
        self.issues.get(&number).ok_or_else(Refusal::not_found)
    }
}

impl View<'_> {
    /// Refuses requests where issues are switched off. Pulls still read as issues there.
    pub(super) fn need_issues(self, number: Option<u64>) -> Result<(), Refusal> {
        let repo = self.repo()?;
        let is_pull = number.is_some_and(|number| repo.pull(number).is_ok());
        if is_pull || repo.settings.has_issues {
            return Ok(());
        }
        Err(Refusal::gone("Issues are disabled for this repo"))
    }

    /// Authors may edit and close what they wrote; others need triage to close, write to edit.
    pub(super) fn may_edit(self, key: IssueKey, edit: &IssueEdit) -> Result<(), Refusal> {
        if self.forge.issue_at(key)?.author == self.viewer {
            return Ok(());
        }
        let rewrites = edit.title.is_some() || edit.body.is_some();
        self.need(if rewrites { Permission::Write } else { Permission::Triage })
    }
}

impl Context<'_> {
    /// Opens an issue and applies its labels without asking for rights, as a template does.
    pub(super) fn open_issue(&mut self, new: NewIssue) -> Result<IssueKey, Refusal> {
        check_title("Issue", &new.title)?;
        self.repo()?.check_names(&new.labels)?;
        let key = self.open_thread(new.title, new.body, None)?;
        self.emit_thread(key, ThreadAction::Opened);
        self.put_labels(key, &new.labels)?;
        self.cross_reference(key)?;
        Ok(key)
    }

    /// Takes the next number, which issues and pulls share.
    pub(super) fn open_thread(
        &mut self,
        title: String,
        body: String,
        pull: Option<Box<Pull>>,
    ) -> Result<IssueKey, Refusal> {
        let id = self.forge.next_id();
        let (now, author) = (self.now, self.actor.clone());
        let is_pull = pull.is_some();
        let repo = self.repo_mut()?;
        repo.open_threads += 1;
        repo.last_number += 1;
        let number = repo.last_number;
        if is_pull {
            repo.pulls.insert(number);
            repo.open_pulls.insert(number);
        }
        let issue = Issue {
            id,
            title,
            body,
            author,
            state: IssueState::Open { reopened: false },
            labels: Vec::new(),
            comments: Vec::new(),
            created_at: now,
            updated_at: now,
            timeline: Vec::new(),
            parent: None,
            sub_issues: Vec::new(),
            blocked_by: Vec::new(),
            blocking: Vec::new(),
            pull,
        };
        repo.issues.insert(number, issue);
        let key = self.key(number);
        self.forge.issue_ids.insert(id, key);
        Ok(key)
    }

    pub(super) fn edit_issue(&mut self, key: IssueKey, edit: IssueEdit) -> Result<(), Refusal> {
        if let Some(title) = &edit.title {
            check_title("Issue", title)?;
        }
        if edit.state == Some(StateChange::Reopen) {
            self.view().may_reopen(key)?;
        }
        let may_label = self.view().permission() >= Permission::Triage;
        if let Some(labels) = edit.labels.filter(|_labels| may_label) {
            self.set_labels(key, &labels)?;
        }
        self.rewrite(key, edit.title, edit.body)?;
        match edit.state {
            Some(StateChange::Close(reason)) => self.close(key, reason, None),
            Some(StateChange::Reopen) => self.reopen(key),
            None => Ok(()),
        }
    }

    fn rewrite(
        &mut self,
        key: IssueKey,
        title: Option<String>,
        body: Option<String>,
    ) -> Result<(), Refusal> {
        let issue = self.issue_at(key)?;
        let title = title.filter(|title| *title != issue.title);
        let body = body.filter(|body| *body != issue.body);
        if title.is_none() && body.is_none() {
            return Ok(());
        }
        if let Some(body) = body {
            self.touch(key)?.body = body;
            self.cross_reference(key)?;
        }
        if let Some(to) = title {
            let from = std::mem::replace(&mut self.touch(key)?.title, to.clone());
            self.record(key, TimelineEvent::Renamed { from, to })?;
        }
        self.emit_thread(key, ThreadAction::Edited);
        Ok(())
    }
}

pub(super) fn check_title(resource: &'static str, title: &str) -> Result<(), Refusal> {
    if title.trim().is_empty() {
        return Err(Refusal::invalid(resource, "title", DetailCode::MissingField));
    }
    Ok(())
}
