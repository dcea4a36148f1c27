//! Ralph's processes: confirmed, awaited, or ended. A process that is no longer needed is ended before anything else
//! happens to its issue.

use super::{Context, Decision, Next};
use crate::effect::{Effect, MachineAct};
use crate::fact::{Move, Subject};
use crate::issue::Phase;
use crate::repo::Hold;
use crate::run::{EndReason, WorkState};
use crate::standing::Standing;

/// Lets a process on this machine continue, but reads and writes nothing until it is known whose the repository is.
pub(super) fn go_on(mut decision: Decision) -> Decision {
    decision.effects.retain(|effect| {
        matches!(effect, Effect::Machine(_, MachineAct::Start { .. } | MachineAct::End { .. }))
    });
    decision.watch.clear();
    decision
}

/// Ends the issue's process and lets it wait: nothing may be done for this issue here.
pub(super) fn let_go(cx: &Context<'_>) -> Decision {
    let subject = Subject::Issue(cx.key.clone());
    let mut decision = Decision::nothing(subject.clone());
    let Some(work) = &cx.managed.work else {
        decision.standing = Some(at_rest(cx).unwrap_or(Standing::RepositoryHeld));
        return decision;
    };
    decision.standing = Some(Standing::RepositoryHeld);
    let (attempt, step) = (work.attempt, work.step);
    match work.state {
        WorkState::Ending(_) => {
            decision.effects.push(cx.on_machine(MachineAct::End { attempt, step }));
            decision
        }
        WorkState::Starting | WorkState::Underway => {
            Decision::moving(subject, Move::Ending { reason: EndReason::Held })
        }
    }
}

/// The standing of an issue that would wait anyway, while Ralph finds out whose the repository is: neither it nor its
/// beginning has changed.
fn at_rest(cx: &Context<'_>) -> Option<Standing> {
    if let Hold::Theirs(_) = cx.repo.mark.hold(cx.policy.instance.as_ref(), &cx.repo.refusals) {
        return None;
    }
    let wanted = super::wanted(cx);
    let is_at_rest = wanted.moves.is_empty() && wanted.effects.is_empty();
    wanted.standing.filter(|standing| is_at_rest && standing.deadline().is_none())
}

/// The next step for the process of this issue, if it has one.
pub(super) fn next(cx: &Context<'_>) -> Option<Next> {
    let work = cx.managed.work.as_ref()?;
    let (attempt, step) = (work.attempt, work.step);
    let is_wanted = cx.managed.phase == Phase::Running { step };
    // A pause lets a turn finish, but starts none.
    let is_held = cx.managed.is_paused && work.state == WorkState::Starting;
    Some(match work.state {
        WorkState::Ending(_) => {
            let end = cx.on_machine(MachineAct::End { attempt, step });
            Next::Act(end, Standing::Ending { step })
        }
        WorkState::Starting | WorkState::Underway if !is_wanted || is_held => {
            Next::Move(Move::Ending { reason: EndReason::Held })
        }
        WorkState::Starting | WorkState::Underway if work.deadline <= cx.now => {
            Next::Move(Move::Ending { reason: EndReason::TimedOut })
        }
        WorkState::Starting => match step.job(cx) {
            Some(job) => {
                let start = cx.on_machine(MachineAct::Start { attempt, job });
                Next::Act(start, Standing::Starting { step })
            }
            None => Next::Move(Move::Ending { reason: EndReason::Held }),
        },
        WorkState::Underway => {
            let (until, suspicion) = (work.deadline, work.suspicion.clone());
            Next::Wait(Standing::Working { step, until, suspicion })
        }
    })
}
