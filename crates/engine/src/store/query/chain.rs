//! The issues that an issue waits for, directly or through others.

use super::{IssueReport, Reader};
use crate::store::StoreError;
use ralph_core::ids::IssueKey;
use ralph_core::standing::Standing;
use serde::Serialize;

/// Maximum number of issues shown of a chain; explaining the last one shows more.
const LINKS_MAX: usize = 50;
/// Maximum depth to which the chain is followed.
const DEPTH_MAX: usize = 10;

/// One issue that another waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    /// 1 if the issue itself waits for it, 2 if one of those does, and so on.
    pub depth: usize,
    pub issue: IssueKey,
    pub title: String,
    pub status: Option<String>,
    pub says: String,
    /// It is already further up in the same chain: they wait for each other.
    pub is_circle: bool,
}

impl Reader {
    /// The issues this one waits for, each followed by those that it waits for.
    pub(super) fn chain(&self, of: &IssueReport) -> Result<Vec<Link>, StoreError> {
        let key = IssueKey::new(of.repo.clone(), of.number);
        let mut links = Vec::new();
        self.follow(&mut vec![key], of, &mut links)?;
        Ok(links)
    }

    fn follow(
        &self,
        line: &mut Vec<IssueKey>,
        of: &IssueReport,
        links: &mut Vec<Link>,
    ) -> Result<(), StoreError> {
        let Some(Standing::Blocked { by, .. }) = &of.standing else { return Ok(()) };
        for key in by {
            if links.len() >= LINKS_MAX {
                return Ok(());
            }
            let Some(issue) = self.issue(key)? else { continue };
            let report = self.report(key, &issue)?;
            let is_circle = line.contains(key);
            links.push(Link {
                depth: line.len(),
                issue: key.clone(),
                title: report.title.clone(),
                status: report.status.clone(),
                says: report.says.clone(),
                is_circle,
            });
            if !is_circle && line.len() < DEPTH_MAX {
                line.push(key.clone());
                self.follow(line, &report, links)?;
                line.pop();
            }
        }
        Ok(())
    }
}
