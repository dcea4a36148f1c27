//! Sentences about trial builds.

use super::{listed, one_line};
use crate::fact::TrialMove;
use crate::hidden_marker::{HiddenMarker, MarkerKind};
use crate::ids::{Branch, PullNumber};
use crate::merge_queue::{Entry, Trial, TrialEnd};
use crate::standing::TrialStanding;

/// The marker by which the pull request of a trial build is found again.
#[must_use]
pub fn trial_marker(number: u32) -> HiddenMarker {
    HiddenMarker::new(MarkerKind::Trial, &number.to_string(), None)
}

#[must_use]
pub fn trial_title(trial: &Trial) -> String {
    format!("Trial {}: {} pull requests together", trial.number, trial.entries.len())
}

/// The text of a trial build's pull request. It names pull requests only: a trial build closes no issue.
#[must_use]
pub fn trial_body(trial: &Trial, bot: &Branch) -> String {
    let line = |entry: &Entry| format!("- {} at {}\n", entry.pull, entry.head.short());
    let members: String = trial.entries.iter().map(line).collect();
    format!(
        "{}\nThese pull requests are ready, and the checks run here once for all of them. They stand on \
         {} of `{bot}`, in this order:\n\n{members}\n\
         If the checks pass, Ralph merges each of them by itself, in this order, and closes this. If not, it \
         tries fewer at a time. This is never merged. Closing it sends them back to be tested on their own.",
        trial_marker(trial.number).render(),
        trial.base.short(),
    )
}

pub(super) fn standing(of: &TrialStanding) -> String {
    let together = |issues: &[u64]| {
        let names: Vec<_> = issues.iter().map(|issue| format!("#{issue}")).collect();
        names.join(", ")
    };
    let of_pull = |pull: &Option<PullNumber>| {
        pull.map_or_else(|| "a trial".to_owned(), |pull| format!("trial {pull}"))
    };
    match of {
        TrialStanding::Building { issues } => {
            format!("{} are to be tried together", together(issues))
        }
        TrialStanding::Trying { pull, issues } => {
            format!("{} tries {} together", of_pull(pull), together(issues))
        }
        TrialStanding::Merging { pull, issues } if issues.is_empty() => {
            format!("{} passed and is merged", of_pull(pull))
        }
        TrialStanding::Merging { pull, issues } => {
            format!("{} passed: merges {} in this order", of_pull(pull), together(issues))
        }
        TrialStanding::Ended { number, end } => format!("trial {number} is over: {}", over(end)),
    }
}

pub(super) fn moved(step: &TrialMove) -> String {
    match step {
        TrialMove::Green => "the trial passed: its members are merged".to_owned(),
        TrialMove::Ended(end) => format!("the trial is over: {}", over(end)),
    }
}

fn over(end: &TrialEnd) -> String {
    match end {
        TrialEnd::Merged => "all of it is merged".to_owned(),
        TrialEnd::ChecksFailed(names) => {
            format!("checks failed ({}), so fewer are tried at a time", listed(names, ", "))
        }
        TrialEnd::ChecksLate(names) if names.is_empty() => {
            "what is required of it was not known in time".to_owned()
        }
        TrialEnd::ChecksLate(names) => {
            format!("checks did not report in time ({})", listed(names, ", "))
        }
        TrialEnd::NothingRequired => "it has no required check now".to_owned(),
        TrialEnd::BaseMoved => "the bot branch moved on".to_owned(),
        TrialEnd::Overtaken => "another change was being tested by itself".to_owned(),
        TrialEnd::MemberLeft(issue) => format!("#{issue} is no longer ready"),
        TrialEnd::TreeDiffers(issue) => format!(
            "merging #{issue} gave something else than was tried, so the rest is tested again"
        ),
        TrialEnd::Stuck => "its members could not be merged in time".to_owned(),
        TrialEnd::Closed => "it was closed by hand".to_owned(),
        TrialEnd::MergedByHand => "it was merged by hand".to_owned(),
        TrialEnd::Changed => "its head or its base was changed by hand".to_owned(),
        TrialEnd::Refused(why) => format!("the forge refused it ({})", one_line(why)),
    }
}
