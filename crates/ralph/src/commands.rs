//! One command, one file. Here is what they share: where the home is, and how an answer is written.

mod completions;
mod doctor;
mod drain;
mod explain;
mod forge;
mod gates;
mod init;
mod logs;
mod man;
mod post;
mod prompt;
mod runs;
mod status;
mod take_over;
mod tell;
mod usage;
mod watch;
mod work;
mod worktrees;

use crate::args::{Arguments, Command, RunsCommand, WorktreesCommand};
use crate::config::Config;
use crate::daemon::Until;
use crate::demo;
use crate::environment::Environment;
use crate::error::{CliError, ErrorKind};
use crate::home::{self, Home};
use crate::screen::{Paint, Screen};
use crate::wall_clock;
use ralph_core::command::{Command as Order, Manner};
use ralph_core::gate::GateStatus;
use ralph_core::ids::{IssueKey, Login};
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::Policy;
use ralph_core::time::Time;
use ralph_core::words;
use ralph_engine::store::{IssueReport, Reader};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The context of every command.
struct CommandContext<'a> {
    home: Home,
    now: Time,
    login: Login,
    screen: &'a Screen,
}

pub(crate) fn run(
    arguments: &Arguments,
    environment: &Environment,
    screen: &Screen,
) -> Result<(), CliError> {
    let context = || {
        let home = Home::at(home(arguments.home.as_deref(), environment)?);
        let login = Login::new(&environment.login);
        Ok::<_, CliError>(CommandContext { home, now: wall_clock::now(), login, screen })
    };
    match &arguments.command {
        Command::Demo { keep, format } => {
            demo::run(&demo::Options { keep: keep.clone(), json: format.json }, environment, screen)
        }
        Command::Init(arguments) => init::run(&context()?, environment, arguments),
        Command::Run { until_idle, new_identity, config } => {
            let until = if *until_idle { Until::Idle } else { Until::Stopped };
            let options = work::Options {
                until,
                accepts_new_identity: *new_identity,
                config: config.config.as_deref(),
            };
            work::run(&context()?, environment, &options)
        }
        Command::Status { format } => status::run(&context()?, *format),
        Command::Usage { config, format } => usage::run(&context()?, config, *format),
        Command::Gates { issue, format } => gates::run(&context()?, &issue.key(), *format),
        Command::Explain { issue, format } => explain::run(&context()?, &issue.key(), *format),
        Command::Prompt { role, repo, issue, config, format } => {
            let key = repo.clone().zip(*issue).map(|(repo, issue)| IssueKey::new(repo, issue));
            let of = key.map(|key| prompt::Of { key, config: config.config.as_deref() });
            prompt::run(&context()?, *role, of.as_ref(), *format)
        }
        Command::Runs { command: None, format } => runs::list(&context()?, *format),
        Command::Runs { command: Some(RunsCommand::Show { id, repo, format }), .. } => {
            runs::show(&context()?, *id, repo.as_ref(), *format)
        }
        Command::Watch(arguments) => watch::run(&context()?, arguments),
        Command::Logs(arguments) => logs::run(&context()?, arguments),
        Command::Queue { issue, fresh } => {
            post::run(&context()?, &issue.key(), (Order::Queue, in_manner(*fresh, Manner::Fresh)))
        }
        Command::Tell(arguments) => tell::run(&context()?, arguments),
        Command::Pause(issue) => {
            post::run(&context()?, &issue.key(), (Order::Pause, Manner::Plain))
        }
        Command::Stop(issue) => post::run(&context()?, &issue.key(), (Order::Stop, Manner::Plain)),
        Command::Satisfy { issue, undo } => {
            post::run(&context()?, &issue.key(), (Order::Satisfy, in_manner(*undo, Manner::Undo)))
        }
        Command::Drain => drain::drain(&context()?),
        Command::Resume => drain::resume(&context()?),
        Command::TakeOver { repo } => take_over::run(&context()?, repo),
        Command::Worktrees { command: None, format }
        | Command::Worktrees { command: Some(WorktreesCommand::List { format }), .. } => {
            worktrees::list(&context()?, *format)
        }
        Command::Worktrees {
            command: Some(WorktreesCommand::Prune { given_up, dry_run, format }),
            ..
        } => {
            let wish = worktrees::Wish { given_up: *given_up, dry_run: *dry_run };
            worktrees::prune(&context()?, environment, wish, *format)
        }
        Command::Doctor { wish, config, format } => {
            doctor::run(&context()?, *wish, config.config.as_deref(), *format)
        }
        Command::Forge(command) => forge::run(&context()?, command),
        // They were taken before anything else.
        Command::Guard { .. } | Command::DemoAgent => Ok(()),
        Command::Completions { shell } => completions::run(screen, *shell),
        Command::Man { out } => man::run(screen, out.as_deref()),
    }
}

