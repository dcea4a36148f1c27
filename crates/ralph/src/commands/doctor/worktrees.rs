//! Worktrees: nothing foreign among them, and nothing that could go.

use super::{Check, Patient};
use crate::commands::worktrees::{Survey, Use};
use crate::error::CliError;
use std::error::Error as _;

const ABOUT: &str = "worktrees";

pub(super) fn checks(patient: &Patient<'_>) -> Vec<Check> {
    let survey = match Survey::take(patient.scene) {
        Ok(survey) => survey,
        Err(error @ CliError::File { .. }) => {
            let cause = error.source().map_or_else(String::new, |cause| format!(": {cause}"));
            let next = "look at what is there; Ralph touches nothing it does not know";
            return vec![Check::finding(ABOUT, format!("{error}{cause}"), next)];
        }
        // What is wrong with the store was said there.
        Err(_) => return Vec::new(),
    };
    let count = |is: Use| survey.worktrees.iter().filter(|worktree| worktree.is == is).count();
    let mut checks = Vec::new();
    for worktree in survey.worktrees.iter().filter(|worktree| worktree.is == Use::Foreign) {
        let says = format!("{} is not Ralph's: {}", worktree.path, worktree.because);
        let next = format!("move it out of {} if it is yours", survey.root.display());
        checks.push(Check::finding(ABOUT, says, next));
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
