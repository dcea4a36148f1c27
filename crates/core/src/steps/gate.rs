//! The rules that the gates before the pull request share.

use super::publish::is_ci_alone;
use crate::decide::step::escalate;
use crate::decide::{Context, Next};
use crate::escalation::Cause;
use crate::fact::{Move, RunMove};
use crate::gate::{Gate, GateRecord, GateStatus};
use crate::run::Run;
use crate::words;

/// The decision on a gate that has nothing to judge: the change will not be published, or the operator has switched the
/// gate off.
pub(super) fn needless(cx: &Context<'_>, run: &Run, gate: Gate) -> Option<Next> {
    if is_ci_alone(cx, run) {
        return Some(escalate(Cause::CiOnly));
    }
    let reason = skip_reason(cx, gate)?;
    Some(judged(gate, run.judged(gate, GateStatus::Skipped, reason, cx.now)))
}

/// The decision on a gate that has refused the change: recorded as advice where the operator wants that, otherwise sent
/// back.
pub(super) fn refused(cx: &Context<'_>, run: &Run, gate: Gate) -> Option<Next> {
    let failed = failed(run, gate)?;
    if cx.rules.advisory_gates.contains(&gate) {
        return Some(judged(gate, GateRecord { is_advisory: true, ..failed.clone() }));
    }
    let reason = words::gate_failed(gate, &failed.reason);
    Some(Next::Move(Move::Run(RunMove::Reimplement { reason })))
}

/// The record of a gate that refused exactly the current state.
pub(super) fn failed(run: &Run, gate: Gate) -> Option<&GateRecord> {
    let record = run.gates.on(gate, &run.subject_of(gate)?)?;
    (record.status == GateStatus::Fail && !record.is_advisory).then_some(record)
}

pub(super) fn judged(gate: Gate, record: GateRecord) -> Next {
    Next::Move(Move::Run(RunMove::Judged { gate, record: record.into() }))
}

/// The reason to skip a gate. Only the operator switches a gate off, and never the review of the plan.
pub(crate) fn skip_reason(cx: &Context<'_>, gate: Gate) -> Option<&'static str> {
    let is_switched_off = gate != Gate::PlanReview && cx.rules.skipped_gates.contains(&gate);
    let has_no_commands = gate.runs_commands() && cx.rules.has_no_commands();
    (is_switched_off || has_no_commands).then_some("configured")
}
