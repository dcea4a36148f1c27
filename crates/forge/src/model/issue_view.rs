//! Issues in replies, with the counts of their relations.

use std::sync::Arc;

use super::issues::{Issue, IssueKey, IssueState};
use super::labels::Label;
use super::paging::{Listing, Page};
use super::permission::Association;
use super::refusal::Refusal;
use super::repository::{Availability, Repository};
use super::timeline::IssueReference;
use super::view::View;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueView {
    /// The database id, which relations are made with.
    pub id: u64,
    /// `owner/name`.
    pub repo: String,
    pub number: u64,
    pub title: String,
    pub body: String,
    pub author: String,
    pub association: Association,
    pub state: IssueState,
    pub labels: Vec<Arc<Label>>,
    pub comments: usize,
    pub created_at: u64,
    pub updated_at: u64,
    /// There for pulls only.
    pub pull: Option<PullLink>,
    pub parent: Option<IssueReference>,
    pub sub_issues: SubIssueSummary,
    /// Absent where dependencies are switched off.
    pub dependencies: Option<DependencySummary>,
}

/// The part of an issue that tells that it is a pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PullLink {
    pub draft: bool,
    pub merged_at: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubIssueSummary {
    pub total: usize,
    /// Closed ones.
    pub completed: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DependencySummary {
    /// Open issues that block this one.
    pub blocked_by: usize,
    pub total_blocked_by: usize,
    /// Open issues that this one blocks.
    pub blocking: usize,
    pub total_blocking: usize,
}

impl View<'_> {
    pub(super) fn issue(self, key: IssueKey) -> Result<IssueView, Refusal> {
        Ok(self.issue_of(key, self.forge.issue_at(key)?))
    }

    /// Returns the issues among these that the viewer can see.
    pub(super) fn related(self, keys: &[IssueKey], page: Page) -> Listing<IssueView> {
        let seen = keys.iter().filter(|key| self.sees(**key));
        let seen: Vec<_> =
            seen.filter_map(|key| Some((*key, self.forge.issue_at(*key).ok()?))).collect();
        Listing::of(&seen, page, |(key, issue)| self.issue_of(*key, issue))
    }

    pub(super) fn issue_of(self, key: IssueKey, issue: &Issue) -> IssueView {
        let repo = self.forge.repo_at(key.repository).ok();
        let association = repo.map_or(Association::None, |repo| repo.association_of(&issue.author));
        IssueView {
            id: issue.id,
            repo: repo.map(Repository::full_name).unwrap_or_default(),
            number: key.number,
            title: issue.title.clone(),
            body: issue.body.clone(),
            author: issue.author.clone(),
            association,
            state: issue.state.clone(),
            labels: repo.and_then(|repo| repo.labels_of(key.number).ok()).unwrap_or_default(),
            comments: issue.comments.len(),
            created_at: issue.created_at,
            updated_at: issue.updated_at,
            pull: issue.pull.as_ref().map(|pull| PullLink {
                draft: pull.draft,
                merged_at: pull.merged.as_ref().map(|merge| merge.at),
            }),
            parent: self
                .shown(key, issue.parent.as_slice())
                .first()
                .and_then(|parent| self.forge.reference_to(*parent).ok()),
            sub_issues: self.sub_issue_summary(key, issue),
            dependencies: repo.and_then(|repo| self.dependency_summary(repo, key, issue)),
        }
    }

    /// Returns the issues that a reply about an issue may mention: those of the same repository, and
    /// others that the viewer can see.
    fn shown(self, beside: IssueKey, keys: &[IssueKey]) -> Vec<IssueKey> {
        let is_shown = |key: &IssueKey| key.repository == beside.repository || self.sees(*key);
        keys.iter().copied().filter(is_shown).collect()
    }

    fn sub_issue_summary(self, key: IssueKey, issue: &Issue) -> SubIssueSummary {
        let shown = self.shown(key, &issue.sub_issues);
        let (total, open) = (shown.len(), self.open_among(&shown));
        SubIssueSummary { total, completed: total - open }
    }

    fn dependency_summary(
        self,
        repo: &Repository,
        key: IssueKey,
        issue: &Issue,
    ) -> Option<DependencySummary> {
        match repo.settings.dependencies {
            Availability::NotFound | Availability::Gone => None,
            Availability::On => {
                let blocked_by = self.shown(key, &issue.blocked_by);
                let blocking = self.shown(key, &issue.blocking);
                Some(DependencySummary {
                    blocked_by: self.open_among(&blocked_by),
                    total_blocked_by: blocked_by.len(),
                    blocking: self.open_among(&blocking),
                    total_blocking: blocking.len(),
                })
            }
        }
    }

    fn open_among(self, keys: &[IssueKey]) -> usize {
        let issues = keys.iter().filter_map(|key| self.forge.issue_at(*key).ok());
        issues.filter(|issue| issue.state.is_open()).count()
    }
}
