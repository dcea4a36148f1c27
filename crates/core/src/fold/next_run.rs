//! The run that an issue gets when it is claimed, and the sync pull request that is claimed like an issue.

use crate::ids::{Branch, IssueKey};
use crate::issue::{Issue, Managed, Native, Phase};
use crate::parent::Parent;
use crate::repo::Repo;
use crate::run::{Run, Surveyed};
use crate::time::Time;
use crate::words;

/// Begins a run for a claim. On a sync pull request the run brings the bot branch into its branch.
pub(super) fn claim(
    now: Time,
    (key, title): (&IssueKey, &str),
    (native, is_own): (&Native, bool),
    managed: &mut Managed,
    repo: &Repo,
) {
    let is_own = is_own || repo.follow_ups.has_issue(key.number);
    managed.used.grant();
    let run = begin(now, (key, title), (native, is_own), managed);
    managed.run = Some(match &managed.sync {
        Some(branch) => run.of_sync(branch, key, repo.sync.open.as_ref()),
        None => run,
    });
}

/// The run that a claim begins. `is_own`: Ralph opened the issue itself, so it is not surveyed.
fn begin(
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
    // If it is closed, it was closed already when the issue was queued again.
    let is_pull_inherited = run.pull.is_some();
    Run { parent, survey, is_pull_inherited, ..run }
}

/// Takes up the pull request like an issue, for as long as it conflicts.
pub(super) fn sync_conflicted(now: Time, branch: &Branch, issue: &mut Issue) {
    let managed = issue.managed.get_or_insert_with(|| Box::new(Managed::new(Phase::Out, now)));
    managed.sync = Some(branch.clone());
    managed.queued_at = now;
    super::moved::enter(now, managed, Phase::Queued);
    if let Some(seen) = &issue.seen {
        super::observed::note_labels(now, managed, seen);
    }
}
