//! Evidence for an issue that a label calls merged or done although the store knows nothing about it.

use super::Reading;
use super::reach::{Landed, landed};
use crate::ports::{Forge, Read, TimelineEntry};
use ralph_core::closing::closes;
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{Branch, IssueKey, PullNumber, Sha};
use ralph_core::issue::{DoneEvidence, Found};
use ralph_core::pull::PullState;
use ralph_core::repo::Branches;

/// Maximum number of pull requests to look at for one issue, newest first: the one that counts is hardly ever older.
const CANDIDATES_MAX: usize = 5;

/// Looks at the pull request of the issue's branch, then at merged ones whose text closes the issue, then at the commit
/// that closed it.
pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    (own, bot): (&Branch, &Branch),
    forge: &mut dyn Forge,
) -> Read<()> {
    let branches = forge.branches(&key.repo, bot)?;
    let found = look(key, own, (bot, &branches), forge)?;
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Found(found))));
    Ok(())
}

fn look(
    key: &IssueKey,
    own: &Branch,
    (bot, branches): (&Branch, &Branches),
    forge: &mut dyn Forge,
) -> Read<Found> {
    let timeline = forge.timeline(key)?;
    let of_own_branch = forge.pulls_from(&key.repo, own)?;
    let of_own_branch = of_own_branch.iter().filter(|it| it.merged.is_some());
    let mut candidates: Vec<PullNumber> = of_own_branch.map(|pull| pull.number).collect();
    let closing = timeline.iter().rev().filter_map(|entry| match entry {
        TimelineEntry::MergedPull { number, body } => closes(body, key).then_some(*number),
        TimelineEntry::ClosedBy { .. } => None,
    });
    candidates.extend(closing);
    let mut in_bot = None;
    for number in candidates.into_iter().take(CANDIDATES_MAX) {
        let Some(pull) = forge.pull(&key.repo, number)? else { continue };
        let PullState::Merged { commit } = &pull.state else { continue };
        let head = Some(&pull.head);
        let landing = Landed { merged: commit, head, branches, known: &[], bot };
        if let Some(evidence) = landed(&key.repo, &landing, forge)? {
            return Ok(Found::Done(evidence));
        }
        let is_in_bot = pull.base == *bot && is_in(key, branches.bot_head.as_ref(), commit, forge)?;
        if is_in_bot && in_bot.is_none() {
            in_bot = Some(Found::InBot { pull: number, merged: commit.clone() });
        }
    }
    if let Some(found) = in_bot {
        return Ok(found);
    }
    let closed_by = timeline.iter().rev().find_map(|entry| match entry {
        TimelineEntry::ClosedBy { commit } => Some(commit),
        TimelineEntry::MergedPull { .. } => None,
    });
    let default_head = &branches.default_head;
    Ok(match closed_by {
        Some(merged) if is_in(key, Some(default_head), merged, forge)? => {
            let (merged, default_head) = (merged.clone(), default_head.clone());
            Found::Done(DoneEvidence::Reachable { merged, default_head })
        }
        Some(_) | None => Found::Nothing,
    })
}

fn is_in(key: &IssueKey, head: Option<&Sha>, commit: &Sha, forge: &mut dyn Forge) -> Read<bool> {
    head.map_or(Ok(false), |head| forge.contains(&key.repo, head, commit))
}