const fn in_manner(is_asked: bool, manner: Manner) -> Manner {
    if is_asked { manner } else { Manner::Plain }
}

fn home(chosen: Option<&Path>, environment: &Environment) -> Result<PathBuf, CliError> {
    let below = |user: &PathBuf| user.join(home::FOLDER);
    chosen
        .map(Path::to_owned)
        .or_else(|| environment.ralph_home.clone())
        .or_else(|| environment.user_home.as_ref().map(below))
        .ok_or_else(|| {
            CliError::new(ErrorKind::Config, "there is no folder to look for the state store in")
                .with_hint("pass --home DIR, or set RALPH_HOME")
        })
}

impl CommandContext<'_> {
    /// The policy of the configuration, for commands that show what a decision would be.
    fn policy(&self, config: Option<&Path>) -> Result<Policy, CliError> {
        let path = config.map_or_else(|| self.home.config(), Path::to_owned);
        let config = Config::load(&path)?;
        let root = self.home.worktrees();
        let root = ManagedRoot::new(&root.to_string_lossy()).ok_or_else(|| {
            let says = format!("{} is no folder for worktrees", root.display());
            CliError::new(ErrorKind::Config, says).with_hint("name the home by its absolute path")
        })?;
        Ok(config.policy(self.login.clone(), root, false))
    }

    /// Opens the store for reading; nothing is made when it is not there.
    fn reader(&self) -> Result<Reader, CliError> {
        let path = self.home.store();
        match path.try_exists() {
            Ok(true) => Ok(Reader::open(&path)?),
            Ok(false) => {
                let says = format!("there is no state store at {}", path.display());
                Err(CliError::new(ErrorKind::NoStore, says).with_hint(
                    "the first `ralph run` makes it; --home DIR or RALPH_HOME names another folder",
                ))
            }
            Err(cause) => {
                let says = format!("the state store {} cannot be reached", path.display());
                let hint = "name the folder with --home DIR or RALPH_HOME";
                Err(CliError::new(ErrorKind::Store, says).caused_by(&cause).with_hint(hint))
            }
        }
    }

    fn unknown_issue(key: &IssueKey) -> CliError {
        CliError::new(ErrorKind::Request, format!("{key} is not in the state store"))
            .with_hint("`ralph status` lists the issues that are")
    }

    fn answer_json(&self, document: &impl Serialize) -> Result<(), CliError> {
        let mut text = serde_json::to_string(document)?;
        text.push('\n');
        self.screen.answer(&text)
    }
}

/// Work under way ended with the daemon, so a verdict from before says too much.
fn says_without_daemon(issue: &mut IssueReport) {
    if let Some(says) = issue.standing.as_ref().and_then(words::left_under_way) {
        issue.says = says;
    }
}

/// The colour of a status label; unmanaged issues have none.
fn paint_of_status(status: Option<&str>) -> Paint {
    match status.unwrap_or_default() {
        "queued" => Paint::Waiting,
        "in-progress" => Paint::Busy,
        "escalated" => Paint::Bad,
        "in-bot" | "done" => Paint::Good,
        _ => Paint::Faint,
    }
}

const fn word_and_paint(status: GateStatus) -> (&'static str, Paint) {
    match status {
        GateStatus::Pending => ("pending", Paint::Busy),
        GateStatus::Pass => ("pass", Paint::Good),
        GateStatus::Fail => ("fail", Paint::Bad),
        GateStatus::Skipped => ("skipped", Paint::Faint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::ExitCode;

    fn environment(ralph_home: Option<&str>, user_home: Option<&str>) -> Environment {
        Environment {
            ralph_home: ralph_home.map(PathBuf::from),
            user_home: user_home.map(PathBuf::from),
            login: "mia".to_owned(),
            allows_colour: false,
        }
    }

    #[test]
    fn the_option_wins_over_the_variable_and_the_variable_over_the_home_folder() {
        let all = environment(Some("/var/ralph"), Some("/home/mia"));
        assert_eq!(home(Some(Path::new("here")), &all).unwrap(), Path::new("here"));
        assert_eq!(home(None, &all).unwrap(), Path::new("/var/ralph"));
        let user = environment(None, Some("/home/mia"));
        assert_eq!(home(None, &user).unwrap(), Path::new("/home/mia/.ralph"));
    }

    #[test]
    fn without_any_folder_the_configuration_is_incomplete() {
        let error = home(None, &environment(None, None)).unwrap_err();
        assert_eq!(error.exit_code(), ExitCode::from(3));
        assert!(error.hint.unwrap().contains("RALPH_HOME"));
    }
}
