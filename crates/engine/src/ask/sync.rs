//! Compares the bot branch with the default branch.

use super::{Reading, tell};
use crate::ports::{Forge, Read};
use ralph_core::fact::RepoObservation;
use ralph_core::ids::{RepoName, Sha};
use ralph_core::repo::Compared;

pub(super) fn compare(
    reading: &mut Reading,
    repo: &RepoName,
    (default_head, bot_head): (&Sha, &Sha),
    forge: &mut dyn Forge,
) -> Read<()> {
    let is_behind = forge.brings_changes(repo, bot_head, default_head)?;
    let (default_head, bot_head) = (default_head.clone(), bot_head.clone());
    let compared = Compared { default_head, bot_head, is_behind };
    tell(reading, repo, RepoObservation::Compared(compared));
    Ok(())
}
