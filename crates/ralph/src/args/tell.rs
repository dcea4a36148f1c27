//! The arguments of `ralph tell`: an issue, as `owner/name 7` or `owner/name#7`, and a text.

use super::values::{Named, issue_number, named};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use ralph_core::ids::IssueKey;

#[derive(Debug, Clone)]
pub(crate) struct TellArguments {
    pub(crate) issue: IssueKey,
    /// `None` lists the messages instead.
    pub(crate) text: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) json: bool,
}

/// The words as they are typed.
#[derive(Debug, Clone, Args)]
struct Typed {
    /// The repository, as owner/name; or the issue, as owner/name#7
    #[arg(value_parser = named)]
    repo: Named,
    /// The number of the issue, unless it is named already, and the message; `-` reads it from standard input
    #[arg(value_name = "ISSUE] [TEXT", num_args = 0..=2)]
    words: Vec<String>,
    /// List the messages of the issue instead, and where each was delivered
    #[arg(long, conflicts_with = "key")]
    list: bool,
    /// A name for this message: the same message with the same key is sent once within a day
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl TryFrom<Typed> for TellArguments {
    type Error = clap::Error;

    fn try_from(typed: Typed) -> Result<Self, clap::Error> {
        let Typed { repo, words, list, key, json } = typed;
        let mut words = words.into_iter();
        let issue = match repo {
            Named::Issue(issue) => issue,
            Named::Repo(repo) => {
                let number = words.next().ok_or_else(|| {
                    wrong(&format!(
                        "which issue of {repo}? write its number too: {repo} 42, or {repo}#42"
                    ))
                })?;
                IssueKey::new(
                    repo,
                    issue_number(&number).map_err(|why| wrong(&format!("{number:?} is {why}")))?,
                )
            }
        };
        let text = words.next();
        match (list, &text, words.next()) {
            (_, _, Some(more)) => {
                Err(wrong(&format!("the message is one argument; quote it, or leave {more:?} out")))
            }
            (true, Some(_), None) => Err(wrong("--list shows messages and sends none")),
            (false, None, None) => Err(wrong(&format!(
                "what is to be told? write a text in quotes, `-` to read it, or --list: {issue} \"…\""
            ))),
            (true, None, None) | (false, Some(_), None) => Ok(Self { issue, text, key, json }),
        }
    }
}

fn wrong(says: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::WrongNumberOfValues, format!("{says}\n"))
}

impl Args for TellArguments {
    fn augment_args(command: Command) -> Command {
        Typed::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Typed::augment_args_for_update(command)
    }
}

impl FromArgMatches for TellArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Typed::from_arg_matches(matches)?.try_into()
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
