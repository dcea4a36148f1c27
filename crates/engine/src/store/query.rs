//! Read-only views: the status of everything, and one file below this one for each other view. They work while a daemon
//! writes and while none runs.

mod chain;
mod gates;
mod holds;
mod messages;
mod outcomes;
mod prompts;
mod repositories;
mod runs;
mod story;
mod usage;
mod would_queue;

pub use chain::Link;
pub use gates::{GateReport, GateView};
pub use holds::{Hold, HoldState};
pub use messages::MessageReport;
pub use outcomes::Outcome;
pub use repositories::RepoReport;
pub use runs::{RunRecord, RunReport, StepReport, WorkReport};
pub use story::{Report, StoryLine};
pub use usage::{AccountReport, RepoUsage, RoleUsage, UsageReport};

use super::inbox::{Drain, Posted, draining, posted};
use super::rows::{from_json, read_repos, text_of};
use super::{Doing, OpenError, StoreError, inspect, migrate, seal};
use crate::local_command::Order;
use ralph_core::account::AccountHold;
use ralph_core::digest::Digest;
use ralph_core::ids::{IssueKey, RepoName, RunId};
use ralph_core::issue::{Issue, Managed, Phase};
use ralph_core::label;
use ralph_core::lane::Lane;
use ralph_core::outage::Outage;
use ralph_core::recipe::Recipe;
use ralph_core::standing::Standing;
use ralph_core::time::Time;
use ralph_core::words;
use rusqlite::{Connection, OptionalExtension as _, Row};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// A state store opened for reading.
#[derive(Debug)]
pub struct Reader {
    connection: Connection,
}

/// The status of everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusReport {
    pub issues: Vec<IssueReport>,
    pub by_status: BTreeMap<String, usize>,
    /// Repositories with something to report.
    pub repos: Vec<RepoReport>,
    /// Commands given on this machine that no daemon has taken yet.
    pub inbox: Vec<InboxReport>,
    /// Effects that wait to be performed, with the reason when one was put back.
    pub outbox: Vec<OutboxReport>,
    /// The time until which the lease of the current or last writer lasts.
    pub writer_until: Option<Time>,
    /// The order to start nothing new.
    pub draining: Option<Drain>,
    /// Nothing new starts because the agents' program fails.
    pub outage: Option<Outage>,
    /// Accounts of agents that no turn is started with.
    pub held_accounts: Vec<AccountHold>,
    /// Commands given on this machine within the last day that were refused, the latest first.
    pub refused: Vec<Outcome>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IssueReport {
    pub repo: RepoName,
    pub number: u64,
    pub title: String,
    pub status: Option<String>,
    pub priority: String,
    pub standing: Option<Standing>,
    /// The contract's name for the reason why it does not move: `deps`, `ci-failure`, `merge-conflict` and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_source: Option<&'static str>,
    pub says: String,
    pub run: Option<String>,
    /// The recovery lane that its run is an attempt of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<Lane>,
    pub since: Time,
}

impl IssueReport {
    /// Reports that an issue which could continue waits for the agents.
    fn wait_for_agents(&mut self, outage: &Outage) {
        let says = self.standing.as_ref().and_then(|it| words::waits_for_agents(it, outage));
        self.says = says.unwrap_or_else(|| std::mem::take(&mut self.says));
    }
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

/// The current or last holder of the writer's lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WriterReport {
    pub owner: String,
    pub until: Time,
}

/// The part of an issue's row that its line in the status needs; the rest is skipped.
#[derive(Deserialize)]
struct Sketch<'a> {
    #[serde(borrow)]
    seen: Option<SeenSketch<'a>>,
    managed: Option<ManagedSketch>,
}

#[derive(Deserialize)]
struct SeenSketch<'a> {
    #[serde(borrow)]
    title: Cow<'a, str>,
    #[serde(borrow)]
    labels: Vec<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct ManagedSketch {
    phase: Phase,
    #[serde(default)]
    is_paused: bool,
    run: Option<RunSketch>,
}

