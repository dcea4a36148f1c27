//! Effects of naming an issue: cross-references, references by commits, and closing.

use std::sync::Arc;

use super::context::Context;
use super::issues::{CloseReason, IssueKey};
use super::permission::Permission;
use super::references::{self, Reference};
use super::refusal::Refusal;
use super::repository::{Repository, Visibility};
use super::timeline::TimelineEvent;
use super::view::View;
use crate::git::commit::Commit;

impl Context<'_> {
    /// Cross-references from the body of an issue or pull.
    pub(super) fn cross_reference(&mut self, source: IssueKey) -> Result<(), Refusal> {
        let body = self.issue_at(source)?.body.clone();
        self.mention(source, &body)
    }

    /// Cross-references from a text that belongs to an issue or pull; one per source and target.
    pub(super) fn mention(&mut self, source: IssueKey, text: &str) -> Result<(), Refusal> {
        let named = references::in_markdown(text);
        if named.is_empty() {
            return Ok(());
        }
        let event = TimelineEvent::CrossReferenced { source: self.forge.reference_to(source)? };
        for reference in named {
            let Some(target) = self.view().target(source, &reference) else { continue };
            let known = self.issue_at(target)?.timeline.iter().any(|entry| entry.event == event);
            if target != source && !known {
                self.record(target, event.clone())?;
            }
        }
        Ok(())
    }

    /// Closes what a merged pull's body says it closes; the caller knows that it went to the
    /// default branch.
    pub(super) fn close_by_pull(&mut self, pull: IssueKey) -> Result<(), Refusal> {
        let body = self.issue_at(pull)?.body.clone();
        for reference in references::in_markdown(&body) {
            let target = self.view().target(pull, &reference).filter(|_target| reference.closes);
            if let Some(target) = target.filter(|target| self.view().may_close_by_keyword(*target))
            {
                // An issue that a pull closes has no commit in its closed event.
                self.close(target, CloseReason::Completed, None)?;
            }
        }
        Ok(())
    }

    /// Notes commits that no branch had led to before on the issues that they name.
    pub(super) fn reference_by_commits(&mut self, commits: &[Arc<Commit>]) -> Result<(), Refusal> {
        let home = self.key(0);
        for commit in commits.iter().filter(|commit| commit.message.contains('#')) {
            for reference in references::in_plain_text(&commit.message) {
                let target = self.view().target(home, &reference);
                let Some(target) = target.filter(|target| self.view().may_name_commits(*target))
                else {
                    continue;
                };
                let (commit, elsewhere) = (commit.sha, self.view().elsewhere(target));
                let event = TimelineEvent::Referenced { commit, elsewhere };
                if !self.issue_at(target)?.timeline.iter().any(|entry| entry.event == event) {
                    self.record(target, event)?;
                }
            }
        }
        Ok(())
    }

    /// Closes what commits that arrived on the default branch say they close.
    pub(super) fn close_by_commits(&mut self, commits: &[Arc<Commit>]) -> Result<(), Refusal> {
        let home = self.key(0);
        for commit in commits.iter().filter(|commit| commit.message.contains('#')) {
            for reference in references::in_plain_text(&commit.message) {
                let target =
                    self.view().target(home, &reference).filter(|_target| reference.closes);
                if let Some(target) =
                    target.filter(|target| self.view().may_close_by_keyword(*target))
                {
                    let commit =
                        Some(commit.sha).filter(|_sha| self.view().may_name_commits(target));
                    self.close(target, CloseReason::Completed, commit)?;
                }
            }
        }
        Ok(())
    }
}

impl View<'_> {
    /// Returns the name of the repository of the request, for an issue of another one.
    pub(super) fn elsewhere(self, target: IssueKey) -> Option<String> {
        let home = self.repo().ok().filter(|_home| target.repository != self.repository_id());
        home.map(Repository::full_name)
    }

    /// Returns whether an issue may name the commits of this repository. An issue of another
    /// repository does not name those of a private one.
    fn may_name_commits(self, target: IssueKey) -> bool {
        let home = self.repo().map(|repo| repo.settings.visibility);
        target.repository == self.repository_id() || home == Ok(Visibility::Public)
    }

    /// Keywords close issues, not pulls, and only where the viewer could close them by hand.
    fn may_close_by_keyword(self, target: IssueKey) -> bool {
        self.permission_in(target.repository) >= Permission::Triage
            && self.forge.issue_at(target).is_ok_and(|issue| issue.pull.is_none())
    }

    /// Returns the named issue, if it exists and the viewer can see it.
    fn target(self, home: IssueKey, reference: &Reference) -> Option<IssueKey> {
        let repository = match &reference.repo {
            None => home.repository,
            Some(name) => self.forge.repository_id(name)?,
        };
        let key = IssueKey { repository, number: reference.number };
        let visible = self.permission_in(repository) > Permission::None;
        (visible && self.forge.issue_at(key).is_ok()).then_some(key)
    }
}
