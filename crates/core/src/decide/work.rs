//! Processes of ours: confirmed, awaited, or ended. A process that nobody wants any more is ended before
//! anything else happens to its issue.

use super::{Context, Next, step};
use crate::effect::MachineAct;
use crate::fact::Move;
use crate::issue::Phase;
use crate::run::{EndReason, WorkState};
use crate::standing::Standing;

/// What to do about the process of this issue, if it has one.
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
        WorkState::Starting => match step::job(cx, step) {
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
