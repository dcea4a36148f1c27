//! Pulls: an issue with two branches, which it follows until it is closed.

use serde::{Deserialize, Serialize};

use super::behaviour::Behaviour;
use super::event::{EventKind, ThreadAction};
use super::issues::{IssueEdit, StateChange, check_title};
use super::mergeability::Judgement;
use super::merging::MergeOrder;
use super::paging::Page;
use super::permission::Permission;
use super::pull_list::PullFilter;
use super::refusal::{DetailCode, Refusal};
use super::reply::Response;
use super::timeline::TimelineEvent;
use super::turn::{IssueKey, Turn};
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
pub enum PullCall {
    /// → `Pull`
    Create(NewPull),
    /// → `Pulls`
    List { filter: PullFilter, page: Page },
    /// → `Pull`; asking starts the computation of what is not known yet
    Get { number: u64 },
    /// → `Files`
    Files { number: u64, page: Page },
    /// → `Commits`, oldest first
    Commits { number: u64, page: Page },
    /// → `Pull`
    Edit { number: u64, edit: PullEdit },
    /// → `Pull`
    SetDraft { number: u64, draft: bool },
    /// → `Merged`
    Merge { number: u64, order: MergeOrder },
    /// → `Accepted`; the push comes with `Forge::run_background`
    UpdateBranch { number: u64, expected_head: Option<Sha> },
}

