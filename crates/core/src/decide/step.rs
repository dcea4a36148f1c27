//! One step of a run: is it spent, what does its process do, what does it wait for.

use super::{
    Context, Next, checks, integrity, lanes, look, merge, notes, outage, parent, publish, survey,
    sync_lane,
};
use crate::escalation::Cause;
use crate::fact::{Move, RunMove};
use crate::gate::{Gate, GateStatus};
use crate::job::{Findings, Job, Role, Turn};
use crate::policy::RepoPolicy;
use crate::recipe::{Recipe, Step};
use crate::run::Run;
use crate::standing::Standing;
use crate::time::Span;
use crate::words;

/// What a run does next. Nothing of ours is running when this is asked.
pub(super) fn next(cx: &Context<'_>, at: Step) -> Next {
    let Some(run) = cx.run() else {
        return escalate(Cause::NoEvidence);
    };
    let step = run.position(cx.rules);
    if step != at {
        return Next::Move(Move::Reached { step });
    }
    let spent =
        || interrupted(cx, run).or_else(|| stalled(cx, run)).or_else(|| outage::blamed(run, step));
    if let Some(cause) = run.trouble.clone().or_else(spent) {
        return escalate(cause);
    }
    if let Some(next) = look::at_claim(cx, run) {
        return next;
    }
    if cx.managed.waits_for_answers(step) {
        return Next::Wait(Standing::WaitsForAnswers { step, until: notes::until(cx) });
    }
    if sync_lane::brings_nothing(run) {
        return sync_lane::is_over(run);
    }
    match step {
        Step::Workspace => {
            if let Some(conflict) = &run.conflict {
                return lanes::conflicting(cx, run, conflict);
            }
            or_spent(cx, step, run.spent.workspace_tries, cx.rules.limits.workspace_tries)
        }
        Step::Setup => or_spent(cx, step, run.spent.setup_tries, cx.rules.limits.setup_tries),
        Step::ParentVerify => parent::next(cx, run),
        Step::Plan => or_spent(cx, step, run.spent.plan_turns, cx.rules.limits.plan_turns),
        Step::Implement | Step::Repair => implement(cx, run, step),
        Step::PlanReview => gate(cx, run, step, Gate::PlanReview),
        Step::Preflight => gate(cx, run, step, Gate::Preflight),
        Step::Integrity => gate(cx, run, step, Gate::TestIntegrity),
        Step::ProductReview => gate(cx, run, step, Gate::ProductReview),
        Step::DevexReview => gate(cx, run, step, Gate::DevexReview),
        Step::Publish => publish::next(cx, run),
        Step::Survey => survey::next(cx, run),
        Step::Checks => checks::next(cx, run),
        Step::Merge if run.recipe.is_sync() => sync_lane::is_over(run),
        Step::Merge => merge::next(cx, run),
    }
}

/// A run that was resumed to repair something may take one turn more for it.
fn implement(cx: &Context<'_>, run: &Run, step: Step) -> Next {
    let limit = cx.rules.limits.implement_turns.saturating_add(run.spent.resumes);
    let is_spent = run.spent.implement_turns >= limit;
    let repair = is_spent.then(|| lanes::unrepaired(cx, run)).flatten();
    repair.unwrap_or_else(|| or_spent(cx, step, run.spent.implement_turns, limit))
}

pub(super) const fn escalate(cause: Cause) -> Next {
    Next::Move(Move::Escalated { cause })
}

/// The last failure in words, for a cause that needs one.
pub(super) fn last_failure(run: &Run) -> String {
    run.last_failure.clone().unwrap_or_default()
}

fn interrupted(cx: &Context<'_>, run: &Run) -> Option<Cause> {
    let is_spent = run.spent.interruptions >= cx.rules.limits.interruptions;
    is_spent.then_some(Cause::Interrupted)
}

fn stalled(cx: &Context<'_>, run: &Run) -> Option<Cause> {
    let stalled = run.stalled.as_ref().filter(|_| run.spent.stalls >= cx.rules.limits.stalls)?;
    Some(Cause::Stalled { step: stalled.step, reason: words::stalled(stalled) })
}

