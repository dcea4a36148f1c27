//! The status of repositories: what the forge refuses them.

use super::Reader;
use crate::store::rows::from_json;
use crate::store::{Doing as _, StoreError};
use ralph_core::ids::RepoName;
use ralph_core::standing::Standing;
use ralph_core::time::Time;
use ralph_core::words;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RepoReport {
    pub repo: RepoName,
    pub standing: Standing,
    pub says: String,
    pub since: Time,
}

impl Reader {
    /// Every repository with a status.
    pub(super) fn repositories(&self) -> Result<Vec<RepoReport>, StoreError> {
        // The subject of an issue contains a number sign.
        let read = "SELECT subject, standing, since FROM verdict
                    WHERE instr(subject, '#') = 0 ORDER BY subject";
        let mut read = self.connection.prepare(read).doing("preparing to read verdicts")?;
        let mut rows = read.query(()).doing("reading verdicts")?;
        let mut reports = Vec::new();
        while let Some(row) = rows.next().doing("reading a verdict")? {
            let subject: String = row.get(0).doing("reading a verdict")?;
            let text: String = row.get(1).doing("reading a verdict")?;
            let standing: Standing = from_json(&text, "verdict", &subject)?;
            if let Some(repo) = RepoName::parse(&subject) {
                let says = words::standing(&standing);
                let since = Time(row.get(2).doing("reading a verdict")?);
                reports.push(RepoReport { repo, standing, says, since });
            }
        }
        Ok(reports)
    }
}
