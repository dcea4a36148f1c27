//! The evidence cited by an agent's verdict that nothing is left: whether it exists and is done.

use super::Reading;
use crate::ports::{Forge, Read};
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::IssueKey;
use ralph_core::parent::Proof;
use ralph_core::policy::Policy;
use ralph_core::pull::PullState;
use ralph_core::world::World;

/// Maximum number of addresses to read for one verdict; a single valid one is enough.
const CITED_MAX: usize = 5;

/// An address from a verdict, and the proof that Ralph had offered under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cited {
    url: String,
    proof: Proof,
}

/// `None` if there is no verdict to check, or if it cites nothing that belongs to the children.
pub(super) fn cited(world: &World, policy: &Policy, key: &IssueKey) -> Option<Vec<Cited>> {
    let run = world.issue(key)?.managed.as_deref()?.run.as_ref()?;
    let (parent, verdict) = run.claimed()?;
    let proofs = |child| {
        let managed = world.issue(child).and_then(|issue| issue.managed.as_deref());
        Proof::of_child(child, managed)
    };
    let handed: Vec<Proof> = parent.children.iter().flat_map(proofs).collect();
    let cited = verdict.evidence.iter().filter_map(|evidence| {
        let proof = handed.iter().find(|proof| proof.is_at(&policy.web, &evidence.url))?;
        Some(Cited { url: evidence.url.clone(), proof: proof.clone() })
    });
    let cited: Vec<Cited> = cited.take(CITED_MAX).collect();
    (!cited.is_empty()).then_some(cited)
}

/// Checks the citations; one that holds is enough. An unreadable one proves nothing, so it is read again while none
/// holds.
pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    cited: &[Cited],
    forge: &mut dyn Forge,
) -> Read<()> {
    let (mut found, mut unread) = (Vec::new(), None);
    for Cited { url, proof } in cited {
        match holds(proof, forge) {
            Ok(true) => found.push(url.clone()),
            Ok(false) => {}
            Err(why) => unread = Some(why),
        }
    }
    if let Some(unread) = unread {
        if found.is_empty() {
            return Err(unread);
        }
        reading.missed.push(unread.why);
    }
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Proof { found })));
    Ok(())
}

/// True if the issue or commit exists, or the pull request is merged. The dependency graph decides whether an issue
/// counts as resolved.
fn holds(proof: &Proof, forge: &mut dyn Forge) -> Read<bool> {
    Ok(match proof {
        Proof::Issue(child) => forge.issue(child)?.is_some(),
        Proof::Pull(repo, number) => {
            let pull = forge.pull(repo, *number)?;
            pull.is_some_and(|pull| matches!(pull.state, PullState::Merged { .. }))
        }
        Proof::Commit(repo, commit) => forge.tree_of(repo, commit)?.is_some(),
    })
}
