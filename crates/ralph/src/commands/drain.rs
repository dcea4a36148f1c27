//! `ralph drain` and `ralph resume`: a wish that lies in the store and outlives every daemon.

use super::Scene;
use crate::error::CliError;
use crate::moment::moment;
use crate::poke::poke;
use ralph_engine::store::{post_drain, post_resume};

pub(super) fn drain(scene: &Scene<'_>) -> Result<(), CliError> {
    // Reading first: posting would make a store where there is none.
    scene.reader()?;
    let drain = post_drain(&scene.home.store(), scene.now, &scene.login)?;
    let (since, by) = (moment(scene.now, drain.since), drain.by);
    let next = if poke(&scene.home) {
        "The daemon finishes what runs."
    } else {
        "No daemon listens; the next one will start nothing."
    };
    scene.screen.answer(&format!(
        "Nothing new is claimed or started, as {by} asked {since}. {next} `ralph resume` ends it.\n"
    ))
}

pub(super) fn resume(scene: &Scene<'_>) -> Result<(), CliError> {
    scene.reader()?;
    let Some(drain) = post_resume(&scene.home.store())? else {
        return scene.screen.answer("Nobody had asked to drain; nothing changes.\n");
    };
    let (since, by) = (moment(scene.now, drain.since), drain.by);
    let next = if poke(&scene.home) {
        "The daemon claims and starts again."
    } else {
        "No daemon listens; the next one will claim and start as usual."
    };
    scene.screen.answer(&format!("What {by} asked {since} no longer holds. {next}\n"))
}
