//! People's messages: given to the turn under way if its program takes words while it works, else put into the prompt of
//! the next one. A message that arrives after the change was made leads to another turn.

use super::{Context, Decision};
use crate::effect::MachineAct;
use crate::fact::{Move, RunMove};
use crate::issue::Phase;
use crate::messages::is_steered_by_comments;
use crate::run::{Run, WorkState};
use crate::steps::Step;
use crate::watch::{Pace, Resource, Watch};

/// Desires to give the oldest message that waits to the turn under way.
pub(super) fn want(cx: &Context<'_>, decision: &mut Decision) {
    let Some(work) = &cx.managed.work else { return };
    let is_at_step = cx.managed.phase == Phase::Running { step: work.step };
    let takes_some = work.state == WorkState::Underway
        && !work.takes_no_messages
        && cx.managed.may_be_told(work.attempt);
    if !is_at_step || !takes_some || cx.managed.is_paused {
        return;
    }
    decision.effects.extend(cx.managed.messages.waiting().next().map(|first| {
        let (attempt, message) = (work.attempt, first.id);
        let (from, text) = (first.from.clone(), first.text);
        cx.on_machine(MachineAct::Tell { attempt, message, from, text })
    }));
}

/// Reads comments while agents work, if people may steer by them. Until there is a workspace no agent can hear them.
pub(super) fn watch(cx: &Context<'_>, decision: &mut Decision) {
    let has_workspace = cx.run().is_some_and(|run| run.workspace.is_some());
    if has_workspace && is_steered_by_comments(cx.managed, cx.rules) {
        let resource = Resource::Comments(cx.key.clone());
        // Whoever waits for answers reads them sooner.
        if decision.watch.iter().all(|watch| watch.resource != resource) {
            decision.watch.push(Watch { resource, pace: Pace::Normal });
        }
    }
}

/// Goes back to the agent that made the change, if people have written to it since.
pub(super) fn steers(cx: &Context<'_>, run: &Run, step: Step) -> Option<Move> {
    let is_waiting = cx.managed.messages.waiting().next().is_some();
    let is_due = is_waiting && run.steered.is_none() && run.head.is_some();
    (is_due && run.recipe.is_past_change(step)).then_some(Move::Run(RunMove::Steered))
}
