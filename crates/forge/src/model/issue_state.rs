//! Closing and reopening, which issues and pulls share.

use super::behaviour::Behaviour;
use super::event::ThreadAction;
use super::issues::{CloseReason, IssueState};
use super::refusal::Refusal;
use super::timeline::TimelineEvent;
use super::turn::{IssueKey, Turn};
use crate::git::sha::Sha;

impl Turn<'_> {
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

    /// Whether it was open before.
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
        let elsewhere = commit.and_then(|_sha| self.elsewhere(key));
        self.touch(key)?.state = IssueState::Closed { reason, by, at };
        let repo = self.repo_at_mut(key.repository)?;
        repo.open_pulls.remove(&key.number);
        repo.open_threads = repo.open_threads.saturating_sub(1);
        self.record(key, TimelineEvent::Closed { reason, commit, elsewhere })?;
        Ok(true)
    }

    pub(super) fn may_reopen(&self, key: IssueKey) -> Result<(), Refusal> {
        if self.issue_at(key)?.state.is_open() || self.issue_at(key)?.pull.is_none() {
            return Ok(());
        }
        self.may_reopen_pull(key)
    }

    pub(super) fn reopen(&mut self, key: IssueKey) -> Result<(), Refusal> {
        if self.issue_at(key)?.state.is_open() {
            return Ok(());
        }
        let reopened = self.holds(Behaviour::ReopenedIssuesSaySo);
        let issue = self.touch(key)?;
        issue.state = IssueState::Open { reopened };
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
