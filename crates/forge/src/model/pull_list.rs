//! Lists of pulls: their filter and order.

use super::context::Context;
use super::issues::Issue;
use super::paging::{Direction, Listing, Page, StateFilter};
use super::pull_view::PullSummary;
use super::pulls::Pull;
use super::refusal::Refusal;
use super::request::{Operation, operations};

operations! {
    ListPulls { filter: PullFilter, page: Page }
}

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

impl Operation for ListPulls {
    type Reply = Listing<PullSummary>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<PullSummary>, Refusal> {
        let (view, filter) = (context.view(), self.filter);
        let repo = view.repo()?;
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
                found.push((*number, issue.updated_at));
            }
        }
        match filter.sort {
            PullSort::Created => {}
            PullSort::Updated => found.sort_by_key(|(_number, updated_at)| *updated_at),
        }
        filter.direction.apply(&mut found);
        let summary = |(number, _updated_at): &(u64, u64)| view.pull_summary(view.key(*number));
        let Listing { items, total, page } = Listing::of(&found, self.page, summary);
        let items = items.into_iter().collect::<Result<_, _>>()?;
        Ok(Listing { items, total, page })
    }
}
