//! Worktrees: nothing foreign among them, and nothing that could go.

use super::{Check, Examination};
use crate::commands::worktrees::{Survey, Use, Worktree};
use crate::error::ErrorKind;
use crate::writer_lock;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

const ABOUT: &str = "worktrees";
/// The folder of the home that takes in what is not Ralph's.
const FOREIGN: &str = "foreign";

pub(super) fn checks(examination: &Examination<'_>) -> Vec<Check> {
    let survey = match Survey::take(examination.context) {
        Ok(survey) => survey,
        Err(error) if error.kind == ErrorKind::File => {
            let cause = error.cause.as_ref().map_or_else(String::new, |cause| format!(": {cause}"));
            let next = "look at what is there; Ralph touches nothing it does not know";
            return vec![Check::finding(ABOUT, format!("{error}{cause}"), next)];
        }
        // What is wrong with the store was said there.
        Err(_) => return Vec::new(),
    };
    let count = |is: Use| survey.worktrees.iter().filter(|worktree| worktree.is == is).count();
    let mut checks = Vec::new();
    for worktree in survey.worktrees.iter().filter(|worktree| worktree.is == Use::Foreign) {
        checks.push(foreign(examination, &survey, worktree));
    }
    if count(Use::Done) > 0 {
        let says = format!("{} of issues that are done are still there", count(Use::Done));
        checks.push(Check::note(ABOUT, says).next("`ralph worktrees prune` removes them"));
    }
    if count(Use::GivenUp) > 0 {
        let says =
            format!("{} of stopped issues or earlier runs are still there", count(Use::GivenUp));
        let next = "`ralph worktrees prune --given-up` saves what is in them and removes them";
        checks.push(Check::note(ABOUT, says).next(next));
    }
    if checks.is_empty() {
        let says = format!("{} in use, {} kept", count(Use::Busy), count(Use::Kept));
        checks.push(Check::ok(ABOUT, says));
    }
    checks
}

/// Moves folders that are not Ralph's out of the way, while no daemon makes worktrees. They are never deleted.
fn foreign(examination: &Examination<'_>, survey: &Survey, found: &Worktree) -> Check {
    let says = format!("{} is not Ralph's: {}", found.path, found.because);
    let home = &examination.context.home;
    let finding = |next: String| Check::finding(ABOUT, says.clone(), next);
    if !examination.wish.repair {
        let root = survey.root.display();
        return finding(format!(
            "move it out of {root} if it is yours, or let `ralph doctor --repair` move it to {FOREIGN} in the home"
        ));
    }
    let Ok(Some(_nobody_writes)) = writer_lock::keep_out(home) else {
        return finding("stop the daemon, and ask for the repair again".to_owned());
    };
    match moved_out(&survey.root.join(&found.path), &home.path().join(FOREIGN), &found.path) {
        Ok(to) => Check::repaired(ABOUT, format!("{} is moved to {}", found.path, to.display())),
        Err(error) => finding(format!("move it by hand, because it could not be: {error}")),
    }
}

fn moved_out(from: &Path, folder: &Path, below: &str) -> io::Result<PathBuf> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let name = below.replace('/', "__");
    let numbered = (2..).map(|number: u32| folder.join(format!("{name}-{number}")));
    let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
    let to = std::iter::once(folder.join(&name)).chain(numbered).find(is_free);
    let to = to.ok_or_else(|| io::Error::other("no name is free"))?;
    fs::rename(from, &to)?;
    Ok(to)
}
