//! State rows, statuses (`verdict`), blobs and cursors: all read at open, written when they change.

use super::Transaction;
use super::{Doing, Store, StoreError};
use ralph_core::digest::Digest;
use ralph_core::fact::Subject;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::Issue;
use ralph_core::repo::Repo;
use ralph_core::standing::Standing;
use ralph_core::time::Time;
use ralph_core::world::World;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, ToSql};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Enough for most rows, so that the buffer rarely has to grow.
const JSON_BYTES_USUAL: usize = 8 * 1024;

/// A text for a column. Serialised JSON is valid UTF-8, so it is bound as it is.
pub(crate) struct Json(Vec<u8>);

impl ToSql for Json {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(&self.0)))
    }
}

pub(crate) fn to_json<T: Serialize>(
    value: &T,
    what: &'static str,
    subject: &dyn std::fmt::Display,
) -> Result<Json, StoreError> {
    let mut text = Vec::with_capacity(JSON_BYTES_USUAL);
    let written = serde_json::to_writer(&mut text, value);
    written.map_err(|source| StoreError::Row { what, subject: subject.to_string(), source })?;
    Ok(Json(text))
}

pub(crate) fn from_json<T: DeserializeOwned>(
    text: &str,
    what: &'static str,
    subject: &dyn std::fmt::Display,
) -> Result<T, StoreError> {
    let value = serde_json::from_str(text);
    value.map_err(|source| StoreError::Row { what, subject: subject.to_string(), source })
}

pub(crate) fn put_issue(
    tx: &Transaction<'_>,
    key: &IssueKey,
    issue: &Issue,
) -> Result<(), StoreError> {
    let state = to_json(issue, "row", key)?;
    let mut put = tx
        .prepare_cached(
            "INSERT INTO issue (repo, number, state, managed, seal)
             VALUES (?1, ?2, ?3, ?4, seal_of(?1, ?2, ?3, ?4))
             ON CONFLICT (repo, number)
             DO UPDATE SET state = ?3, managed = ?4, seal = excluded.seal",
        )
        .doing("preparing to write an issue")?;
    let row = (key.repo.as_str(), key.number, state, issue.managed.is_some());
    put.execute(row).doing("writing an issue").map(drop)
}

pub(crate) fn put_repo(
    tx: &Transaction<'_>,
    name: &RepoName,
    repo: &Repo,
) -> Result<(), StoreError> {
    let state = to_json(repo, "row", name)?;
    let mut put = tx
        .prepare_cached(
            "INSERT INTO repo (name, state, seal) VALUES (?1, ?2, seal_of(?1, ?2))
             ON CONFLICT (name) DO UPDATE SET state = ?2, seal = excluded.seal",
        )
        .doing("preparing to write a repository")?;
    put.execute((name.as_str(), state)).doing("writing a repository").map(drop)
}

pub(crate) fn put_verdict(
    tx: &Transaction<'_>,
    subject: &Subject,
    standing: Option<&Standing>,
    now: Time,
) -> Result<(), StoreError> {
    let Some(standing) = standing else {
        let gone = tx.prepare_cached("DELETE FROM verdict WHERE subject = ?1");
        let mut gone = gone.doing("preparing to remove a verdict")?;
        return gone.execute([subject.to_string()]).doing("removing a verdict").map(drop);
    };
    let text = to_json(standing, "verdict", subject)?;
    let mut put = tx
        .prepare_cached(
            "INSERT INTO verdict (subject, standing, since, seal)
             VALUES (?1, ?2, ?3, seal_of(?1, ?2, ?3))
             ON CONFLICT (subject) DO UPDATE SET standing = ?2, since = ?3, seal = excluded.seal",
        )
        .doing("preparing to write a verdict")?;
    put.execute((subject.to_string(), text, now.0)).doing("writing a verdict").map(drop)
}

pub(crate) fn put_blob(tx: &Transaction<'_>, digest: Digest, text: &str) -> Result<(), StoreError> {
    let put = "INSERT OR IGNORE INTO blob (digest, text, seal) VALUES (?1, ?2, seal_of(?1, ?2))";
    let put = tx.prepare_cached(put);
    let mut put = put.doing("preparing to write a text")?;
    put.execute((digest.to_string(), text)).doing("writing a text").map(drop)
}

pub(crate) fn put_cursor(
    tx: &Transaction<'_>,
    repo: &RepoName,
    since: Time,
) -> Result<(), StoreError> {
    let mut put = tx
        .prepare_cached(
            "INSERT INTO cursor (repo, since, seal) VALUES (?1, ?2, seal_of(?1, ?2))
             ON CONFLICT (repo) DO UPDATE
             SET since = max(since, ?2), seal = seal_of(repo, max(since, ?2))",
        )
        .doing("preparing to write a cursor")?;
    put.execute((repo.as_str(), since.0)).doing("writing a cursor").map(drop)
}

impl Store {
    /// Reads every state row.
    pub fn world(&self) -> Result<World, StoreError> {
        world_of(&self.connection)
    }

