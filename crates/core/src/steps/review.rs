//! The rules that the reviews share: an agent judges, and only a verdict that follows the strict rule counts.

use super::{Finished, Step, gate};
use crate::bound::Bound;
use crate::decide::step::{escalate, or_spent};
use crate::decide::{Context, Next};
use crate::digest::Digest;
use crate::escalation::Cause;
use crate::fact::{Answer, Outcome};
use crate::gate::{Gate, GateRecord, GateStatus};
use crate::product_gap::ProductGap;
use crate::run::Run;
use crate::words;

/// The decision on a review of the change.
pub(super) fn of_change(cx: &Context<'_>, run: &Run, step: Step, gate: Gate) -> Next {
    gate::needless(cx, run, gate)
        .or_else(|| gate::refused(cx, run, gate))
        .unwrap_or_else(|| next(cx, run, step, gate))
}

/// The decision on a review that has not refused anything.
pub(super) fn next(cx: &Context<'_>, run: &Run, step: Step, gate: Gate) -> Next {
    let record = run.subject_of(gate).and_then(|subject| run.gates.on(gate, &subject));
    let limit = cx.rules.limits.of(Bound::VERDICT_REPAIRS);
    if record.is_some_and(|record| record.repairs > limit) {
        return escalate(Cause::MissingVerdict(gate));
    }
    or_spent(cx, run, step)
}

pub(super) fn take(run: &mut Run, step: Step, gate: Gate, finished: &Finished<'_>) {
    let (outcome, now) = (finished.outcome, finished.now);
    if let Outcome::Turn { answer, .. } = outcome {
        match answer {
            Answer::Verdict { pass, reason, gap, said, excerpt } => {
                let status = if *pass { GateStatus::Pass } else { GateStatus::Fail };
                let record = run.judged(gate, status, reason, now);
                let (first, gap) = said_first(run, gate, &record.subject, gap);
                let (said, added) = first.map_or((*said, None), |first| (Some(first), *said));
                let excerpt = excerpt_of_first(run, gate, &record.subject, excerpt);
                let excerpt = if *pass { String::new() } else { excerpt };
                // Only the review of a plan may ask what the product should be, and only if it fails.
                let gap = if *pass || gate != Gate::PlanReview { ProductGap::None } else { gap };
                run.gates.set(gate, GateRecord { said, added, gap, excerpt, ..record });
                return;
            }
            Answer::NoVerdict { why, said, excerpt, gap } => {
                let record = run.judged(gate, GateStatus::Pending, why, now);
                let (first, gap) = said_first(run, gate, &record.subject, gap);
                let (session, said) = (outcome.session(), first.or(*said));
                let repairs = record.repairs + 1;
                let excerpt = excerpt_of_first(run, gate, &record.subject, excerpt);
                let pending = GateRecord { repairs, session, said, excerpt, gap, ..record };
                run.gates.set(gate, pending);
                return;
            }
            Answer::Plan { .. }
            | Answer::Changed(_)
            | Answer::Unchanged
            | Answer::Parent(_)
            | Answer::Survey(_)
            | Answer::Unresolved { .. } => {}
        }
    }
    run.gates.forget_session(gate);
    run.fail(step, words::failure(outcome));
}

/// Keeps the review and its question for a person from before a repair: a repair turn answers with a verdict at best.
fn said_first(
    run: &Run,
    gate: Gate,
    subject: &str,
    gap: &ProductGap,
) -> (Option<Digest>, ProductGap) {
    let first = run.gates.on(gate, subject).filter(|known| known.repairs > 0);
    let gap = match (gap, first) {
        (ProductGap::None, Some(first)) => first.gap.clone(),
        (ProductGap::None | ProductGap::Denied | ProductGap::Gap(_), _) => gap.clone(),
    };
    (first.and_then(|first| first.said), gap)
}

/// The excerpt for people: of the review itself, not of its repair.
fn excerpt_of_first(run: &Run, gate: Gate, subject: &str, excerpt: &str) -> String {
    let first = run.gates.on(gate, subject).filter(|known| known.repairs > 0);
    let first = first.map(|first| first.excerpt.as_str()).filter(|first| !first.is_empty());
    first.unwrap_or(excerpt).to_owned()
}
