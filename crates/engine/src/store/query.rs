//! Read-only views: status, gates and the story of one issue. They work while a daemon writes and when none
//! runs.

use super::rows::from_json;
use super::{Doing, JournalEntry, OpenError, StoreError, journal, migrate};
use ralph_core::gate::{Gate, GateRecord, GateStatus};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::Issue;
use ralph_core::standing::Standing;
use ralph_core::time::Time;
use ralph_core::words;
use rusqlite::{Connection, OptionalExtension as _};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A state store opened for reading.
#[derive(Debug)]
pub struct Reader {
    connection: Connection,
}

/// Where everything stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusReport {
    pub issues: Vec<IssueReport>,
    pub by_status: BTreeMap<String, usize>,
    /// Commands given on this machine that no daemon has taken yet.
    pub inbox: Vec<InboxReport>,
    /// Effects that wait to be performed, with the reason when one was put back.
    pub outbox: Vec<OutboxReport>,
    /// Until when the present or last writer's lease lasts.
    pub writer_until: Option<Time>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IssueReport {
    pub repo: RepoName,
    pub number: u64,
    pub title: String,
    pub status: Option<String>,
    pub priority: String,
    pub standing: Option<Standing>,
    pub says: String,
    pub run: Option<String>,
    pub since: Time,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InboxReport {
    pub issue: String,
    pub command: String,
    pub at: Time,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutboxReport {
    pub key: String,
    pub state: String,
    pub tries: u32,
    pub due: Time,
    pub reason: String,
}

/// The gates of an issue's latest run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateReport {
    pub repo: RepoName,
    pub issue: u64,
    pub run: Option<String>,
    pub gates: BTreeMap<&'static str, GateView>,
    pub ready_for_pr: bool,
    pub artifacts: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateView {
    pub status: GateStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub head: Option<String>,
}

/// The story of one issue: every decision, when and on what evidence, and what comes next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    pub issue: IssueReport,
    pub story: Vec<StoryLine>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoryLine {
    pub at: Time,
    pub says: String,
}

impl Reader {
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Ok(Self { connection: migrate::open_read_only(path)? })
    }

    /// Everything as of one moment, whatever a daemon writes meanwhile.
    pub fn status(&self) -> Result<StatusReport, StoreError> {
        let moment = self.connection.unchecked_transaction().doing("beginning to read")?;
        let report = self.status_now();
        moment.finish().doing("ending to read")?;
        report
    }

    fn status_now(&self) -> Result<StatusReport, StoreError> {
        let mut read = self
            .connection
            .prepare(
                "SELECT repo || '#' || number, state FROM issue WHERE managed = 1 ORDER BY repo, number",
            )
            .doing("preparing to read issues")?;
        let mut rows = read.query(()).doing("reading issues")?;
        let mut issues = Vec::new();
        while let Some(row) = rows.next().doing("reading an issue")? {
            let name: String = row.get(0).doing("reading an issue")?;
            let text: String = row.get(1).doing("reading an issue")?;
            let issue: Issue = from_json(&text, "row", &name)?;
            if let Some(key) = IssueKey::parse(&name) {
                issues.push(self.report(&key, &issue)?);
            }
        }
        let mut by_status = BTreeMap::new();
        for status in issues.iter().filter_map(|issue| issue.status.clone()) {
            *by_status.entry(status).or_insert(0) += 1;
        }
        let (outbox, writer_until) = (self.outbox()?, self.writer_until()?);
        Ok(StatusReport { issues, by_status, inbox: self.inbox()?, outbox, writer_until })
    }

    /// `None`: the issue is not known.
    pub fn gates(&self, key: &IssueKey) -> Result<Option<GateReport>, StoreError> {
        let Some(issue) = self.issue(key)? else { return Ok(None) };
        let run = issue.managed.as_ref().and_then(|managed| managed.run.as_ref());
        let gates = Gate::ALL.iter().map(|gate| {
            let record = run.and_then(|run| run.gates.get(*gate));
            (gate.name(), view(record))
        });
        Ok(Some(GateReport {
            repo: key.repo.clone(),
            issue: key.number,
            run: run.map(|run| run.id.to_string()),
            gates: gates.collect(),
            ready_for_pr: run.is_some_and(ralph_core::run::Run::is_ready_for_pull),
            artifacts: run.and_then(|run| run.last_failure.clone()).into_iter().collect(),
        }))
    }

    /// `None`: the issue is not known.
    pub fn explain(&self, key: &IssueKey) -> Result<Option<Report>, StoreError> {
        let Some(issue) = self.issue(key)? else { return Ok(None) };
        let entries = journal::entries(&self.connection, Some(&key.to_string()), 0)?;
        let line = |entry: JournalEntry| {
            Some(StoryLine { at: entry.at, says: words::journal_line(&entry.fact)? })
        };
        let story = entries.into_iter().filter_map(line).collect();
        Ok(Some(Report { issue: self.report(key, &issue)?, story }))
    }

    fn issue(&self, key: &IssueKey) -> Result<Option<Issue>, StoreError> {
        let read = "SELECT state FROM issue WHERE repo = ?1 AND number = ?2";
        let text: Option<String> = self
            .connection
            .query_row(read, (key.repo.as_str(), key.number), |row| row.get(0))
            .optional()
            .doing("reading an issue")?;
        text.map(|text| from_json(&text, "row", key)).transpose()
    }

    fn report(&self, key: &IssueKey, issue: &Issue) -> Result<IssueReport, StoreError> {
        let read = "SELECT standing, since FROM verdict WHERE subject = ?1";
        let found: Option<(String, i64)> = self
            .connection
            .query_row(read, [key.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .doing("reading a verdict")?;
        let standing: Option<Standing> =
            found.as_ref().map(|(text, _)| from_json(text, "verdict", key)).transpose()?;
        let managed = issue.managed.as_ref();
        let says = standing.as_ref().map(words::standing);
        Ok(IssueReport {
            repo: key.repo.clone(),
            number: key.number,
            title: issue.title().to_owned(),
            status: managed.and_then(|managed| managed.status()).map(|status| status.to_string()),
            priority: issue.priority().name().to_owned(),
            says: says.unwrap_or_else(|| "not managed".to_owned()),
            standing,
            run: managed.and_then(|m| m.run.as_ref()).map(|run| run.id.to_string()),
            since: found.map_or_else(Time::default, |(_, since)| Time(since)),
        })
    }

    fn outbox(&self) -> Result<Vec<OutboxReport>, StoreError> {
        let mut read = self
            .connection
            .prepare("SELECT key, state, tries, due, reason FROM outbox ORDER BY id")
            .doing("preparing to read the outbox")?;
        let rows = read.query_map((), |row| {
            Ok(OutboxReport {
                key: row.get(0)?,
                state: row.get(1)?,
                tries: row.get(2)?,
                due: Time(row.get(3)?),
                reason: row.get(4)?,
            })
        });
        rows.doing("reading the outbox")?.collect::<Result<_, _>>().doing("reading the outbox")
    }

    fn inbox(&self) -> Result<Vec<InboxReport>, StoreError> {
        let read = "SELECT issue, command, at FROM inbox ORDER BY id";
        let mut read = self.connection.prepare(read).doing("preparing to read the inbox")?;
        let rows = read.query_map((), |row| {
            let (issue, command) = (row.get(0)?, row.get(1)?);
            Ok(InboxReport { issue, command, at: Time(row.get(2)?) })
        });
        rows.doing("reading the inbox")?.collect::<Result<_, _>>().doing("reading the inbox")
    }

    fn writer_until(&self) -> Result<Option<Time>, StoreError> {
        let read = "SELECT expires FROM lease WHERE name = 'writer'";
        let found = self.connection.query_row(read, (), |row| row.get(0)).optional();
        Ok(found.doing("reading the writer's lease")?.map(Time))
    }
}

fn view(record: Option<&GateRecord>) -> GateView {
    let Some(record) = record else {
        return GateView {
            status: GateStatus::Pending,
            reason: None,
            skip_reason: None,
            command: None,
            url: None,
            head: None,
        };
    };
    let is_skipped = record.status == GateStatus::Skipped;
    let reason = Some(record.reason.clone()).filter(|reason| !reason.is_empty());
    GateView {
        status: record.status,
        reason: reason.clone().filter(|_| !is_skipped),
        skip_reason: reason.filter(|_| is_skipped),
        command: record.command.clone(),
        url: record.url.clone(),
        head: record.head.as_ref().map(ToString::to_string),
    }
}
