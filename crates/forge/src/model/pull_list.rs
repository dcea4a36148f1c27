//! Which pulls a list shows, and in what order.

use super::issues::Issue;
use super::paging::{Direction, Listing, Page, StateFilter};
use super::pulls::Pull;
use super::reply::{Reply, Response};
use super::turn::Turn;

/// The default shows open pulls, the newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullFilter {
    pub state: StateFilter,
    /// A branch of the same repository.
    pub head: Option<String>,
    pub base: Option<String>,
    pub sort: PullSort,
    pub direction: Direction,
}

impl Default for PullFilter {
    fn default() -> Self {
        Self {
            state: StateFilter::Open,
            head: None,
            base: None,
            sort: PullSort::Created,
            direction: Direction::Descending,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullSort {
    Created,
    Updated,
}

impl Turn<'_> {
    pub(super) fn list_pulls(&self, filter: &PullFilter, page: Page) -> Response {
        let repo = self.repo()?;
        let numbers = match filter.state {
            StateFilter::Open => &repo.open_pulls,
            StateFilter::Closed | StateFilter::All => &repo.pulls,
        };
        let admits = |issue: &Issue, pull: &Pull| {
            filter.state.admits(issue.state.is_open())
                && filter.head.as_ref().is_none_or(|head| pull.head == *head)
                && filter.base.as_ref().is_none_or(|base| pull.base == *base)
        };
        let mut found = Vec::new();
        for number in numbers {
            let Some(issue) = repo.issues.get(number) else { continue };
            let Some(pull) = &issue.pull else { continue };
            if admits(issue, pull) {
                found.push((*number, issue, &**pull));
            }
        }
        match filter.sort {
            PullSort::Created => {}
            PullSort::Updated => found.sort_by_key(|(_number, issue, _pull)| issue.updated_at),
        }
        filter.direction.apply(&mut found);
        let view =
            |found: &(u64, &Issue, &Pull)| self.summary_of(self.key(found.0), found.1, found.2);
        Ok(Reply::Pulls(Listing::of(&found, page, view)))
    }
}
