//! What can be typed: commands, arguments and options, each checked before anything is opened.

use clap::{Args, Parser, Subcommand};
use ralph_core::ids::{IssueKey, RepoName};
use std::fmt;
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0  it worked
  1  the issue asked about is not known, or the answer could not be written
  2  the command line was not understood
  3  the configuration is incomplete
  4  the state store is missing, damaged, newer than this program, or not Ralph's";

/// Works through the issues of your repositories and says why it does what it does.
///
/// The commands here look at Ralph's state store and leave commands in its inbox. They work while a daemon
/// runs and when none does.
#[derive(Debug, Parser)]
#[command(name = "ralph", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// The folder with the state store; without it `RALPH_HOME`, and without that `~/.ralph`
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show where every managed issue stands, and which effects wait to be performed
    Status {
        #[command(flatten)]
        format: Format,
    },
    /// Show what each gate of an issue's latest run has found, and on which commit
    Gates {
        #[command(flatten)]
        issue: IssueArguments,
        #[command(flatten)]
        format: Format,
    },
    /// Tell the story of an issue: what happened, when, on what evidence, and what it waits for
    Explain {
        #[command(flatten)]
        issue: IssueArguments,
        #[command(flatten)]
        format: Format,
    },
    /// Put an issue into the queue, or resume one that is paused, stopped or escalated
    Queue(IssueArguments),
    /// Let the turn under way finish and start nothing new for an issue
    Pause(IssueArguments),
    /// Cancel the work on an issue; its pull request stays open
    Stop(IssueArguments),
    /// Count an issue as resolved for the issues it blocks; its own status does not change
    Satisfy(IssueArguments),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct IssueArguments {
    /// The repository, as owner/name
    #[arg(value_parser = repo_name)]
    repo: RepoName,
    /// The number of the issue
    #[arg(value_parser = issue_number, allow_negative_numbers = true)]
    issue: u64,
}

impl IssueArguments {
    pub(crate) fn key(&self) -> IssueKey {
        IssueKey::new(self.repo.clone(), self.issue)
    }
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Format {
    /// Print one JSON document and nothing else; times are milliseconds since 1970-01-01 UTC
    #[arg(long)]
    pub(crate) json: bool,
}

/// Why an argument was not understood, and what to write instead. The input itself is named by clap.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NotUnderstood(String);

impl fmt::Display for NotUnderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotUnderstood {}

fn repo_name(text: &str) -> Result<RepoName, NotUnderstood> {
    RepoName::parse(text).ok_or_else(|| {
        let next = match (IssueKey::parse(text), text.contains("://")) {
            (Some(key), _) => format!("write the number apart: {} {}", key.repo, key.number),
            (None, true) => "write owner/name instead of an address".to_owned(),
            (None, false) => "write owner/name, as in acme/widgets".to_owned(),
        };
        NotUnderstood(format!("not a repository name; {next}"))
    })
}

fn issue_number(text: &str) -> Result<u64, NotUnderstood> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn numbers_beyond_what_the_store_holds_are_refused() {
        assert_eq!(issue_number("9223372036854775807"), Ok(9_223_372_036_854_775_807));
        assert!(issue_number("9223372036854775808").is_err());
        assert!(issue_number("99999999999999999999").is_err());
    }
}
