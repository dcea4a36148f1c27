//! Rows of recently requested changes, all read at open.

use super::Transaction;
use super::{Doing, Store, StoreError};
use crate::requests::{Request, RequestChange, RequestKey};
use ralph_core::digest::Digest;
use ralph_core::fact::Subject;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::time::Time;

pub(crate) fn write(tx: &Transaction<'_>, change: &RequestChange) -> Result<(), StoreError> {
    let ((key, content), request) = change;
    let Some(request) = request else {
        let gone = tx.prepare_cached("DELETE FROM request WHERE key = ?1 AND content = ?2");
        let mut gone = gone.doing("preparing to forget a request")?;
        return gone.execute((key, content.to_string())).doing("forgetting a request").map(drop);
    };
    let times: Vec<i64> = request.times.iter().map(|at| at.0).collect();
    let mut put = tx
        .prepare_cached(
            "INSERT OR REPLACE INTO request (key, content, subject, times, holds, until, seal)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, seal_of(?1, ?2, ?3, ?4, ?5, ?6))",
        )
        .doing("preparing to note a request")?;
    put.execute((
        key,
        content.to_string(),
        request.subject.to_string(),
        format!("{times:?}"),
        request.holds,
        request.until.0,
    ))
    .doing("noting a request")
    .map(drop)
}

impl Store {
    pub(crate) fn requests(&self) -> Result<Vec<(RequestKey, Request)>, StoreError> {
        let read = "SELECT key, content, subject, times, holds, until FROM request";
        let mut read = self.connection.prepare(read).doing("preparing to read requests")?;
        let mut rows = read.query(()).doing("reading requests")?;
        let mut requests = Vec::new();
        while let Some(row) = rows.next().doing("reading a request")? {
            let text = |column: usize| row.get::<_, String>(column).doing("reading a request");
            let times: Vec<i64> = serde_json::from_str(&text(3)?).unwrap_or_default();
            // An unreadable row is from a newer version, and only its own guard is lost.
            let (Ok(content), Some(subject)) = (Digest::try_from(text(1)?), subject(&text(2)?))
            else {
                continue;
            };
            let request = Request {
                subject,
                times: times.into_iter().map(Time).collect(),
                holds: row.get(4).doing("reading a request")?,
                until: Time(row.get(5).doing("reading a request")?),
            };
            requests.push(((text(0)?, content), request));
        }
        Ok(requests)
    }
}

fn subject(text: &str) -> Option<Subject> {
    let issue = IssueKey::parse(text).map(Subject::Issue);
    issue.or_else(|| RepoName::parse(text).map(Subject::Repo))
}
