//! Issues that the automatic queue would take in, while it is in its dry run.

use super::{IssueReport, Reader};
use crate::store::rows::to_json;
use crate::store::{Doing as _, StoreError};
use ralph_core::ids::IssueKey;
use ralph_core::standing::Standing;

impl Reader {
    /// Issues that are not managed and would be.
    pub(super) fn would_queue(&self) -> Result<Vec<IssueReport>, StoreError> {
        let standing = to_json(&Standing::WouldQueue, "verdict", &"a dry run")?;
        let read = "SELECT subject FROM verdict WHERE standing = ?1 ORDER BY subject";
        let mut read = self.connection.prepare(read).doing("preparing to read verdicts")?;
        let subjects = read.query_map([standing], |row| row.get(0)).doing("reading verdicts")?;
        let subjects: Vec<String> = subjects.collect::<Result<_, _>>().doing("reading verdicts")?;
        let mut reports = Vec::new();
        for key in subjects.iter().filter_map(|subject| IssueKey::parse(subject)) {
            if let Some(issue) = self.issue(&key)? {
                reports.push(self.report(&key, &issue)?);
            }
        }
        Ok(reports)
    }
}
