//! The turn of an agent: everything its adapter needs, resolved at the time of the decision.

use super::{Step, parent_verify};
use crate::bound::Bound;
use crate::decide::Context;
use crate::gate::{Gate, GateRecord};
use crate::job::{Findings, Job, Turn};
use crate::policy::RepoPolicy;
use crate::role::{Role, Session};
use crate::run::Run;
use crate::time::Span;

pub(super) fn limit(rules: &RepoPolicy, role: Role) -> Span {
    let limits = &rules.limits;
    limits.role_turn_timeouts.get(&role).copied().unwrap_or(limits.turn_timeout)
}

pub(super) fn job(cx: &Context<'_>, run: &Run, step: Step) -> Option<Job> {
    let role = step.role(run.recipe)?;
    let spec = role.spec();
    let workspace = run.workspace.as_ref()?;
    let seen = cx.issue.seen.as_ref()?;
    let record = step.gate().and_then(|gate| run.gates.on(gate, &run.subject_of(gate)?));
    let repaired = record.filter(|record| record.repairs > 0);
    let conflict = run.conflict.as_ref().filter(|_| role == Role::MergeConflict);
    Some(Job::Turn(Box::new(Turn {
        run: run.id,
        role,
        manner: role.manner(),
        path: workspace.path.clone(),
        branch: run.branch.clone(),
        head: run.head.as_ref().map(|head| head.commit.clone()),
        base: workspace.base.clone(),
        session: session(run, step, spec.session, repaired),
        is_repair: repaired.is_some(),
        earlier: repaired.and_then(|record| record.said),
        timeout: step.time_limit(cx.rules, run.recipe),
        title: seen.title.to_string(),
        body: seen.body,
        plan: run.plan.as_ref().map(|plan| plan.text),
        feedback: run.feedback.clone(),
        findings: findings(run, role.hears()),
        stalled: run.stalled_at(step).cloned(),
        parent: spec.sees_children.then(|| parent_verify::brief(cx, run)).flatten(),
        merging: conflict.map(|conflict| conflict.base.clone()),
        notes: cx.managed.notes.kept.clone(),
        claims_file: cx.rules.claims_file.clone(),
    })))
}

/// The session that the turn resumes. After the first stall of a run the agent is nudged in its session; after the next
/// it starts a fresh one.
fn session(run: &Run, step: Step, rule: Session, repaired: Option<&GateRecord>) -> Option<String> {
    let kept = match rule {
        Session::Run => run.session.clone(),
        Session::Review => repaired.and_then(|record| record.session.clone()),
        Session::Fresh => None,
    };
    match run.stalled_at(step) {
        Some(stalled) if run.spent.of(Bound::STALLS) == 1 => stalled.session.clone().or(kept),
        Some(_) => None,
        None => kept,
    }
}

/// The findings of reviews that failed, kept until the same review passes something.
fn findings(run: &Run, hears: &[Gate]) -> Vec<Findings> {
    let found = |gate: &Gate| {
        let gate = *gate;
        run.gates.findings(gate).map(move |text| Findings { gate, text })
    };
    hears.iter().flat_map(found).collect()
}