impl Turn<'_> {
    pub(super) fn pull_call(&mut self, call: PullCall) -> Response {
        match call {
            PullCall::Create(new) => self.create_pull(new),
            PullCall::List { filter, page } => self.list_pulls(&filter, page),
            PullCall::Get { number } => {
                if !self.holds(Behaviour::MergeabilityIsUnknownAtFirst) {
                    self.judge(self.key(number))?;
                }
                let reply = self.pull_reply(self.key(number))?;
                self.judge(self.key(number))?;
                Ok(reply)
            }
            PullCall::Files { number, page } => self.pull_files(number, page),
            PullCall::Commits { number, page } => self.pull_commits(number, page),
            PullCall::Edit { number, edit } => self.edit_pull(number, edit),
            PullCall::SetDraft { number, draft } => self.set_draft(number, draft),
            PullCall::Merge { number, order } => self.merge(number, &order),
            PullCall::UpdateBranch { number, expected_head } => {
                self.accept_branch_update(number, expected_head)
            }
        }
    }

    /// The pull part of an issue; 404 for a mere issue.
    pub(super) fn pull_at(&self, key: IssueKey) -> Result<&Pull, Refusal> {
        self.issue_at(key)?.pull.as_deref().ok_or_else(Refusal::not_found)
    }

    pub(super) fn pull_at_mut(&mut self, key: IssueKey) -> Result<&mut Pull, Refusal> {
        self.issue_at_mut(key)?.pull.as_deref_mut().ok_or_else(Refusal::not_found)
    }

    fn create_pull(&mut self, new: NewPull) -> Response {
        self.need(Permission::Write)?;
        check_title("PullRequest", &new.title)?;
        let (head_sha, base_sha) = self.check_branches(&new.head, &new.base)?;
        let pull = Pull {
            head: new.head,
            head_sha,
            base: new.base,
            base_sha,
            draft: new.draft,
            merged: None,
            judgement: None,
        };
        let key = self.open_thread(new.title, new.body, Some(Box::new(pull)))?;
        self.emit_thread(key, ThreadAction::Opened);
        self.cross_reference(key)?;
        self.pull_reply(key)
    }

    /// The tips of two branches that a pull can be opened between.
    fn check_branches(&self, head: &str, base: &str) -> Result<(Sha, Sha), Refusal> {
        let invalid = |field| Refusal::invalid("PullRequest", field, DetailCode::Invalid);
        let repo = self.repo()?;
        let base_sha = *repo.branches.get(base).ok_or_else(|| invalid("base"))?;
        let head_sha = *repo.branches.get(head).ok_or_else(|| invalid("head"))?;
        let one = self.holds(Behaviour::OneOpenPullPerPair);
        if one && self.open_pull_between(head, base)?.is_some() {
            let words = format!("A pull request already exists for {}:{head}.", repo.owner);
            return Err(Refusal::custom("PullRequest", words));
        }
        let wanted = self.holds(Behaviour::PullsNeedCommits);
        if wanted && repo.git.is_ancestor(head_sha, base_sha)? {
            let words = format!("No commits between {base} and {head}");
            return Err(Refusal::custom("PullRequest", words));
        }
        Ok((head_sha, base_sha))
    }

    fn open_pull_between(&self, head: &str, base: &str) -> Result<Option<u64>, Refusal> {
        let repo = self.repo()?;
        let between = |number: &u64| {
            let pull = repo.issues.get(number).and_then(|issue| issue.pull.as_ref());
            pull.is_some_and(|pull| pull.head == head && pull.base == base)
        };
        Ok(repo.open_pulls.iter().copied().find(between))
    }

    fn edit_pull(&mut self, number: u64, edit: PullEdit) -> Response {
        let key = self.key(number);
        let base = edit.base.filter(|base| self.pull_at(key).is_ok_and(|pull| pull.base != *base));
        let (title, body, state) = (edit.title, edit.body, edit.state);
        let edit = IssueEdit { title, body, state, labels: None };
        self.pull_at(key)?;
        self.may_edit(key, &edit)?;
        match base {
            Some(base) => {
                let (_head, base_sha) = self.check_branches(&self.pull_at(key)?.head, &base)?;
                self.edit_issue(key, edit)?;
                self.retarget(key, base, base_sha)?;
            }
            None => self.edit_issue(key, edit)?,
        }
        self.pull_reply(key)
    }

    fn retarget(&mut self, key: IssueKey, to: String, base_sha: Sha) -> Result<(), Refusal> {
        let pull = self.pull_at_mut(key)?;
        pull.base_sha = base_sha;
        let from = std::mem::replace(&mut pull.base, to.clone());
        self.touch(key)?;
        self.record(key, TimelineEvent::BaseChanged { from, to })?;
        self.emit_thread(key, ThreadAction::Edited);
        Ok(())
    }

    fn set_draft(&mut self, number: u64, draft: bool) -> Response {
        let key = self.key(number);
        let unchanged = self.pull_at(key)?.draft == draft;
        if self.issue(number)?.author != self.actor {
            self.need(Permission::Write)?;
        }
        if !unchanged {
            self.pull_at_mut(key)?.draft = draft;
            self.touch(key)?;
            let (ready, drafted) = (TimelineEvent::ReadyForReview, TimelineEvent::ConvertedToDraft);
            self.record(key, if draft { drafted } else { ready })?;
            self.emit(EventKind::PullDraft { number, draft });
        }
        self.pull_reply(key)
    }

    /// A pull comes back only if it was not merged, its branches exist and no other took its place.
    pub(super) fn may_reopen_pull(&self, key: IssueKey) -> Result<(), Refusal> {
        let pull = self.pull_at(key)?;
        let refused = |words: String| Err(Refusal::custom("PullRequest", words));
        if pull.merged.is_some() {
            return refused("state cannot be changed. The pull request was merged.".to_owned());
        }
        for branch in [&pull.head, &pull.base] {
            if !self.repo()?.branches.contains_key(branch) {
                let gone = "branch has been deleted.";
                return refused(format!("state cannot be changed. The {branch} {gone}"));
            }
        }
        self.check_branches(&pull.head, &pull.base).map(|_tips| ())
    }

    pub(super) fn refresh_reopened_pull(&mut self, key: IssueKey) -> Result<(), Refusal> {
        let pull = self.pull_at(key)?;
        let repo = self.repo_at(key.repository)?;
        let (head, base) = (repo.branches.get(&pull.head), repo.branches.get(&pull.base));
        if let (Some(head), Some(base)) = (head.copied(), base.copied()) {
            let pull = self.pull_at_mut(key)?;
            (pull.head_sha, pull.base_sha) = (head, base);
        }
        Ok(())
    }
}