fn or_spent(cx: &Context<'_>, step: Step, spent: u32, limit: u32) -> Next {
    if spent < limit {
        return Next::Wait(Standing::WaitsForSlot { step });
    }
    let told = cx.run().and_then(|run| run.feedback.clone());
    let sent_back = cx.run().and_then(|run| run.replanned.as_ref()).map(|replanned| replanned.by);
    escalate(match (told, sent_back) {
        (Some(reason), Some(Gate::TestIntegrity)) if step == Step::Plan => {
            Cause::TestsChanged(reason)
        }
        (Some(reason), Some(_)) if step == Step::Plan => Cause::PlanRejected(reason),
        (Some(reason), _) => Cause::StepSpent { step, reason },
        (None, _) => {
            Cause::StepSpent { step, reason: cx.run().map(last_failure).unwrap_or_default() }
        }
    })
}

/// A gate before the pull request: skipped, failed, in need of a verdict, or to be run.
fn gate(cx: &Context<'_>, run: &Run, step: Step, gate: Gate) -> Next {
    // Nothing is spent on judging a change that is not going to be published.
    if gate != Gate::PlanReview && publish::is_ci_alone(cx, run) {
        return escalate(Cause::CiOnly);
    }
    if let Some(reason) = skip_reason(cx, gate) {
        let record = run.judged(gate, GateStatus::Skipped, reason, cx.now);
        return Next::Move(Move::Run(RunMove::Judged { gate, record: record.into() }));
    }
    let runs_commands = matches!(gate, Gate::Preflight | Gate::TestIntegrity);
    if runs_commands && !cx.rules.knows_preflight() {
        let reason = words::PREFLIGHT_UNSET.to_owned();
        return escalate(Cause::StepSpent { step, reason });
    }
    let limits = &cx.rules.limits;
    let record = run.subject_of(gate).and_then(|subject| run.gates.on(gate, &subject));
    if let Some(failed) = record.filter(|record| record.status == GateStatus::Fail) {
        if let Some(advised) = integrity::advised(cx, gate, failed) {
            return advised;
        }
        let reason = failed.reason.clone();
        if let Some(replan) = integrity::replan(run, gate, &reason) {
            return Next::Move(Move::Run(replan));
        }
        return Next::Move(Move::Run(match gate {
            Gate::PlanReview => RunMove::Replan { reason, by: gate },
            Gate::Preflight
            | Gate::TestIntegrity
            | Gate::ProductReview
            | Gate::DevexReview
            | Gate::Ci => RunMove::Reimplement { reason: words::gate_failed(gate, &reason) },
        }));
    }
    if record.is_some_and(|record| record.repairs > limits.verdict_repairs) {
        return escalate(Cause::MissingVerdict(gate));
    }
    match gate {
        Gate::Preflight if run.spent.preflight_tries >= limits.preflight_tries => {
            escalate(Cause::CouldNotRun { step, reason: last_failure(run) })
        }
        Gate::Preflight => Next::Wait(Standing::WaitsForSlot { step }),
        Gate::TestIntegrity => integrity::next(cx, run),
        Gate::PlanReview | Gate::ProductReview | Gate::DevexReview | Gate::Ci => {
            or_spent(cx, step, run.spent.review_failures, limits.review_failures)
        }
    }
}

