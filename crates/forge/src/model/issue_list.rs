//! Which issues a list shows, and in what order.

use super::behaviour::Behaviour;
use super::issues::Issue;
use super::paging::{Direction, Listing, Page, StateFilter};
use super::reply::{Reply, Response};
use super::repository::Repository;
use super::turn::Turn;

/// The default shows open issues, the newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueFilter {
    pub state: StateFilter,
    /// All of them must be there.
    pub labels: Vec<String>,
    /// Changed at or after this moment, in unix seconds.
    pub since: Option<u64>,
    pub sort: IssueSort,
    pub direction: Direction,
    /// Opened by this person.
    pub author: Option<String>,
    /// This person is called by name in its text or in a comment.
    pub mentioned: Option<String>,
}

impl Default for IssueFilter {
    fn default() -> Self {
        Self {
            state: StateFilter::Open,
            labels: Vec::new(),
            since: None,
            sort: IssueSort::Created,
            direction: Direction::Descending,
            author: None,
            mentioned: None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IssueSort {
    #[default]
    Created,
    Updated,
    Comments,
}

impl Repository {
    /// Whether someone is called by name in an issue or its comments.
    fn mentions(&self, issue: &Issue, login: &str) -> bool {
        let comments = issue.comments.iter().filter_map(|id| self.comments.get(id));
        let mut texts = comments.map(|comment| &comment.body).chain([&issue.body]);
        let name = format!("@{}", login.to_lowercase());
        texts.any(|text| {
            let text = text.to_lowercase();
            text.match_indices(&name).any(|(at, found)| {
                let after = text.get(at + found.len()..).unwrap_or_default();
                let before = text.get(..at).unwrap_or_default();
                !after.starts_with(|next: char| next.is_alphanumeric() || next == '-')
                    && !before.ends_with(|last: char| last.is_alphanumeric() || last == '_')
            })
        })
    }
}

impl Turn<'_> {
    pub(super) fn list_issues(&self, filter: &IssueFilter, page: Page) -> Response {
        let repo = self.repo()?;
        let wanted = filter.labels.iter().map(|name| repo.label(name).ok().map(|label| label.id));
        // A label that does not exist is on no issue.
        let wanted: Option<Vec<u64>> = wanted.collect();
        let since = filter.since.filter(|_since| self.holds(Behaviour::SinceFilters));
        let admits = |issue: &Issue| {
            filter.state.admits(issue.state.is_open())
                && filter
                    .author
                    .as_ref()
                    .is_none_or(|author| author.eq_ignore_ascii_case(&issue.author))
                && filter.mentioned.as_ref().is_none_or(|login| repo.mentions(issue, login))
                && since.is_none_or(|since| issue.updated_at >= since)
                && wanted.as_ref().is_some_and(|ids| ids.iter().all(|id| issue.labels.contains(id)))
        };
        let mut found: Vec<(u64, &Issue)> = repo
            .issues
            .iter()
            .filter(|(_number, issue)| admits(issue))
            .map(|(number, issue)| (*number, issue))
            .collect();
        match filter.sort {
            IssueSort::Created => {}
            IssueSort::Updated => found.sort_by_key(|(_number, issue)| issue.updated_at),
            IssueSort::Comments => found.sort_by_key(|(_number, issue)| issue.comments.len()),
        }
        filter.direction.apply(&mut found);
        let view = |found: &(u64, &Issue)| self.view_of(self.key(found.0), found.1);
        Ok(Reply::Issues(Listing::of(&found, page, view)))
    }
}
