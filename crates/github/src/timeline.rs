//! Reading from an issue's timeline how it was closed.

use crate::client::Client;
use crate::page::PAGE_ITEMS;
use crate::route;
use crate::transport::Transport;
use crate::wire::pull::PullRequest;
use crate::wire::timeline::Entry;
use ralph_core::ids::IssueKey;
use ralph_engine::ports::{ClosedBy, Read, TimelineEntry};

impl<T: Transport> Client<T> {
    /// Merged pull requests of the same repository that refer to the issue, and commits that closed it, oldest
    /// first.
    pub(crate) fn read_timeline(&mut self, key: &IssueKey) -> Read<Vec<TimelineEntry>> {
        let path = format!("{}/timeline?per_page={PAGE_ITEMS}", route::issue(key));
        let pages = self.list::<Vec<Entry>>(&path)?;
        let entries = pages.iter().flat_map(|page| page.iter());
        Ok(entries.filter_map(|entry| entry.shown(&key.repo)).collect())
    }

    /// The cause of an issue's last closing.
    pub(crate) fn read_closed_by(&mut self, key: &IssueKey) -> Read<ClosedBy> {
        let path = format!("{}/timeline?per_page={PAGE_ITEMS}", route::issue(key));
        let pages = self.list_each::<Entry>(&path)?;
        let mut entries = pages.iter().flat_map(|page| page.iter()).rev();
        let last = entries.find(|entry| entry.is_closing() || entry.is_reopening());
        let Some(closing) = last.filter(|entry| entry.is_closing()) else {
            return Ok(ClosedBy::Untold);
        };
        let Some((repo, commit)) = closing.commit(&key.repo) else { return Ok(ClosedBy::Person) };
        let path = format!("/repos/{repo}/commits/{}/pulls", route::part(commit.as_str()));
        let pages = match self.list::<Vec<PullRequest>>(&path) {
            Err(miss) if miss.is_missing() || miss.is_unprocessable() => Vec::new(),
            pages => pages?,
        };
        let pulls = pages.iter().flat_map(|page| page.iter());
        let brought = pulls.map(|pull| (repo.clone(), pull.head_branch().clone()));
        Ok(ClosedBy::Commit(brought.collect()))
    }
}
