//! The status label follows the phase, one write at a time, add before remove. Scheduling never waits for it.

use super::adopt::queued_label_is_explained;
use super::{Context, Decision, comments};
use crate::effect::IssueAct;
use crate::issue::{Issue, Phase};
use crate::label::{self, Correction, ManagedLabel, Status};
use crate::watch::{Pace, Resource, Watch};

/// True if the issue shows this status, under its own or its legacy name.
pub(super) fn shows(issue: &Issue, status: Status) -> bool {
    issue.labels().any(|name| match label::parse(name) {
        Some(ManagedLabel::Status(s) | ManagedLabel::LegacyStatus(s)) => s == status,
        Some(ManagedLabel::Command(_) | ManagedLabel::Priority(_)) | None => false,
    })
}

pub(super) fn want(cx: &Context<'_>, decision: &mut Decision) {
    watch_for_commands(cx, decision);
    look_past_echoes(cx, decision);
    if let Some(at) = cx.managed.labels.retry_at.filter(|at| *at > cx.now) {
        decision.look_again(at);
        return;
    }
    let Some(act) = correction(cx).or_else(|| cleared_command(cx)) else { return };
    decision.effects.push(cx.on_issue(act));
}

/// Reads again what contradicted our own write, once a lagging replica no longer explains it: a person may have done
/// it.
fn look_past_echoes(cx: &Context<'_>, decision: &mut Decision) {
    match cx.managed.labels.contradicted_until {
        Some(at) if at > cx.now => decision.look_again(at),
        Some(_) => {
            let resource = Resource::Issue(cx.key.clone());
            decision.watch.push(Watch { resource, pace: Pace::Soon });
        }
        None => {}
    }
}

fn correction(cx: &Context<'_>) -> Option<IssueAct> {
    match label::next_correction(cx.issue.labels(), cx.managed.status())? {
        Correction::Add(status) => Some(IssueAct::AddLabel { label: status.label().into() }),
        Correction::Remove(name) if may_be_a_command(cx, &name) => None,
        Correction::Remove(name) => Some(IssueAct::RemoveLabel { label: name.into() }),
    }
}

/// The removal of an answered command's label. It comes last: after the answer, and with the resulting status in place.
fn cleared_command(cx: &Context<'_>) -> Option<IssueAct> {
    let mut clearing = cx.managed.commands.clearing.keys();
    let command = clearing.find(|command| cx.issue.has_label(command.label()))?;
    let present = cx.issue.labels().find(|name| name.eq_ignore_ascii_case(command.label()))?;
    let is_in_place = cx.managed.status().is_none_or(|status| shows(cx.issue, status));
    (is_in_place && comments::is_answered(cx))
        .then(|| IssueAct::RemoveLabel { label: present.into() })
}

/// True if a queued label may be a person's command, on an escalated or unmanaged issue: it stays until that is known.
fn may_be_a_command(cx: &Context<'_>, name: &str) -> bool {
    let is_queued = matches!(
        label::parse(name),
        Some(ManagedLabel::Status(Status::Queued) | ManagedLabel::LegacyStatus(Status::Queued))
    );
    is_queued && hears_commands(cx) && !queued_label_is_explained(cx)
}

const fn hears_commands(cx: &Context<'_>) -> bool {
    matches!(cx.managed.phase, Phase::Out | Phase::Escalated { .. })
}

/// Reads label events while there is a label that may be a command and is not accounted for.
fn watch_for_commands(cx: &Context<'_>, decision: &mut Decision) {
    let is_open_command = |name: &str| match label::parse(name) {
        Some(ManagedLabel::Command(command)) => {
            !cx.managed.commands.clearing.contains_key(&command)
        }
        Some(ManagedLabel::Status(Status::Queued) | ManagedLabel::LegacyStatus(Status::Queued)) => {
            hears_commands(cx) && !queued_label_is_explained(cx)
        }
        Some(
            ManagedLabel::Status(_) | ManagedLabel::LegacyStatus(_) | ManagedLabel::Priority(_),
        )
        | None => false,
    };
    let is_rereading = cx.managed.commands.rereads(&cx.managed.phase);
    if is_rereading || cx.issue.labels().any(is_open_command) {
        let resource = Resource::Commands(cx.key.clone());
        decision.watch.push(Watch { resource, pace: Pace::Soon });
    }
}
