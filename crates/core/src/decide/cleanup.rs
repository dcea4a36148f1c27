//! Worktrees: their place after Ralph's home was moved, and the removal of those that are no longer needed. An issue
//! that may continue keeps its worktree; nothing is removed while a process of the issue is alive, or while a person
//! has paused it.

use super::{Context, Decision};
use crate::effect::MachineAct;
use crate::fact::Move;
use crate::issue::{DoneEvidence, Phase};
use crate::managed_path::ManagedPath;
use crate::removal::{GivenUp, Removal};
use std::collections::BTreeMap;

pub(super) fn want(cx: &Context<'_>, decision: &mut Decision) {
    if cx.managed.work.is_some() || cx.managed.is_paused {
        return;
    }
    for path in &cx.managed.worktrees {
        if let Some(proof) = proof(cx, path) {
            let remove = MachineAct::RemoveWorkspace { path: path.clone(), proof };
            decision.effects.push(cx.on_machine(remove));
        }
    }
}

/// Updates the paths of worktrees after Ralph's home was moved: they keep their place in it.
pub(super) fn rehomed(cx: &Context<'_>) -> Option<Move> {
    let own = cx.run().and_then(|run| run.workspace.as_ref()).map(|workspace| &workspace.path);
    let known = cx.managed.worktrees.iter().chain(own);
    let places: BTreeMap<_, _> =
        known.filter_map(|path| Some((path.clone(), cx.policy.worktrees.rehomed(path)?))).collect();
    // A process that still runs uses the old path.
    (!places.is_empty() && cx.managed.work.is_none()).then_some(Move::Rehomed { places })
}

fn proof(cx: &Context<'_>, path: &ManagedPath) -> Option<Removal> {
    let own = cx.run().and_then(|run| run.workspace.as_ref()).map(|workspace| &workspace.path);
    let is_superseded = own.is_some_and(|own| own != path);
    let superseded = Removal::GivenUp(GivenUp::Superseded);
    match &cx.managed.phase {
        Phase::Done { is_closed, .. } if cx.issue.is_open() && !is_closed => None,
        Phase::Done { evidence: DoneEvidence::Verified { .. }, .. } => {
            Some(Removal::GivenUp(GivenUp::Unneeded))
        }
        Phase::Done { evidence, .. } if own == Some(path) => Some(Removal::Done(evidence.clone())),
        Phase::Done { .. } => Some(superseded),
        Phase::Out | Phase::Stopped { .. } => Some(Removal::GivenUp(GivenUp::Stopped)),
        Phase::Running { .. } | Phase::InBot { .. } => is_superseded.then_some(superseded),
        Phase::Queued | Phase::Parked { .. } | Phase::Escalated { .. } => None,
    }
}
