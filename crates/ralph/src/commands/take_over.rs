//! `ralph take-over`: a person's word that this Ralph is to work where another one holds the repository.

use super::{CommandContext, post};
use crate::error::{CliError, ErrorKind};
use crate::notify::{notify, wait_for};
use ralph_core::ids::RepoName;
use ralph_engine::local_command::{LocalCommand, Order};
use ralph_engine::store::post_command;

pub(super) fn run(context: &CommandContext<'_>, repo: &RepoName) -> Result<(), CliError> {
    // Reading first: posting would make a store where there is none.
    let reader = context.reader()?;
    if !notify(&context.home) {
        post::look_at_repository(context, repo)?;
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