    /// Every state row of a repository, in order.
    pub fn repos(&self) -> Result<Vec<(RepoName, Repo)>, StoreError> {
        let mut repos = Vec::new();
        read_repos(&self.connection, |name, repo| repos.push((name, repo)))?;
        Ok(repos)
    }

    /// Every state row of an issue as it is stored, in order.
    pub fn issue_texts(&self) -> Result<Vec<(IssueKey, String)>, StoreError> {
        let mut texts = Vec::new();
        read_issues(&self.connection, |key, text| {
            texts.push((key, text.to_owned()));
            Ok(())
        })?;
        Ok(texts)
    }

    /// Every status as stored.
    pub fn verdicts(&self) -> Result<Vec<(String, Standing)>, StoreError> {
        let mut all = self
            .connection
            .prepare_cached("SELECT subject, standing FROM verdict ORDER BY subject")
            .doing("preparing to read verdicts")?;
        let mut rows = all.query(()).doing("reading verdicts")?;
        let mut verdicts = Vec::new();
        while let Some(row) = rows.next().doing("reading a verdict")? {
            let subject: String = row.get(0).doing("reading a verdict")?;
            let text: String = row.get(1).doing("reading a verdict")?;
            let standing = from_json(&text, "verdict", &subject)?;
            verdicts.push((subject, standing));
        }
        Ok(verdicts)
    }

    pub fn blob(&self, digest: Digest) -> Result<Option<String>, StoreError> {
        text_of(&self.connection, digest)
    }

    pub fn cursor(&self, repo: &RepoName) -> Result<Option<Time>, StoreError> {
        let read = self.connection.prepare_cached("SELECT since FROM cursor WHERE repo = ?1");
        let mut read = read.doing("preparing to read a cursor")?;
        let since = read.query_row([repo.as_str()], |row| row.get(0)).optional();
        Ok(since.doing("reading a cursor")?.map(Time))
    }
}

/// Every state row.
pub(super) fn world_of(connection: &Connection) -> Result<World, StoreError> {
    let mut world = World::default();
    read_repos(connection, |name, repo| world.load_repo(name, repo))?;
    read_issues(connection, |key, text| {
        let issue = from_json(text, "row", &key)?;
        world.load_issue(key, issue);
        Ok(())
    })?;
    Ok(world)
}

/// A longer text, verified against its digest.
pub(super) fn text_of(
    connection: &Connection,
    digest: Digest,
) -> Result<Option<String>, StoreError> {
    let read = "SELECT text, seal IS seal_of(digest, text) FROM blob WHERE digest = ?1";
    let mut read = connection.prepare_cached(read).doing("preparing to read a text")?;
    let found = read.query_row([digest.to_string()], |row| Ok((row.get(0)?, row.get(1)?)));
    match found.optional().doing("reading a text")? {
        Some((_, false)) => Err(StoreError::Damaged { what: format!("the text {digest}") }),
        Some((text, true)) => Ok(Some(text)),
        None => Ok(None),
    }
}

fn read_issues(
    connection: &Connection,
    mut take: impl FnMut(IssueKey, &str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut all = connection
        .prepare_cached("SELECT repo, number, state FROM issue ORDER BY repo, number")
        .doing("preparing to read issues")?;
    let mut rows = all.query(()).doing("reading issues")?;
    // Rows are sorted, so a repository's name is parsed once and shared by all its issues.
    let mut known: Option<RepoName> = None;
    while let Some(row) = rows.next().doing("reading an issue")? {
        let repo = row.get_ref(0).doing("reading an issue")?.as_str().unwrap_or_default();
        let number: u64 = row.get(1).doing("reading an issue")?;
        let text = row.get_ref(2).doing("reading an issue")?.as_str().unwrap_or_default();
        let name = match known.take().filter(|known| known.as_str() == repo) {
            Some(known) => known,
            None => parse_name(repo)?,
        };
        let key = IssueKey::new(name.clone(), number);
        take(key, text)?;
        known = Some(name);
    }
    Ok(())
}

pub(super) fn read_repos(
    connection: &Connection,
    mut take: impl FnMut(RepoName, Repo),
) -> Result<(), StoreError> {
    let mut all = connection
        .prepare_cached("SELECT name, state FROM repo ORDER BY name")
        .doing("preparing to read repositories")?;
    let mut rows = all.query(()).doing("reading repositories")?;
    while let Some(row) = rows.next().doing("reading a repository")? {
        let name = row.get_ref(0).doing("reading a repository")?.as_str().unwrap_or_default();
        let text = row.get_ref(1).doing("reading a repository")?.as_str().unwrap_or_default();
        let name = parse_name(name)?;
        let repo = from_json(text, "row", &name)?;
        take(name, repo);
    }
    Ok(())
}

fn parse_name(text: &str) -> Result<RepoName, StoreError> {
    RepoName::parse(text).ok_or_else(|| StoreError::Row {
        what: "name",
        subject: format!("repository {text:?}"),
        source: serde::de::Error::custom("not owner/name"),
    })
}
