//! `ralph queue`, `pause`, `stop` and `satisfy`: a command for the daemon, left in the store's inbox. A daemon that
//! runs answers within moments, and the answer is shown.

use super::CommandContext;
use crate::config::Config;
use crate::error::{CliError, ErrorKind};
use crate::notify::{notify, wait_for};
use crate::screen::Paint;
use ralph_core::command::{Command, Manner};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_engine::local_command::LocalCommand;
use ralph_engine::store::{Outcome, Reader, StoreError, post_command};

pub(super) fn run(
    context: &CommandContext<'_>,
    key: &IssueKey,
    (command, manner): (Command, Manner),
) -> Result<(), CliError> {
    // Reading first: posting would make a store where there is none.
    let reader = context.reader()?;
    let is_known = reader.gates(key)?.is_some();
    let is_awake = notify(&context.home);
    if !is_awake {
        look_at_settings(context, key, command, is_known)?;
    }
    let what = manner.of(command);
    let name = context.screen.paint(Paint::Bold, &key.to_string());
    let order = LocalCommand::on_issue(key.clone(), (command, manner), context.login.clone());
    let entry = post_command(&context.home.store(), context.now, &order)?;
    if !notify(&context.home) {
        let mut text = format!(
            "{what} for {name} is in the inbox as entry {entry}. No daemon listens; it waits until one runs.\n"
        );
        if !is_known {
            text.push_str(
                "The store has not seen this issue yet: a daemon reads first whether it exists.\n",
            );
        }
        return context.screen.answer(&text);
    }
    match answered(&reader, entry)? {
        Some(Outcome { refused: None, .. }) => {
            context.screen.answer(&format!("{what} for {name} is in effect (entry {entry}).\n"))
        }
        Some(Outcome { refused: Some(why), .. }) => {
            let says = format!("{what} for {key} was refused: {why}");
            Err(CliError::new(ErrorKind::Request, says))
        }
        None if is_known => context.screen.answer(&format!(
            "{what} for {name} is in the inbox as entry {entry}. The daemon has not answered yet; `ralph status` shows \
             the answer.\n"
        )),
        None => context.screen.answer(&format!(
            "{what} for {name} is in the inbox as entry {entry}. The daemon reads whether there is such an issue; \
             `ralph status` shows the answer.\n"
        )),
    }
}

/// Without a daemon the settings in the home say whether there is anything to wait for. They may be elsewhere, and
/// then the daemon that has them decides.
fn look_at_settings(
    context: &CommandContext<'_>,
    key: &IssueKey,
    command: Command,
    is_known: bool,
) -> Result<(), CliError> {
    // An issue elsewhere that others wait for may be counted as resolved: that is kept here.
    let is_local = command == Command::Satisfy && is_known;
    if is_local { Ok(()) } else { look_at_repository(context, &key.repo) }
}

/// Without a daemon: is the repository in the settings of the home?
pub(super) fn look_at_repository(
    context: &CommandContext<'_>,
    repo: &RepoName,
) -> Result<(), CliError> {
    let Ok(config) = Config::load(&context.home.config()) else { return Ok(()) };
    if config.repos.contains_key(repo) {
        return Ok(());
    }
    let file = context.home.config();
    let says = format!("{repo} is not configured in {}", file.display());
    let hint = "add a [[repos]] with its name, or check the name";
    Err(CliError::new(ErrorKind::Config, says).with_hint(hint))
}

/// The answer of the daemon, if it comes soon.
fn answered(reader: &Reader, entry: i64) -> Result<Option<Outcome>, StoreError> {
    wait_for(|| reader.outcome(entry).transpose()).transpose()
}
