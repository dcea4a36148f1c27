//! Whether a merge has reached the default branch.

use super::{Reading, tell};
use crate::ports::{Forge, Read};
use ralph_core::fact::{Fact, Observation, RepoObservation, What};
use ralph_core::ids::{Branch, IssueKey, Sha};
use ralph_core::issue::DoneEvidence;
use ralph_core::repo::MergedRollup;

/// Evidence for done: the merge itself is on the default branch, or a rollup that contained it is.
pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    (merged, bot): (&Sha, &Branch),
    rollups: &[MergedRollup],
    forge: &mut dyn Forge,
) -> Read<()> {
    let branches = forge.branches(&key.repo, bot)?;
    let default_head = branches.default_head.clone();
    let mut evidence = None;
    if forge.contains(&key.repo, &default_head, merged)? {
        let (merged, default_head) = (merged.clone(), default_head.clone());
        evidence = Some(DoneEvidence::Reachable { merged, default_head });
    } else {
        for rollup in rollups {
            let is_member = forge.contains(&key.repo, &rollup.head, merged)?;
            if is_member && forge.contains(&key.repo, &default_head, &rollup.merged)? {
                let (merged, default_head) = (merged.clone(), default_head.clone());
                let rollup = rollup.number;
                evidence = Some(DoneEvidence::RolledUp { rollup, merged, default_head });
                break;
            }
        }
    }
    let seen = Observation::Reach { default_head, evidence };
    reading.facts.push(Fact::of(key.clone(), What::Seen(seen)));
    tell(reading, &key.repo, RepoObservation::Branches(branches));
    Ok(())
}
