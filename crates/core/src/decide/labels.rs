//! The status label follows the phase, one write at a time, add before remove. Scheduling never waits for it.

use super::adopt::queued_label_is_explained;
use super::{Context, Decision, comments};
use crate::effect::IssueAct;
use crate::issue::{Issue, Phase};
use crate::label::{self, Correction, ManagedLabel, Status};
use crate::watch::{Pace, Resource, Watch};

/// Is this status on the issue, under its own or its legacy name?
pub(super) fn shows(issue: &Issue, status: Status) -> bool {
    issue.labels().any(|name| match label::parse(name) {
        Some(ManagedLabel::Status(s) | ManagedLabel::LegacyStatus(s)) => s == status,
        Some(ManagedLabel::Command(_) | ManagedLabel::Priority(_)) | None => false,
    })
}

pub(super) fn want(cx: &Context<'_>, decision: &mut Decision) {
    watch_for_wishes(cx, decision);
    look_past_echoes(cx, decision);
    if let Some(at) = cx.managed.labels.retry_at.filter(|at| *at > cx.now) {
        decision.look_again(at);
        return;
    }
    let Some(act) = correction(cx).or_else(|| cleared_command(cx)) else { return };
    decision.effects.push(cx.on_issue(act));
}

/// What contradicted our own write may have been a person: read it again once a lagging replica cannot be it.
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
        Correction::Remove(name) if may_be_a_wish(cx, &name) => None,
        Correction::Remove(name) => Some(IssueAct::RemoveLabel { label: name.into() }),
    }
}

/// The label of an answered command goes last: after the answer, and with the resulting status in place.
fn cleared_command(cx: &Context<'_>) -> Option<IssueAct> {
    let mut clearing = cx.managed.commands.clearing.keys();
    let command = clearing.find(|command| cx.issue.has_label(command.label()))?;
    let present = cx.issue.labels().find(|name| name.eq_ignore_ascii_case(command.label()))?;
    let is_in_place = cx.managed.status().is_none_or(|status| shows(cx.issue, status));
    (is_in_place && comments::is_answered(cx))
        .then(|| IssueAct::RemoveLabel { label: present.into() })
}

/// On an escalated or unmanaged issue a queued label may be a person's wish: it stays until that is known.
fn may_be_a_wish(cx: &Context<'_>, name: &str) -> bool {
    let is_queued = matches!(
        label::parse(name),
        Some(ManagedLabel::Status(Status::Queued) | ManagedLabel::LegacyStatus(Status::Queued))
    );
    is_queued && hears_wishes(cx) && !queued_label_is_explained(cx)
}

const fn hears_wishes(cx: &Context<'_>) -> bool {
    matches!(cx.managed.phase, Phase::Out | Phase::Escalated { .. })
}

/// Label events are read while a label is there that may be a wish and is not accounted for.
fn watch_for_wishes(cx: &Context<'_>, decision: &mut Decision) {
    let is_open_command = |name: &str| match label::parse(name) {
        Some(ManagedLabel::Command(command)) => {
            !cx.managed.commands.clearing.contains_key(&command)
        }
        Some(ManagedLabel::Status(Status::Queued) | ManagedLabel::LegacyStatus(Status::Queued)) => {
            hears_wishes(cx) && !queued_label_is_explained(cx)
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
