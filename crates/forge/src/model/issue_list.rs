//! Lists of issues: their filter and order.

use super::context::Context;
use super::issue_view::IssueView;
use super::issues::Issue;
use super::paging::{Direction, Listing, Page, StateFilter};
use super::refusal::Refusal;
use super::repository::Repository;
use super::request::{Operation, operations};

operations! {
    /// Returns issues, pulls among them.
    ListIssues { filter: IssueFilter, page: Page }
}

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
    /// Returns whether an issue or one of its comments mentions a user.
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

impl Operation for ListIssues {
    type Reply = Listing<IssueView>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<IssueView>, Refusal> {
        let (view, filter) = (context.view(), self.filter);
        view.need_issues(None)?;
        let repo = view.repo()?;
        let wanted = filter.labels.iter().map(|name| repo.label(name).ok().map(|label| label.id));
        // A label that does not exist is on no issue.
        let wanted: Option<Vec<u64>> = wanted.collect();
        let admits = |issue: &Issue| {
            filter.state.admits(issue.state.is_open())
                && filter
                    .author
                    .as_ref()
                    .is_none_or(|author| author.eq_ignore_ascii_case(&issue.author))
                && filter.mentioned.as_ref().is_none_or(|login| repo.mentions(issue, login))
                && filter.since.is_none_or(|since| issue.updated_at >= since)
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
        let show = |found: &(u64, &Issue)| view.issue_of(view.key(found.0), found.1);
        Ok(Listing::of(&found, self.page, show))
    }
}
