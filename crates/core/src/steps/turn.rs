//! The turn of an agent: everything its adapter needs, resolved at the time of the decision.

use super::{Step, parent_verify};
use crate::bound::Bound;
use crate::decide::Context;
use crate::gate::{Gate, GateRecord};
use crate::guidance::Guidance;
use crate::ids::Sha;
use crate::job::{Findings, Job, Turn};
use crate::messages::Message;
use crate::policy::RepoPolicy;
use crate::recipe::Recipe;
use crate::role::{Role, Session};
use crate::run::{Run, Workspace};
use crate::time::Span;

pub(super) fn limit(rules: &RepoPolicy, role: Role) -> Span {
    let limits = &rules.limits;
    limits.role_turn_timeouts.get(&role).copied().unwrap_or(limits.turn_timeout)
}

pub(super) fn job(cx: &Context<'_>, run: &Run, step: Step) -> Option<Job> {
    let turn = turn(cx, run, run.workspace.as_ref()?, step)?;
    Some(Job::Turn(Box::new(turn)))
}

fn turn(cx: &Context<'_>, run: &Run, workspace: &Workspace, step: Step) -> Option<Turn> {
    let role = step.role(run.recipe)?;
    let spec = role.spec();
    let seen = cx.issue.seen.as_ref()?;
    let record = step.gate().and_then(|gate| run.gates.on(gate, &run.subject_of(gate)?));
    let repaired = record.filter(|record| record.repairs > 0);
    let conflict = run.conflict.as_ref().filter(|_| role == Role::MergeConflict);
    Some(Turn {
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
        messages: messages(cx, role),
        claims_file: cx.rules.claims_file.clone(),
        guidance: workspace.guidance.of_role(role),
        account: cx.managed.work.as_ref().and_then(|work| work.account.clone()),
    })
}

/// The commit of a turn whose worktree does not exist yet.
const UNKNOWN_BASE: &str = "unknown";

/// The turn of a role as it would be decided now, for people to look at. What is not known yet, such as the base before
/// there is a worktree, is left open.
pub(crate) fn preview(cx: &Context<'_>, role: Role) -> Option<Turn> {
    let run = cx.run().cloned();
    let run = run.unwrap_or_else(|| Run::next(cx.key, cx.issue.title(), None, cx.now));
    let taken_in = |recipe: Recipe| {
        let step = recipe.steps().iter().find(|step| step.role(recipe) == Some(role))?;
        Some((recipe, *step))
    };
    let recipes = std::iter::once(run.recipe).chain(Recipe::ALL);
    let (recipe, step) = recipes.into_iter().find_map(taken_in)?;
    let run = Run { recipe, ..run };
    let unknown = || Workspace {
        path: cx.policy.worktrees.worktree(cx.key, run.slot, run.id),
        base: Sha::new(UNKNOWN_BASE),
        bot_moves: 0,
        guidance: Guidance::default(),
    };
    let workspace = run.workspace.clone().unwrap_or_else(unknown);
    turn(cx, &run, &workspace, step)
}

/// The session that the next turn of a step resumes.
pub(crate) fn resumed(run: &Run, step: Step) -> Option<String> {
    let spec = step.role(run.recipe)?.spec();
    let record = step.gate().and_then(|gate| run.gates.on(gate, &run.subject_of(gate)?));
    session(run, step, spec.session, record.filter(|record| record.repairs > 0))
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

/// The messages in the prompt of the turn that is about to start, or of the next one.
fn messages(cx: &Context<'_>, role: Role) -> Vec<Message> {
    let messages = &cx.managed.messages;
    match &cx.managed.work {
        Some(work) if cx.managed.may_be_told(work.attempt) => {
            messages.in_prompt_of(work.attempt).cloned().collect()
        }
        None if role.takes_messages() => messages.waiting().cloned().collect(),
        Some(_) | None => Vec::new(),
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
