//! The standing of a repository, as one line.

use super::{listed, one_line};
use crate::repo::{DesiredEffect, SyncTrouble};
use crate::standing::{RefusedEffect, SyncStanding, TrialStanding};

/// The most refused writes listed one by one; more are only counted.
const REFUSED_TOLD_MAX: usize = 3;

pub(super) fn repository(
    mark: Option<String>,
    refused: &[RefusedEffect],
    sync: Option<&SyncStanding>,
    trial: Option<&TrialStanding>,
) -> String {
    let mut parts: Vec<_> = mark.into_iter().collect();
    parts.extend(refused.iter().take(REFUSED_TOLD_MAX).map(refusal));
    match refused.len().saturating_sub(REFUSED_TOLD_MAX) {
        0 => {}
        more => parts.push(format!("{more} more writes are refused")),
    }
    parts.extend(sync.map(self::sync));
    parts.extend(trial.map(super::trial::standing));
    parts.join("; ")
}

fn sync(standing: &SyncStanding) -> String {
    match standing {
        SyncStanding::Comparing => "compares the bot branch with the default branch".to_owned(),
        SyncStanding::Opening => {
            "the default branch moved: a pull request is to bring its changes into the bot branch"
                .to_owned()
        }
        SyncStanding::Open { pull, until, why } => {
            let brings = format!("{pull} brings the default branch's changes into the bot branch");
            match (until, why) {
                (Some(until), Some(why)) => {
                    format!("{brings} (until {until}): it cannot be read: {}", one_line(why))
                }
                (Some(_), None) | (None, _) => brings,
            }
        }
        SyncStanding::Resolving { pull } => format!(
            "{pull} is to bring the default branch's changes into the bot branch; its conflict is being resolved"
        ),
        SyncStanding::NeedsPerson { pull, trouble } => format!(
            "{pull} is to bring the default branch's changes into the bot branch and needs a \
             person: {}",
            self::trouble(trouble)
        ),
        SyncStanding::Declined => {
            "the bot branch lacks changes of the default branch, and a person closed the pull \
             request that brings them"
                .to_owned()
        }
    }
}

pub(super) fn trouble(trouble: &SyncTrouble) -> String {
    match trouble {
        SyncTrouble::Conflict => "it conflicts with the bot branch".to_owned(),
        SyncTrouble::Behind => {
            "the bot branch requires up-to-date heads, and this one is behind".to_owned()
        }
        SyncTrouble::ChecksFailed(names) => {
            format!("required checks failed: {}", listed(names, ", "))
        }
        SyncTrouble::Stuck(names) if names.is_empty() => {
            "the forge does not let it be merged".to_owned()
        }
        SyncTrouble::Stuck(names) => {
            format!("required checks did not report in time: {}", listed(names, ", "))
        }
        SyncTrouble::Unreadable(why) => {
            format!(
                "whether it may be merged cannot be read: {}",
                one_line(why.trim_end_matches('.'))
            )
        }
        SyncTrouble::MergeRefused(why) => format!("its merge was refused: {}", one_line(why)),
        SyncTrouble::Changed => {
            "its head or its base was changed by hand, so a person has to merge it".to_owned()
        }
    }
}

fn refusal(refused: &RefusedEffect) -> String {
    let (why, times, until) =
        (one_line(&refused.refusal.why), refused.refusal.times, refused.refusal.until);
    let times = if times == 1 { "once".to_owned() } else { format!("{times} times") };
    let desired = desired(&refused.desired);
    format!("the forge refused {times} to {desired} ({why}), asked again from {until} on")
}

fn desired(desired: &DesiredEffect) -> String {
    match desired {
        DesiredEffect::Label(name) => format!("define the label {name}"),
        DesiredEffect::Branch(branch) => format!("make the branch {branch}"),
        DesiredEffect::Protection(branch) => format!("require checks on {branch}"),
        DesiredEffect::Rollup(batch) => format!("open the rollup of batch {}", batch + 1),
        DesiredEffect::RollupText(pull) => format!("edit the rollup {pull}"),
        DesiredEffect::Sync(of) => format!("open the pull request that brings {}", of.short()),
        DesiredEffect::SyncMerge(pull) => format!("merge {pull}"),
        DesiredEffect::SyncTold(pull) => format!("comment on {pull}"),
        DesiredEffect::BranchGone(branch) => format!("delete {branch}"),
        DesiredEffect::Trials => "try several pull requests together".to_owned(),
        DesiredEffect::Trial(number) => format!("try the pull requests of trial {number} together"),
        DesiredEffect::TrialClosed(pull) => format!("close {pull}"),
        DesiredEffect::FollowUp(_) => "open an issue of Ralph's own".to_owned(),
        DesiredEffect::FollowUpText(_) => "edit an issue of Ralph's own".to_owned(),
        DesiredEffect::Mark => {
            "take the mark that keeps a second Ralph away, so this one works without it".to_owned()
        }
    }
}