#[derive(Deserialize)]
struct RunSketch {
    id: RunId,
    #[serde(default)]
    recipe: Recipe,
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
        let mut issues = self.issue_reports()?;
        issues.extend(self.would_queue()?);
        let mut by_status = BTreeMap::new();
        for status in issues.iter().filter_map(|issue| issue.status.as_ref()) {
            match by_status.get_mut(status) {
                Some(count) => *count += 1,
                None => drop(by_status.insert(status.clone(), 1)),
            }
        }
        let writer_until = self.writer()?.map(|writer| writer.until);
        let draining = draining(&self.connection)?;
        let (repos, inbox, outbox) = (self.repositories()?, self.inbox()?, self.outbox()?);
        let ((outage, held_accounts), refused) = (self.outage()?, self.refused()?);
        if let Some(outage) = &outage {
            issues.iter_mut().for_each(|issue| issue.wait_for_agents(outage));
        }
        Ok(StatusReport {
            issues,
            by_status,
            repos,
            inbox,
            outbox,
            writer_until,
            draining,
            outage,
            held_accounts,
            refused,
        })
    }

    /// The outage, if the agents' program fails on every issue, and the accounts that are held.
    pub(super) fn outage(&self) -> Result<(Option<Outage>, Vec<AccountHold>), StoreError> {
        let mut repos = Vec::new();
        read_repos(&self.connection, |name, repo| repos.push((name, repo)))?;
        let repos = repos.iter().map(|(name, repo)| (name, repo));
        Ok((Outage::of(repos.clone()), AccountHold::all(repos)))
    }

    fn issue_reports(&self) -> Result<Vec<IssueReport>, StoreError> {
        let mut read = self
            .connection
            .prepare(
                "SELECT issue.repo, issue.number, issue.state, verdict.standing, verdict.since
                 FROM issue LEFT JOIN verdict ON verdict.subject = issue.repo || '#' || issue.number
                 WHERE issue.managed = 1 ORDER BY issue.repo, issue.number",
            )
            .doing("preparing to read issues")?;
        let mut rows = read.query(()).doing("reading issues")?;
        let mut issues: Vec<IssueReport> = Vec::new();
        while let Some(row) = rows.next().doing("reading an issue")? {
            // Rows are sorted, so a repository's name is parsed once and shared by all its issues.
            let known = issues.last().map(|issue| &issue.repo);
            issues.extend(sketched(row, known)?);
        }
        Ok(issues)
    }

    /// The current or last writer; `None` if there never was one.
    pub fn writer(&self) -> Result<Option<WriterReport>, StoreError> {
        let read = "SELECT owner, expires FROM lease WHERE name = 'writer'";
        let found = self.connection.query_row(read, (), |row| {
            Ok(WriterReport { owner: row.get(0)?, until: Time(row.get(1)?) })
        });
        found.optional().doing("reading the writer's lease")
    }

    /// Checks the whole file; `None` if it is sound.
    pub fn damage(&self) -> Result<Option<String>, StoreError> {
        let check = "PRAGMA integrity_check(1)";
        let checked = self.connection.query_row(check, (), |row| row.get(0));
        let verdict: String = checked.doing("checking the whole store")?;
        if verdict != "ok" {
            return Ok(Some(verdict));
        }
        let version = inspect::version(&self.connection).doing("reading the version")?;
        if version < seal::SINCE_VERSION {
            return Ok(None);
        }
        let broken = seal::broken(&self.connection, version, seal::Extent::Everything);
        let broken = broken.doing("holding rows against their digests")?;
        Ok(broken.map(|name| format!("{name:?} does not match its digest")))
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

    /// A longer text, by its digest.
    fn text(&self, digest: Digest) -> Result<Option<String>, StoreError> {
        text_of(&self.connection, digest)
    }

    /// Every managed issue with its whole row.
    fn managed_issues(&self) -> Result<Vec<(IssueKey, Issue)>, StoreError> {
        let mut read = self
            .connection
            .prepare(
                "SELECT repo, number, state FROM issue WHERE managed = 1 ORDER BY repo, number",
            )
            .doing("preparing to read issues")?;
        let mut rows = read.query(()).doing("reading issues")?;
        let mut issues = Vec::new();
        while let Some(row) = rows.next().doing("reading an issue")? {
            let repo: String = row.get(0).doing("reading an issue")?;
            let text: String = row.get(2).doing("reading an issue")?;
            if let Some(repo) = RepoName::parse(&repo) {
                let key = IssueKey::new(repo, row.get(1).doing("reading an issue")?);
                let issue = from_json(&text, "row", &key)?;
                issues.push((key, issue));
            }
        }
        Ok(issues)
    }

    fn report(&self, key: &IssueKey, issue: &Issue) -> Result<IssueReport, StoreError> {
        let read = "SELECT standing, since FROM verdict WHERE subject = ?1";
        let read = self.connection.prepare_cached(read);
        let found: Option<(String, i64)> = read
            .doing("preparing to read a verdict")?
            .query_row([key.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .doing("reading a verdict")?;
        let standing: Option<Standing> =
            found.as_ref().map(|(text, _)| from_json(text, "verdict", key)).transpose()?;
        let managed = issue.managed.as_ref();
        let run = managed.and_then(|managed| managed.run.as_ref());
        let lane = run.and_then(|run| run.recipe.lane());
        let says = standing.as_ref().map(|standing| words::standing_in(lane, standing));
        Ok(IssueReport {
            repo: key.repo.clone(),
            number: key.number,
            title: issue.title().to_owned(),
            status: managed.and_then(|managed| managed.status()).map(|status| status.to_string()),
            priority: issue.priority().name().to_owned(),
            says: says.unwrap_or_else(|| "not managed".to_owned()),
            blocked_source: standing.as_ref().and_then(Standing::blocked_source),
            standing,
            run: run.map(|run| run.id.to_string()),
            lane,
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
        // The order to drain holds until it is revoked, so it does not wait for a daemon.
        let waits = |posted: &Posted| posted.command.order != Order::Drain;
        let report = |posted: Posted| {
            let order = &posted.command.order;
            InboxReport { issue: order.about(), command: order.name(), at: posted.at }
        };
        Ok(posted(&self.connection)?.into_iter().filter(waits).map(report).collect())
    }
}

/// Reads one line of the status from a row; `None` if only a newer version understands the repository's name.
fn sketched(row: &Row<'_>, known: Option<&RepoName>) -> Result<Option<IssueReport>, StoreError> {
    fn text<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r str, StoreError> {
        let value = row.get_ref(column).doing("reading an issue")?;
        Ok(value.as_str_or_null().unwrap_or_default().unwrap_or_default())
    }
    let repo = text(row, 0)?;
    let known = known.filter(|known| known.as_str() == repo).cloned();
    let Some(repo) = known.or_else(|| RepoName::parse(repo)) else { return Ok(None) };
    let number: u64 = row.get(1).doing("reading an issue")?;
    let key = IssueKey::new(repo, number);
    let Sketch { seen, managed } = sketch(text(row, 2)?, &key)?;
    let (title, labels) = seen.map(|seen| (seen.title, seen.labels)).unwrap_or_default();
    let standing: Option<Standing> = match text(row, 3)? {
        "" => None,
        text => Some(from_json(text, "verdict", &key)?),
    };
    let run = managed.as_ref().and_then(|managed| managed.run.as_ref());
    let lane = run.and_then(|run| run.recipe.lane());
    let says = standing.as_ref().map(|standing| words::standing_in(lane, standing));
    let run = run.map(|run| run.id.to_string());
    let status = managed.and_then(|managed| {
        let is_paused = managed.is_paused;
        Managed { is_paused, ..Managed::new(managed.phase, Time::default()) }.status()
    });
    let since: Option<i64> = row.get(4).doing("reading a verdict")?;
    Ok(Some(IssueReport {
        repo: key.repo,
        number,
        title: title.into_owned(),
        status: status.map(|status| status.to_string()),
        priority: label::priority_of(labels.iter().map(AsRef::as_ref)).name().to_owned(),
        says: says.unwrap_or_else(|| "not managed".to_owned()),
        blocked_source: standing.as_ref().and_then(Standing::blocked_source),
        standing,
        run,
        lane,
        since: since.map(Time).unwrap_or_default(),
    }))
}

fn sketch<'a>(text: &'a str, key: &IssueKey) -> Result<Sketch<'a>, StoreError> {
    let read = serde_json::from_str(text);
    read.map_err(|source| StoreError::Row { what: "row", subject: key.to_string(), source })
}
