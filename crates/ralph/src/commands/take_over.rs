//! `ralph take-over`: a person's word that this Ralph is to work where another one holds the repository.

use super::Scene;
use crate::config::Config;
use crate::error::CliError;
use crate::poke::{poke, wait_for};
use ralph_core::ids::RepoName;
use ralph_engine::store::post_take_over;

pub(super) fn run(scene: &Scene<'_>, repo: &RepoName) -> Result<(), CliError> {
    // Reading first: posting would make a store where there is none.
    let reader = scene.reader()?;
    if !poke(&scene.home) {
        look_at_settings(scene, repo)?;
    }
    let entry = post_take_over(&scene.home.store(), scene.now, (repo, &scene.login))?;
    if !poke(&scene.home) {
        return scene.screen.answer(&format!(
            "No daemon listens; the next one takes {repo} over from the Ralph that holds it.\n"
        ));
    }
    let answer = wait_for(|| reader.outcome(entry).transpose()).transpose()?;
    if let Some(why) = answer.and_then(|answer| answer.refused) {
        let says = format!("take-over of {repo} was refused: {why}");
        return Err(CliError::Refused { says, next: None, code: 1 });
    }
    scene.screen.answer(&format!(
        "{repo} is taken over from the Ralph that holds it. The daemon puts its mark there, and begins once the other \
         one has had the time to see it; `ralph status` says when.\n"
    ))
}

/// Without a daemon the settings in the home say whether there is anything to take over.
fn look_at_settings(scene: &Scene<'_>, repo: &RepoName) -> Result<(), CliError> {
    let Ok(config) = Config::load(&scene.home.config()) else { return Ok(()) };
    if config.repos.contains_key(repo) {
        return Ok(());
    }
    let file = scene.home.config();
    Err(CliError::Refused {
        says: format!("{repo} is not configured in {}", file.display()),
        next: Some("add a [[repos]] with its name, or check the name"),
        code: 3,
    })
}
