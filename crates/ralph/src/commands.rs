//! One command, one file. Here is what they share: where the store is, and how an answer is written.

mod explain;
mod gates;
mod post;
mod status;

use crate::args::{Arguments, Command};
use crate::environment::Environment;
use crate::error::CliError;
use crate::screen::{Paint, Screen};
use crate::wall_clock;
use ralph_core::command::Command as Order;
use ralph_core::gate::GateStatus;
use ralph_core::ids::Login;
use ralph_core::time::Time;
use ralph_engine::store::Reader;
use std::path::{Path, PathBuf};

/// The folder below the user's own when nothing else is said.
const HOME_FOLDER: &str = ".ralph";
const STORE_FILE: &str = "state.sqlite";

/// What every command has to hand.
struct Scene<'a> {
    store: PathBuf,
    now: Time,
    login: Login,
    screen: &'a Screen,
}

pub(crate) fn run(
    arguments: &Arguments,
    environment: &Environment,
    screen: &Screen,
) -> Result<(), CliError> {
    let home = home(arguments.home.as_deref(), environment)?;
    let store = home.join(STORE_FILE);
    let login = Login::new(&environment.login);
    let scene = Scene { store, now: wall_clock::now(), login, screen };
    match &arguments.command {
        Command::Status { format } => status::run(&scene, *format),
        Command::Gates { issue, format } => gates::run(&scene, &issue.key(), *format),
        Command::Explain { issue, format } => explain::run(&scene, &issue.key(), *format),
        Command::Queue(issue) => post::run(&scene, issue.key(), Order::Queue),
        Command::Pause(issue) => post::run(&scene, issue.key(), Order::Pause),
        Command::Stop(issue) => post::run(&scene, issue.key(), Order::Stop),
        Command::Satisfy(issue) => post::run(&scene, issue.key(), Order::Satisfy),
    }
}

fn home(chosen: Option<&Path>, environment: &Environment) -> Result<PathBuf, CliError> {
    let below = |home: &PathBuf| home.join(HOME_FOLDER);
    chosen
        .map(Path::to_owned)
        .or_else(|| environment.ralph_home.clone())
        .or_else(|| environment.user_home.as_ref().map(below))
        .ok_or(CliError::NoHome)
}

impl Scene<'_> {
    /// Opens the store for reading; nothing is made when it is not there.
    fn reader(&self) -> Result<Reader, CliError> {
        match self.store.try_exists() {
            Ok(true) => Ok(Reader::open(&self.store)?),
            Ok(false) => Err(CliError::NoStore { path: self.store.clone() }),
            Err(source) => Err(CliError::OutOfReach { path: self.store.clone(), source }),
        }
    }

    fn answer_json(&self, document: &serde_json::Value) -> Result<(), CliError> {
        self.screen.answer(&format!("{document}\n"))
    }
}

/// How a status label is coloured; unmanaged issues have none.
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
        assert!(error.hint().unwrap().contains("RALPH_HOME"));
    }
}
