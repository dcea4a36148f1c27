//! `ralph drain` and `ralph resume`: a request that is kept in the store and outlives every daemon.

use super::CommandContext;
use crate::error::CliError;
use crate::moment::moment;
use crate::notify::notify;
use ralph_engine::store::{post_drain, post_resume};

pub(super) fn drain(context: &CommandContext<'_>) -> Result<(), CliError> {
    // Reading first: posting would make a store where there is none.
    context.reader()?;
    let drain = post_drain(&context.home.store(), context.now, &context.login)?;
    let (since, by) = (moment(context.now, drain.since), drain.by);
    let next = if notify(&context.home) {
        "The daemon finishes what runs."
    } else {
        "No daemon listens; the next one will start nothing."
    };
    context.screen.answer(&format!(
        "Nothing new is claimed or started, as {by} asked {since}. {next} `ralph resume` ends it.\n"
    ))
}

pub(super) fn resume(context: &CommandContext<'_>) -> Result<(), CliError> {
    context.reader()?;
    let Some(drain) = post_resume(&context.home.store())? else {
        return context.screen.answer("Ralph was not draining; nothing changes.\n");
    };
    let (since, by) = (moment(context.now, drain.since), drain.by);
    let next = if notify(&context.home) {
        "The daemon claims and starts again."
    } else {
        "No daemon listens; the next one will claim and start as usual."
    };
    context.screen.answer(&format!("What {by} asked {since} no longer holds. {next}\n"))
}
