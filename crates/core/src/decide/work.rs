//! Processes of ours: confirmed, awaited, or ended. A process that nobody wants any more is ended before
//! anything else happens to its issue.

use super::{Context, Next, step};
use crate::effect::Act;
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
        WorkState::Ending(_) => Next::Act(Act::End { attempt, step }, Standing::Ending { step }),
        WorkState::Starting | WorkState::Underway if !is_wanted || is_held => {
            Next::Move(Move::Ending { reason: EndReason::Held })
        }
        WorkState::Starting | WorkState::Underway if work.deadline <= cx.now => {
            Next::Move(Move::Ending { reason: EndReason::TimedOut })
        }
        WorkState::Starting => match step::job(cx, step) {
            Some(job) => Next::Act(Act::Start { attempt, job }, Standing::Starting { step }),
            None => Next::Move(Move::Ending { reason: EndReason::Held }),
        },
        WorkState::Underway => Next::Wait(Standing::Working { step, until: work.deadline }),
    })
}
