//! Issues of a repository that is not configured, or no longer is. Nothing is done to them: their record waits and says
//! so, and their process is ended.

use super::Decision;
use crate::effect::{Effect, MachineAct};
use crate::fact::{Move, Subject};
use crate::ids::IssueKey;
use crate::issue::{BlockedSource, Managed, Phase};
use crate::run::{EndReason, WorkState};
use crate::standing::Standing;
use crate::words;

pub(super) fn decide(key: &IssueKey, managed: &Managed) -> Decision {
    let subject = Subject::Issue(key.clone());
    if let Some((id, pending)) = managed.commands.pending.iter().next() {
        let refused = (!pending.is_kept_here()).then(|| words::refused_elsewhere(&key.repo));
        return Decision::moving(subject, Move::Commanded { id: *id, refused });
    }
    if managed.is_blank() {
        return Decision::moving(subject, Move::Forgotten);
    }
    let mut decision = Decision::nothing(subject);
    let Some(work) = &managed.work else {
        decision.standing = Some(standing(managed));
        return decision;
    };
    let (attempt, step) = (work.attempt, work.step);
    match work.state {
        WorkState::Starting | WorkState::Underway => {
            decision.moves.push(Move::Ending { reason: EndReason::Held });
        }
        WorkState::Ending(_) => {
            decision.effects.push(Effect::Machine(key.clone(), MachineAct::End { attempt, step }));
            decision.standing = Some(Standing::Ending { step });
        }
    }
    decision
}

fn standing(managed: &Managed) -> Standing {
    match &managed.phase {
        Phase::Out => Standing::Out,
        Phase::Stopped { why } => Standing::Stopped { why: *why },
        Phase::Done { .. } => Standing::Done,
        Phase::Queued
        | Phase::Running { .. }
        | Phase::Parked { .. }
        | Phase::Escalated { .. }
        | Phase::InBot { .. } => {
            Standing::Blocked { source: BlockedSource::Allowlist, by: Vec::new() }
        }
    }
}