/// Plan review is never skipped; the others only because the operator said so.
pub(super) fn skip_reason(cx: &Context<'_>, gate: Gate) -> Option<&'static str> {
    let is_switched_off = gate != Gate::PlanReview && cx.rules.skipped_gates.contains(&gate);
    let runs_commands = matches!(gate, Gate::Preflight | Gate::TestIntegrity);
    let has_no_commands = runs_commands && cx.rules.has_no_commands();
    (is_switched_off || has_no_commands).then_some("configured")
}

/// Everything the process of this step needs to know.
pub(super) fn job(cx: &Context<'_>, step: Step) -> Option<Job> {
    let run = cx.run()?;
    let id = run.id;
    let path = run.workspace.as_ref().map(|workspace| workspace.path.clone());
    match step {
        Step::Workspace => Some(Job::Workspace {
            run: id,
            path: cx.policy.worktrees.worktree(cx.key, run.slot, id),
            branch: run.branch.clone(),
            base: cx.rules.bot_branch.clone(),
            leaves: run.left.clone().filter(|_| run.workspace.is_none()),
        }),
        Step::Setup => Some(Job::Setup {
            run: id,
            path: path?,
            commands: cx.rules.setup.clone(),
            timeout: cx.rules.limits.setup_timeout,
        }),
        Step::Preflight => Some(Job::Preflight {
            run: id,
            commit: run.head.as_ref()?.commit.clone(),
            setup: cx.rules.setup.clone(),
            setup_timeout: cx.rules.limits.setup_timeout,
            commands: cx.rules.preflight.clone()?,
            timeout: cx.rules.limits.preflight_timeout,
        }),
        Step::Integrity => integrity::job(cx, run),
        Step::ParentVerify
        | Step::Plan
        | Step::PlanReview
        | Step::Implement
        | Step::Repair
        | Step::ProductReview
        | Step::DevexReview
        | Step::Survey => turn(cx, run, step).map(|turn| Job::Turn(Box::new(turn))),
        Step::Publish | Step::Checks | Step::Merge => None,
    }
}

fn turn(cx: &Context<'_>, run: &Run, step: Step) -> Option<Turn> {
    let role = Role::of(run.recipe, step)?;
    let workspace = run.workspace.as_ref()?;
    let seen = cx.issue.seen.as_ref()?;
    let gate = match role {
        Role::PlanReview => Some(Gate::PlanReview),
        Role::ProductReview => Some(Gate::ProductReview),
        Role::DevexReview => Some(Gate::DevexReview),
        Role::ParentVerify
        | Role::Plan
        | Role::Implement
        | Role::CiDebug
        | Role::MergeConflict
        | Role::Survey => None,
    };
    let record = gate.and_then(|gate| run.gates.on(gate, &run.subject_of(gate)?));
    let repaired = record.filter(|record| record.repairs > 0);
    let stalled = run.stalled_at(step);
    // A review that went on in the session that made the change would be no review.
    let session = match (stalled, gate) {
        (Some(stalled), _) => stalled.session.clone(),
        (None, None) if matches!(role, Role::ParentVerify | Role::Survey) => None,
        (None, None) => run.session.clone(),
        (None, Some(_)) => repaired.and_then(|record| record.session.clone()),
    };
    Some(Turn {
        run: run.id,
        role,
        path: workspace.path.clone(),
        branch: run.branch.clone(),
        head: run.head.as_ref().map(|head| head.commit.clone()),
        base: workspace.base.clone(),
        session,
        is_repair: repaired.is_some(),
        earlier: repaired.and_then(|record| record.said),
        timeout: cx.rules.limits.turn_timeout_of(role),
        title: seen.title.to_string(),
        body: seen.body,
        plan: run.plan.as_ref().map(|plan| plan.text),
        feedback: run.feedback.clone(),
        findings: findings(run, role),
        stalled: stalled.cloned(),
        parent: parent::brief(cx, run, step),
        merging: (role == Role::MergeConflict)
            .then(|| run.conflict.as_ref().map(|conflict| conflict.base.clone()))
            .flatten(),
        notes: cx.managed.notes.kept.clone(),
        claims_file: cx.rules.claims_file.clone(),
    })
}

/// Findings of reviews that failed stay in view until the same review lets something through.
fn findings(run: &Run, role: Role) -> Vec<Findings> {
    let found = |gate: &Gate| {
        let gate = *gate;
        run.gates.findings(gate).map(move |text| Findings { gate, text })
    };
    role.hears().iter().flat_map(found).collect()
}

/// How long the process of a step may take.
pub(super) fn time_limit(rules: &RepoPolicy, recipe: Recipe, step: Step) -> Span {
    let limits = &rules.limits;
    match step {
        Step::Workspace => limits.workspace_timeout,
        Step::Setup => setup_limit(rules),
        Step::Preflight => setup_limit(rules).plus(limits.preflight_timeout),
        // Preflight with the base's tests, and the base's own checks.
        Step::Integrity => {
            setup_limit(rules).plus(limits.preflight_timeout).plus(limits.ci_timeout)
        }
        Step::ParentVerify
        | Step::Plan
        | Step::PlanReview
        | Step::Implement
        | Step::Repair
        | Step::ProductReview
        | Step::DevexReview
        | Step::Publish
        | Step::Survey
        | Step::Checks
        | Step::Merge => {
            let role = Role::of(recipe, step);
            role.map_or(limits.turn_timeout, |role| limits.turn_timeout_of(role))
        }
    }
}

fn setup_limit(rules: &RepoPolicy) -> Span {
    rules.limits.setup_timeout.times(rules.setup.len())
}
