//! Closing and reopening, which issues and pulls share.

use super::context::Context;
use super::event::ThreadAction;
use super::issues::{CloseReason, IssueKey, IssueState};
use super::refusal::Refusal;
use super::timeline::TimelineEvent;
use super::view::View;
use crate::git::sha::Sha;

impl Context<'_> {
    /// Closes an issue or an unmerged pull; closing what is closed changes nothing.
    pub(super) fn close(
        &mut self,
        key: IssueKey,
        reason: CloseReason,
        commit: Option<Sha>,
    ) -> Result<(), Refusal> {
        if self.mark_closed(key, reason, commit)? {
            self.emit_thread(key, ThreadAction::Closed);
        }
        Ok(())
    }

    /// Marks an issue or pull as closed and returns whether it was open.
    pub(super) fn mark_closed(
        &mut self,
        key: IssueKey,
        reason: CloseReason,
        commit: Option<Sha>,
    ) -> Result<bool, Refusal> {
        if !self.issue_at(key)?.state.is_open() {
            return Ok(false);
        }
        let (by, at) = (self.actor.clone(), self.now);
        let elsewhere = commit.and_then(|_sha| self.view().elsewhere(key));
        self.touch(key)?.state = IssueState::Closed { reason, by, at };
        let repo = self.repo_at_mut(key.repository)?;
        repo.open_pulls.remove(&key.number);
        repo.open_threads = repo.open_threads.saturating_sub(1);
        self.record(key, TimelineEvent::Closed { reason, commit, elsewhere })?;
        Ok(true)
    }

    pub(super) fn reopen(&mut self, key: IssueKey) -> Result<(), Refusal> {
        if self.issue_at(key)?.state.is_open() {
            return Ok(());
        }
        let issue = self.touch(key)?;
        issue.state = IssueState::Open { reopened: true };
        let is_pull = issue.pull.is_some();
        let repo = self.repo_at_mut(key.repository)?;
        repo.open_threads += 1;
        if is_pull {
            repo.open_pulls.insert(key.number);
            self.refresh_reopened_pull(key)?;
        }
        self.record(key, TimelineEvent::Reopened)?;
        self.emit_thread(key, ThreadAction::Reopened);
        Ok(())
    }
}

impl View<'_> {
    pub(super) fn may_reopen(self, key: IssueKey) -> Result<(), Refusal> {
        let issue = self.forge.issue_at(key)?;
        if issue.state.is_open() || issue.pull.is_none() {
            return Ok(());
        }
        self.forge.repo_at(key.repository)?.may_reopen_pull(key.number)
    }
}
