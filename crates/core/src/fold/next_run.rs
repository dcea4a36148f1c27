//! The run that an issue gets when it is claimed.

use crate::ids::IssueKey;
use crate::issue::{Managed, Native};
use crate::parent::Parent;
use crate::run::{Run, Surveyed};
use crate::time::Time;
use crate::words;

/// The run that a claim begins. `is_own`: Ralph has opened the issue itself, so it is not surveyed.
pub(super) fn begin(
    now: Time,
    (key, title): (&IssueKey, &str),
    (native, is_own): (&Native, bool),
    managed: &mut Managed,
) -> Run {
    let parent = Parent::of_next_run(native, managed.run.as_ref());
    let run = match std::mem::take(&mut managed.begins_afresh) {
        false => Run::next(key, title, managed.run.as_ref(), now),
        true => {
            (managed.pull, managed.reach) = (None, None);
            Run::afresh(key, title, managed.run.as_ref(), now)
        }
    };
    let survey = is_own.then(|| Surveyed::not(words::OF_A_SURVEY));
    let survey = survey.or_else(|| run.survey.clone());
    // Whoever closed it knew so when the issue was queued again.
    let is_pull_inherited = run.pull.is_some();
    Run { parent, survey, is_pull_inherited, ..run }
}
