//! `ralph queue`, `pause`, `stop` and `satisfy`: a command for the daemon, left in the store's inbox.

use super::Scene;
use crate::error::CliError;
use crate::poke::poke;
use crate::screen::Paint;
use ralph_core::command::{Command, Manner};
use ralph_core::ids::IssueKey;
use ralph_engine::ports::LocalCommand;
use ralph_engine::store::post_command;

pub(super) fn run(
    scene: &Scene<'_>,
    key: IssueKey,
    (command, manner): (Command, Manner),
) -> Result<(), CliError> {
    // Reading first: posting would make a store where there is none.
    let is_known = scene.reader()?.gates(&key)?.is_some();
    let name = scene.screen.paint(Paint::Bold, &key.to_string());
    let order = LocalCommand { issue: key, command, manner, actor: scene.login.clone() };
    let entry = post_command(&scene.home.store(), scene.now, &order)?;
    let next = if poke(&scene.home) {
        "The daemon takes it now."
    } else {
        "No daemon listens; it waits until one runs."
    };
    let mut text =
        format!("{} for {name} is in the inbox as entry {entry}. {next}\n", manner.of(command));
    if !is_known {
        text.push_str("The store has not seen this issue yet: check the number, or wait for it.\n");
    }
    scene.screen.answer(&text)
}
