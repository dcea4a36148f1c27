//! Single arguments: each checked for what it has to be, with what to write instead.

use super::Since;
use crate::config::length;
use ralph_core::ids::{IssueKey, Login, RepoName, RunId};
use ralph_core::job::Role;
use std::fmt;

/// The reason why an argument was not understood, and what to write instead. The input itself is named by clap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotUnderstood(String);

impl fmt::Display for NotUnderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotUnderstood {}

/// A repository, or an issue of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    Repo(RepoName),
    Issue(IssueKey),
}

pub(super) fn named(text: &str) -> Result<Named, NotUnderstood> {
    match text.split_once('#') {
        Some((repo, number)) => {
            Ok(Named::Issue(IssueKey::new(repo_name(repo)?, issue_number(number)?)))
        }
        None => repo_name(text).map(Named::Repo),
    }
}

pub(super) fn repo_name(text: &str) -> Result<RepoName, NotUnderstood> {
    RepoName::parse(text).ok_or_else(|| {
        let next = if text.contains("://") {
            "write owner/name instead of an address"
        } else if text.contains('#') {
            "leave the # and what follows out"
        } else {
            "write owner/name, as in acme/widgets"
        };
        NotUnderstood(format!("not a repository name; {next}"))
    })
}

pub(super) fn login(text: &str) -> Result<Login, NotUnderstood> {
    let mut letters = text.bytes();
    let is_login = !text.is_empty() && letters.all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let says = "not a login; write it without the @, as in octocat";
    if is_login { Ok(Login::new(text)) } else { Err(NotUnderstood(says.to_owned())) }
}

pub(super) fn variable(text: &str) -> Result<String, NotUnderstood> {
    let mut letters = text.bytes();
    let is_name = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let says = "not the name of an environment variable; write the name and not the token itself";
    if is_name { Ok(text.to_owned()) } else { Err(NotUnderstood(says.to_owned())) }
}

pub(super) fn since(text: &str) -> Result<Since, NotUnderstood> {
    if let Some(span) = length::parse(text) {
        return Ok(Since::Ago(span));
    }
    let text = text.trim().trim_end_matches('Z').replacen(' ', "T", 1);
    // A pattern of digits and marks, of which any beginning that has a whole day will do.
    let is_date = text.len() >= 10
        && text.chars().zip("0000-00-00T00:00:00.000".chars()).all(|(letter, like)| {
            if like == '0' { letter.is_ascii_digit() } else { letter == like }
        })
        && text.len() <= 23;
    let says =
        "not a time; write how long ago, as in 90m, 2h or 3d, or a date such as 2026-01-31T12:00";
    if is_date { Ok(Since::At(text)) } else { Err(NotUnderstood(says.to_owned())) }
}

pub(super) fn issue_number(text: &str) -> Result<u64, NotUnderstood> {
    let not_one = |next: &str| Err(NotUnderstood(format!("not an issue number; {next}")));
    match text.parse() {
        Ok(0) => not_one("numbers begin at 1"),
        // The store's integers have a sign.
        Ok(number) if i64::try_from(number).is_ok() => Ok(number),
        Ok(_) => not_one("no issue has a number as large as that"),
        Err(_) if text.starts_with('#') => not_one("write it without the #"),
        Err(_) => not_one("write a whole number from 1 on, as in 42"),
    }
}

pub(super) fn role(text: &str) -> Result<Role, NotUnderstood> {
    let known = Role::ALL.into_iter().find(|role| role.name() == text);
    known.ok_or_else(|| {
        let names: Vec<_> = Role::ALL.into_iter().map(Role::name).collect();
        NotUnderstood(format!("not a role; write one of {}", names.join(", ")))
    })
}

pub(super) fn run_id(text: &str) -> Result<RunId, NotUnderstood> {
    let whole = |text: &str| text.parse().ok().filter(|number| *number > 0);
    let parts = text.split_once('-').and_then(|(issue, run)| {
        let run = u32::try_from(whole(run)?).ok()?;
        Some(RunId { issue: whole(issue)?, run })
    });
    let next = "write the issue's number and which run of it, as in 42-1; `ralph runs` lists them";
    parts.ok_or_else(|| NotUnderstood(format!("not the id of a run; {next}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_what_the_store_holds_are_refused() {
        assert_eq!(issue_number("9223372036854775807"), Ok(9_223_372_036_854_775_807));
        assert!(issue_number("9223372036854775808").is_err());
        assert!(issue_number("99999999999999999999").is_err());
    }

    #[test]
    fn a_run_is_an_issue_and_a_count() {
        assert_eq!(run_id("42-3"), Ok(RunId { issue: 42, run: 3 }));
        for bad in ["", "42", "42-", "-3", "0-1", "42-0", "42-3-1", "a-1", "42-4294967296"] {
            assert!(run_id(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn times_are_lengths_or_dates() {
        let ninety = ralph_core::time::Span::from_mins(90);
        assert_eq!(since("90m"), Ok(Since::Ago(ninety)));
        for (typed, at) in [
            ("2026-01-31", "2026-01-31"),
            ("2026-01-31 12:00", "2026-01-31T12:00"),
            ("2026-01-31T12:00:05.123Z", "2026-01-31T12:00:05.123"),
        ] {
            assert_eq!(since(typed), Ok(Since::At(at.to_owned())));
        }
        for wrong in ["yesterday", "2026-1-31", "12:00", "2026-01-31T12:00:05.123456", ""] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }
}
