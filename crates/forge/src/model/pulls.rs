//! Pulls: an issue with two branches, which it follows until it is closed.

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::event::{EventKind, ThreadAction};
use super::issues::{IssueEdit, IssueKey, StateChange, check_title};
use super::mergeability::Judgement;
use super::permission::Permission;
use super::pull_view::PullView;
use super::refusal::{DetailCode, Refusal};
use super::repository::Repository;
use super::request::{Operation, operations};
use super::timeline::TimelineEvent;
use crate::git::sha::Sha;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Pull {
    pub(super) head: String,
    /// Follows the head branch while the pull is open.
    pub(super) head_sha: Sha,
    pub(super) base: String,
    /// The base's tip when the pull last changed; the branch itself may be further on.
    pub(super) base_sha: Sha,
    pub(super) draft: bool,
    pub(super) merged: Option<MergeRecord>,
    pub(super) judgement: Option<Judgement>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeRecord {
    pub by: String,
    pub at: u64,
    pub commit: Sha,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewPull {
    pub title: String,
    pub body: String,
    /// A branch of the same repository.
    pub head: String,
    pub base: String,
    pub draft: bool,
}

/// Absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PullEdit {
    pub title: Option<String>,
    pub body: Option<String>,
    pub state: Option<StateChange>,
    pub base: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatePull(pub NewPull);

operations! {
    /// Returns a pull, and starts to compute its mergeability if it is not known yet.
    GetPull { number: u64 }
    EditPull { number: u64, edit: PullEdit }
    SetDraft { number: u64, draft: bool }
}

impl Operation for CreatePull {
    type Reply = PullView;

    fn run(self, context: &mut Context<'_>) -> Result<PullView, Refusal> {
        let Self(new) = self;
        context.need(Permission::Write)?;
        check_title("PullRequest", &new.title)?;
        let (head_sha, base_sha) = context.repo()?.check_branches(&new.head, &new.base)?;
        let pull = Pull {
            head: new.head,
            head_sha,
            base: new.base,
            base_sha,
            draft: new.draft,
            merged: None,
            judgement: None,
        };
        let key = context.open_thread(new.title, new.body, Some(Box::new(pull)))?;
        context.emit_thread(key, ThreadAction::Opened);
        context.cross_reference(key)?;
        context.view().pull(key)
    }
}

impl Operation for GetPull {
    type Reply = PullView;

    fn run(self, context: &mut Context<'_>) -> Result<PullView, Refusal> {
        let key = context.key(self.number);
        let reply = context.view().pull(key)?;
        context.judge(key)?;
        Ok(reply)
    }

    fn is_final(reply: &PullView) -> bool {
        reply.mergeable.is_some()
    }
}

impl Operation for EditPull {
    type Reply = PullView;

    fn run(self, context: &mut Context<'_>) -> Result<PullView, Refusal> {
        let key = context.key(self.number);
        let PullEdit { title, body, state, base } = self.edit;
        let edit = IssueEdit { title, body, state, labels: None };
        let pull = context.pull_at(key)?;
        let base = base.filter(|base| pull.base != *base);
        context.view().may_edit(key, &edit)?;
        match base {
            Some(base) => {
                let (_head, base_sha) = context.repo()?.check_branches(&pull.head, &base)?;
                context.edit_issue(key, edit)?;
                context.retarget(key, base, base_sha)?;
            }
            None => context.edit_issue(key, edit)?,
        }
        context.view().pull(key)
    }
}

impl Operation for SetDraft {
    type Reply = PullView;

    fn run(self, context: &mut Context<'_>) -> Result<PullView, Refusal> {
        let Self { number, draft } = self;
        let key = context.key(number);
        let unchanged = context.pull_at(key)?.draft == draft;
        if context.issue_at(key)?.author != context.actor {
            context.need(Permission::Write)?;
        }
        if !unchanged {
            context.pull_at_mut(key)?.draft = draft;
            context.touch(key)?;
            let (ready, drafted) = (TimelineEvent::ReadyForReview, TimelineEvent::ConvertedToDraft);
            context.record(key, if draft { drafted } else { ready })?;
            context.emit(EventKind::PullDraft { number, draft });
        }
        context.view().pull(key)
    }
}

impl Repository {
    /// Returns the pull part of an issue; 404 for an issue that is no pull.
    pub(super) fn pull(&self, number: u64) -> Result<&Pull, Refusal> {
        self.issue(number)?.pull.as_deref().ok_or_else(Refusal::not_found)
    }

    /// Returns the tips of two branches that a pull can be opened between.
    fn check_branches(&self, head: &str, base: &str) -> Result<(Sha, Sha), Refusal> {
        let invalid = |field| Refusal::invalid("PullRequest", field, DetailCode::Invalid);
        let base_sha = *self.branches.get(base).ok_or_else(|| invalid("base"))?;
        let head_sha = *self.branches.get(head).ok_or_else(|| invalid("head"))?;
        let is_between = |pull: &Pull| pull.head == head && pull.base == base;
        if self.open_pulls.iter().any(|number| self.pull(*number).is_ok_and(is_between)) {
            let words = format!("A pull request already exists for {}:{head}.", self.owner);
            return Err(Refusal::custom("PullRequest", words));
        }
        if self.git.is_ancestor(head_sha, base_sha)? {
            let words = format!("No commits between {base} and {head}");
            return Err(Refusal::custom("PullRequest", words));
        }
        Ok((head_sha, base_sha))
    }

    /// A pull can be reopened if it was not merged, its branches exist and no other pull joins them.
    pub(super) fn may_reopen_pull(&self, number: u64) -> Result<(), Refusal> {
        let pull = self.pull(number)?;
        let refused = |words: String| Err(Refusal::custom("PullRequest", words));
        if pull.merged.is_some() {
            return refused("state cannot be changed. The pull request was merged.".to_owned());
        }
        for branch in [&pull.head, &pull.base] {
            if !self.branches.contains_key(branch) {
                let gone = "branch has been deleted.";
                return refused(format!("state cannot be changed. The {branch} {gone}"));
            }
        }
        self.check_branches(&pull.head, &pull.base).map(drop)
    }
}

impl Context<'_> {
    fn retarget(&mut self, key: IssueKey, to: String, base_sha: Sha) -> Result<(), Refusal> {
        let pull = self.pull_at_mut(key)?;
        pull.base_sha = base_sha;
        let from = std::mem::replace(&mut pull.base, to.clone());
        self.touch(key)?;
        self.record(key, TimelineEvent::BaseChanged { from, to })?;
        self.emit_thread(key, ThreadAction::Edited);
        Ok(())
    }

    pub(super) fn refresh_reopened_pull(&mut self, key: IssueKey) -> Result<(), Refusal> {
        let repo = self.forge.repo_at(key.repository)?;
        let pull = repo.pull(key.number)?;
        let (head, base) = (repo.branches.get(&pull.head), repo.branches.get(&pull.base));
        if let (Some(head), Some(base)) = (head.copied(), base.copied()) {
            let pull = self.pull_at_mut(key)?;
            (pull.head_sha, pull.base_sha) = (head, base);
        }
        Ok(())
    }
}
