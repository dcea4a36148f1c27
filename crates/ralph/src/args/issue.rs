//! One issue on the command line: `owner/name 7`, or `owner/name#7` as Ralph prints it everywhere.

use super::values::{Named, issue_number, named};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use ralph_core::ids::IssueKey;

#[derive(Debug, Clone)]
pub(crate) struct IssueArguments(IssueKey);

impl IssueArguments {
    pub(crate) fn key(&self) -> IssueKey {
        self.0.clone()
    }
}

/// The words as they are typed.
#[derive(Debug, Clone, Args)]
struct Typed {
    /// The repository, as owner/name; or the issue, as owner/name#7
    #[arg(value_parser = named)]
    repo: Named,
    /// The number of the issue, unless it is named already
    #[arg(value_parser = issue_number, allow_negative_numbers = true)]
    issue: Option<u64>,
}

impl TryFrom<Typed> for IssueArguments {
    type Error = clap::Error;

    fn try_from(Typed { repo, issue }: Typed) -> Result<Self, clap::Error> {
        let says = match (repo, issue) {
            (Named::Issue(key), None) => return Ok(Self(key)),
            (Named::Repo(repo), Some(number)) => return Ok(Self(IssueKey::new(repo, number))),
            (Named::Issue(key), Some(number)) => {
                format!("{key} names the issue already; leave {number} out")
            }
            (Named::Repo(repo), None) => {
                format!("which issue of {repo}? write its number too: {repo} 42, or {repo}#42")
            }
        };
        Err(clap::Error::raw(ErrorKind::WrongNumberOfValues, format!("{says}\n")))
    }
}

impl Args for IssueArguments {
    fn augment_args(command: Command) -> Command {
        Typed::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Typed::augment_args_for_update(command)
    }
}

impl FromArgMatches for IssueArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Typed::from_arg_matches(matches)?.try_into()
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
