//! `ralph queue`, `pause`, `stop` and `satisfy`: a command for the daemon, left in the store's inbox. A daemon that
//! runs answers within moments, and the answer is shown.

use super::Scene;
use crate::config::Config;
use crate::error::CliError;
use crate::poke::{poke, wait_for};
use crate::screen::Paint;
use ralph_core::command::{Command, Manner};
use ralph_core::ids::IssueKey;
use ralph_engine::ports::LocalCommand;
use ralph_engine::store::{Outcome, Reader, StoreError, post_command};

pub(super) fn run(
    scene: &Scene<'_>,
    key: &IssueKey,
    (command, manner): (Command, Manner),
) -> Result<(), CliError> {
    // Reading first: posting would make a store where there is none.
    let reader = scene.reader()?;
    let is_known = reader.gates(key)?.is_some();
    let is_awake = poke(&scene.home);
    if !is_awake {
        look_at_settings(scene, key, command, is_known)?;
    }
    let what = manner.of(command);
    let name = scene.screen.paint(Paint::Bold, &key.to_string());
    let order = LocalCommand { issue: key.clone(), command, manner, actor: scene.login.clone() };
    let entry = post_command(&scene.home.store(), scene.now, &order)?;
    if !poke(&scene.home) {
        let mut text = format!(
            "{what} for {name} is in the inbox as entry {entry}. No daemon listens; it waits until one runs.\n"
        );
        if !is_known {
            text.push_str(
                "The store has not seen this issue yet: a daemon reads first whether it exists.\n",
            );
        }
        return scene.screen.answer(&text);
    }
    match answered(&reader, entry)? {
        Some(Outcome { refused: None, .. }) => {
            scene.screen.answer(&format!("{what} for {name} is in effect (entry {entry}).\n"))
        }
        Some(Outcome { refused: Some(why), .. }) => Err(CliError::Refused {
            says: format!("{what} for {key} was refused: {why}"),
            next: None,
            code: 1,
        }),
        None if is_known => scene.screen.answer(&format!(
            "{what} for {name} is in the inbox as entry {entry}. The daemon has not answered yet; `ralph status` shows \
             the answer.\n"
        )),
        None => scene.screen.answer(&format!(
            "{what} for {name} is in the inbox as entry {entry}. The daemon reads whether there is such an issue; \
             `ralph status` shows the answer.\n"
        )),
    }
}

/// Without a daemon the settings in the home say whether there is anything to wait for. They may be elsewhere, and
/// then the daemon that has them decides.
fn look_at_settings(
    scene: &Scene<'_>,
    key: &IssueKey,
    command: Command,
    is_known: bool,
) -> Result<(), CliError> {
    let Ok(config) = Config::load(&scene.home.config()) else { return Ok(()) };
    // An issue elsewhere that others wait for may be counted as resolved: that is kept here.
    let is_local = command == Command::Satisfy && is_known;
    if config.repos.contains_key(&key.repo) || is_local {
        return Ok(());
    }
    let file = scene.home.config();
    Err(CliError::Refused {
        says: format!("{} is not configured in {}", key.repo, file.display()),
        next: Some("add a [[repos]] with its name, or check the name"),
        code: 3,
    })
}

/// The answer of the daemon, if it comes soon.
fn answered(reader: &Reader, entry: i64) -> Result<Option<Outcome>, StoreError> {
    wait_for(|| reader.outcome(entry).transpose()).transpose()
}
