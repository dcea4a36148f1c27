//! `ralph take-over`: a person's word that this Ralph is to work where another one holds the repository.

use super::CommandContext;
use crate::config::Config;
use crate::error::{CliError, ErrorKind};
use crate::notify::{notify, wait_for};
use ralph_core::ids::RepoName;
use ralph_engine::local_command::{LocalCommand, Order};
use ralph_engine::store::post_command;

pub(super) fn run(context: &CommandContext<'_>, repo: &RepoName) -> Result<(), CliError> {
    // Reading first: posting would make a store where there is none.
    let reader = context.reader()?;
    if !notify(&context.home) {
        look_at_settings(context, repo)?;
    }
    let order = Order::TakeOver { repo: repo.clone() };
    let command = LocalCommand { actor: context.login.clone(), key: None, order };
    let entry = post_command(&context.home.store(), context.now, &command)?;
    if !notify(&context.home) {
        return context.screen.answer(&format!(
            "No daemon listens; the next one takes {repo} over from the Ralph that holds it.\n"
        ));
    }
    let answer = wait_for(|| reader.outcome(entry).transpose()).transpose()?;
    if let Some(why) = answer.and_then(|answer| answer.refused) {
        let says = format!("take-over of {repo} was refused: {why}");
        return Err(CliError::new(ErrorKind::Request, says));
    }
    context.screen.answer(&format!(
        "{repo} is taken over from the Ralph that holds it. The daemon puts its mark there, and begins once the other \
         one has had the time to see it; `ralph status` says when.\n"
    ))
}

/// Without a daemon the settings in the home say whether there is anything to take over.
fn look_at_settings(context: &CommandContext<'_>, repo: &RepoName) -> Result<(), CliError> {
    let Ok(config) = Config::load(&context.home.config()) else { return Ok(()) };
    if config.repos.contains_key(repo) {
        return Ok(());
    }
    let file = context.home.config();
    let says = format!("{repo} is not configured in {}", file.display());
    let hint = "add a [[repos]] with its name, or check the name";
    Err(CliError::new(ErrorKind::Config, says).with_hint(hint))
}
