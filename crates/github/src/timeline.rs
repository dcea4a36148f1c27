//! Reading what an issue's timeline tells of how it came to its end.

use crate::client::Client;
use crate::page::PAGE_ITEMS;
use crate::route;
use crate::transport::Transport;
use crate::wire::timeline::Entry;
use ralph_core::ids::IssueKey;
use ralph_engine::ports::{Read, TimelineEntry};

impl<T: Transport> Client<T> {
    /// Merged pull requests of the same repository that refer to the issue, and commits that closed it, oldest
    /// first.
    pub(crate) fn read_timeline(&mut self, key: &IssueKey) -> Read<Vec<TimelineEntry>> {
        let path = format!("{}/timeline?per_page={PAGE_ITEMS}", route::issue(key));
        let pages = self.list::<Vec<Entry>>(&path)?;
        let entries = pages.iter().flat_map(|page| page.iter());
        Ok(entries.filter_map(|entry| entry.shown(&key.repo)).collect())
    }
}
