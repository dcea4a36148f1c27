//! Evidence that a merge has reached the default branch.

use super::{Reading, tell};
use crate::ports::{Forge, Read};
use ralph_core::fact::{Fact, Observation, RepoObservation, What};
use ralph_core::ids::{Branch, IssueKey, PullNumber, RepoName, Sha};
use ralph_core::issue::DoneEvidence;
use ralph_core::repo::{Branches, MergedRollup, ROLLUPS_REMEMBERED_MAX};

/// The commits to look for on the default branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) merged: Sha,
    /// The head of the pull request, as Ralph pushed it.
    pub(super) head: Option<Sha>,
    pub(super) bot: Branch,
    pub(super) rollups: Vec<MergedRollup>,
}

/// Everything that may show that a change landed.
pub(super) struct Landed<'a> {
    pub(super) merged: &'a Sha,
    pub(super) head: Option<&'a Sha>,
    pub(super) branches: &'a Branches,
    /// Rollups whose merge Ralph saw.
    pub(super) known: &'a [MergedRollup],
    /// Pull requests from this branch count too, no matter who opened them.
    pub(super) bot: &'a Branch,
}

pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    wanted: &Wanted,
    forge: &mut dyn Forge,
) -> Read<()> {
    let branches = forge.branches(&key.repo, &wanted.bot)?;
    let Wanted { merged, head, bot, rollups: known } = wanted;
    let of = Landed { merged, head: head.as_ref(), branches: &branches, known, bot };
    let evidence = landed(&key.repo, &of, forge)?;
    let default_head = branches.default_head.clone();
    let seen = Observation::Reach { default_head, evidence };
    reading.facts.push(Fact::of(key.clone(), What::Seen(seen)));
    tell(reading, &key.repo, RepoObservation::Branches(branches));
    Ok(())
}

/// Returns the evidence for done: the merge commit is on the default branch, or the merged head, or a rollup that
/// contained it. A rollup that was squashed or rebased leaves only its own merge commit there.
pub(super) fn landed(
    repo: &RepoName,
    of: &Landed<'_>,
    forge: &mut dyn Forge,
) -> Read<Option<DoneEvidence>> {
    let Branches { default, default_head, .. } = of.branches;
    let merged = of.merged.clone();
    if forge.contains(repo, default_head, &merged)? {
        let default_head = default_head.clone();
        return Ok(Some(DoneEvidence::Reachable { merged, default_head }));
    }
    if let Some(head) = of.head
        && forge.contains(repo, default_head, head)?
    {
        let (head, default_head) = (head.clone(), default_head.clone());
        return Ok(Some(DoneEvidence::HeadReachable { head, merged, default_head }));
    }
    for MergedRollup { number, head, merged: commit, .. } in of.known {
        let found = rolled_up(repo, of, (*number, head, commit), forge)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    if of.bot == default {
        return Ok(None);
    }
    let all = forge.pulls_from(repo, of.bot)?;
    let merged = all
        .iter()
        .filter(|pull| pull.base == *default)
        .filter_map(|pull| Some((pull.number, &pull.head, pull.merged.as_ref()?)));
    for rollup in merged.take(ROLLUPS_REMEMBERED_MAX) {
        let found = rolled_up(repo, of, rollup, forge)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn rolled_up(
    repo: &RepoName,
    of: &Landed<'_>,
    (rollup, head, commit): (PullNumber, &Sha, &Sha),
    forge: &mut dyn Forge,
) -> Read<Option<DoneEvidence>> {
    let (merged, default_head) = (of.merged.clone(), of.branches.default_head.clone());
    let is_there =
        forge.contains(repo, head, &merged)? && forge.contains(repo, &default_head, commit)?;
    Ok(is_there.then_some(DoneEvidence::RolledUp { rollup, merged, default_head }))
}
