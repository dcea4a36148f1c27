//! What the end of our own work changes: evidence gathered, tries spent. Only the attempt that is under way
//! counts; everything older is fenced off here.

use crate::digest::Digest;
use crate::escalation::Cause;
use crate::fact::{Answer, ConflictAt, Outcome};
use crate::gate::{Gate, GateProcess, GateRecord, GateStatus};
use crate::ids::Attempt;
use crate::issue::{Managed, Phase};
use crate::policy::grace_of;
use crate::product_gap::ProductGap;
use crate::recipe::Step;
use crate::run::{Conflict, EndReason, Plan, Run, StepRecord, Work, WorkState, Workspace};
use crate::stall::{Stall, Stalled};
use crate::time::Time;
use crate::words;

/// `bot_moves`: how often the bot branch was seen to move by now.
pub(super) fn fold(
    now: Time,
    attempt: Attempt,
    outcome: &Outcome,
    managed: &mut Managed,
    bot_moves: u64,
) {
    let Some(work) = managed.work.take_if(|work| work.attempt == attempt) else { return };
    let is_at_step = managed.phase == Phase::Running { step: work.step };
    let Some(run) = managed.run.as_mut().filter(|_| is_at_step) else { return };
    run.spent.interruptions = 0;
    run.remember(record(now, &work, outcome));
    // The one turn of a survey is not worth another workspace.
    if let (Outcome::WorkspaceLost { reason }, false) = (outcome, work.step == Step::Survey) {
        run.lose_workspace(reason);
        return;
    }
    match stall(work.step, outcome) {
        Some(stalled) => {
            run.last_failure = Some(words::stalled(&stalled));
            run.stall(stalled);
        }
        // A program that fails says nothing about the step, so that costs no try of it.
        None if matches!(outcome, Outcome::AgentFailed { .. }) && work.step != Step::Survey => {
            run.stalled = None;
            run.session = None;
            run.spent.agent_failures = run.spent.agent_failures.saturating_add(1);
            run.last_failure = Some(words::failure(outcome));
            work.step.gate().into_iter().for_each(|gate| run.gates.forget_session(gate));
        }
        None => {
            run.stalled = None;
            if matches!(outcome, Outcome::Turn { .. }) {
                run.spent.agent_failures = 0;
            }
            take(now, work.step, outcome, run, bot_moves);
            if let Some(gate) = work.step.gate() {
                let process =
                    GateProcess { run: Some(run.id), attempt: work.attempt, started: work.started };
                run.gates.came_of(gate, now, process);
            }
        }
    }
}

/// Did a turn end without getting anywhere? One that ran past its deadline is no better than one that was ended
/// at its limit.
fn stall(step: Step, outcome: &Outcome) -> Option<Stalled> {
    let (seen, last, session) = match outcome {
        Outcome::Stalled { seen, last, session } => (seen.clone(), last.clone(), session.clone()),
        Outcome::TimedOut { limit } => (Stall::Overtime { limit: *limit }, String::new(), None),
        Outcome::WorkspaceReady { .. }
        | Outcome::WorkspaceConflict { .. }
        | Outcome::CommandsPassed { .. }
        | Outcome::CommandsFailed { .. }
        | Outcome::Turn { .. }
        | Outcome::WorkspaceLost { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::Failed { .. } => return None,
    };
    // A survey is tried once, whatever becomes of it.
    let is_tried_again = step.takes_turn() && step != Step::Survey;
    is_tried_again.then_some(Stalled { step, seen, last, session })
}

/// Ralph died: nobody's failure, but too many in a row mean that something kills it. A process that was to
/// be ended has only met its end that way.
pub(super) fn interrupted(now: Time, attempt: Attempt, managed: &mut Managed) {
    let Some(work) = managed.work.as_ref().filter(|work| work.attempt == attempt) else { return };
    match work.state {
        WorkState::Ending(_) => ended(now, attempt, managed),
        WorkState::Starting | WorkState::Underway if work.step == Step::Survey => {
            let reason = words::INTERRUPTED.to_owned();
            fold(now, attempt, &Outcome::Failed { reason }, managed, 0);
        }
        WorkState::Starting | WorkState::Underway => {
            managed.work = None;
            if let Some(run) = managed.run.as_mut() {
                run.spent.interruptions = run.spent.interruptions.saturating_add(1);
            }
        }
    }
}

/// The end we asked for was confirmed.
pub(super) fn ended(now: Time, attempt: Attempt, managed: &mut Managed) {
    let Some(work) = managed.work.as_ref().filter(|work| work.attempt == attempt) else { return };
    let limit = work.deadline.minus(grace_of(work.step)).since(work.started);
    match work.state {
        WorkState::Ending(EndReason::Held) => managed.work = None,
        WorkState::Ending(EndReason::TimedOut) | WorkState::Starting | WorkState::Underway => {
            fold(now, attempt, &Outcome::TimedOut { limit }, managed, 0);
        }
    }
}

/// The session and the tokens of a turn that came to its end. One that failed, hung or was ended leaves no
/// session: the next begins a fresh one.
fn left_by(outcome: &Outcome) -> (Option<String>, Option<u64>) {
    match outcome {
        Outcome::Turn { session, tokens, .. } => (session.clone(), *tokens),
        Outcome::Stalled { session, .. } => (session.clone(), None),
        Outcome::WorkspaceReady { .. }
        | Outcome::WorkspaceConflict { .. }
        | Outcome::CommandsPassed { .. }
        | Outcome::CommandsFailed { .. }
        | Outcome::TimedOut { .. }
        | Outcome::WorkspaceLost { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::Failed { .. } => (None, None),
    }
}

fn record(now: Time, work: &Work, outcome: &Outcome) -> StepRecord {
    let (session, tokens) = left_by(outcome);
    let (step, attempt, started) = (work.step, work.attempt, work.started);
    let how = words::step_ended(outcome);
    StepRecord { step, attempt, started, ended: now, how, session, tokens }
}

fn take(now: Time, step: Step, outcome: &Outcome, run: &mut Run, bot_moves: u64) {
    match step {
        Step::Workspace => take_workspace(outcome, run, bot_moves),
        Step::Setup => take_setup(outcome, run),
        Step::ParentVerify => run.take_parent_verdict(now, outcome),
        Step::Plan => take_plan(outcome, run),
        Step::PlanReview => take_review(now, Gate::PlanReview, outcome, run),
        Step::Implement | Step::Repair => take_implementation(outcome, run),
        Step::Preflight => take_commands(now, Gate::Preflight, outcome, run),
        Step::Integrity => take_commands(now, Gate::TestIntegrity, outcome, run),
        Step::ProductReview => take_review(now, Gate::ProductReview, outcome, run),
        Step::DevexReview => take_review(now, Gate::DevexReview, outcome, run),
        Step::Survey => run.take_survey(outcome),
        Step::Publish | Step::Checks | Step::Merge => {}
    }
}

fn take_workspace(outcome: &Outcome, run: &mut Run, bot_moves: u64) {
    match outcome {
        Outcome::WorkspaceReady { path, base, head } => {
            // Whoever came to resolve a conflict finds that there is none.
            if run.workspace.is_none() && run.recipe.resolves_conflict() {
                (run.feedback, run.conflict) = (None, None);
            }
            run.workspace = Some(Workspace { path: path.clone(), base: base.clone(), bot_moves });
            run.is_outdated = false;
            run.head.clone_from(head);
        }
        Outcome::WorkspaceConflict { at: None, .. } => run.trouble = Some(Cause::Conflict),
        Outcome::WorkspaceConflict { files, at: Some(at) } => {
            let ConflictAt { path, base, head } = &**at;
            let (of, files) = (head.commit.clone(), files.clone());
            run.conflict = Some(Conflict { base: base.clone(), head: of, files });
            if run.workspace.is_none() && run.recipe.resolves_conflict() {
                run.workspace =
                    Some(Workspace { path: path.clone(), base: base.clone(), bot_moves });
                run.head = Some(head.clone());
            }
        }
        Outcome::CommandsPassed { .. }
        | Outcome::CommandsFailed { .. }
        | Outcome::Turn { .. }
        | Outcome::TimedOut { .. }
        | Outcome::Stalled { .. }
        | Outcome::WorkspaceLost { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::Failed { .. } => {
            run.spent.workspace_tries += 1;
            run.last_failure = Some(words::failure(outcome));
        }
    }
}

fn take_setup(outcome: &Outcome, run: &mut Run) {
    if matches!(outcome, Outcome::CommandsPassed { .. }) {
        run.is_set_up = true;
    } else {
        run.spent.setup_tries += 1;
        run.last_failure = Some(words::failure(outcome));
    }
}

fn take_plan(outcome: &Outcome, run: &mut Run) {
    run.spent.plan_turns += 1;
    run.session = left_by(outcome).0;
    if let Outcome::Turn { answer: Answer::Plan { text, routing, gap }, .. } = outcome {
        run.plan = Some(Plan { text: *text });
        run.feedback = None;
        run.trouble = Cause::of_plan(routing, gap);
        return;
    }
    // What was said is no plan: whoever plans next is told why.
    if let Outcome::Turn { answer: Answer::NoVerdict { why, .. }, .. } = outcome {
        add_feedback(run, why.clone());
    }
    run.last_failure = Some(words::failure(outcome));
}

fn take_review(now: Time, gate: Gate, outcome: &Outcome, run: &mut Run) {
    if let Outcome::Turn { answer, .. } = outcome {
        match answer {
            Answer::Verdict { pass, reason, gap, said } => {
                let status = if *pass { GateStatus::Pass } else { GateStatus::Fail };
                let record = run.judged(gate, status, reason, now);
                let (first, gap) = said_first(run, gate, &record.subject, gap);
                let (said, added) = first.map_or((*said, None), |first| (Some(first), *said));
                run.gates.set(gate, GateRecord { said, added, ..record });
                if let (Gate::PlanReview, false, ProductGap::Gap(text)) = (gate, *pass, gap) {
                    run.trouble = Some(Cause::ProductGap(text));
                }
                return;
            }
            Answer::NoVerdict { why, said, gap } => {
                let record = run.judged(gate, GateStatus::Pending, why, now);
                let (first, gap) = said_first(run, gate, &record.subject, gap);
                let (session, said) = (left_by(outcome).0, first.or(*said));
                let repairs = record.repairs + 1;
                run.gates.set(gate, GateRecord { repairs, session, said, gap, ..record });
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
    run.spent.review_failures += 1;
    run.last_failure = Some(words::failure(outcome));
}

/// A repair is answered by a verdict at best: the review itself, and its question for a person, came first.
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

fn take_implementation(outcome: &Outcome, run: &mut Run) {
    run.spent.implement_turns += 1;
    run.session = left_by(outcome).0;
    if let Outcome::Turn { answer: Answer::Changed(head), .. } = outcome {
        run.head = Some(head.clone());
        run.feedback = None;
        run.conflict = None;
    } else {
        add_feedback(run, words::failure(outcome));
        run.last_failure = Some(words::failure(outcome));
    }
}

fn add_feedback(run: &mut Run, told: String) {
    run.feedback = Some(match run.feedback.take() {
        Some(earlier) if !earlier.contains(&told) => format!("{earlier}\n\n{told}"),
        Some(earlier) => earlier,
        None => told,
    });
}

/// Commands that could not be run say nothing about the change: that is tried again, and costs no turn.
fn take_commands(now: Time, gate: Gate, outcome: &Outcome, run: &mut Run) {
    let (status, reason, command, ran) = match outcome {
        Outcome::CommandsPassed { command, .. } if command.is_empty() => {
            (GateStatus::Pass, words::INTEGRITY_NOTHING_HELD.to_owned(), None, [].as_slice())
        }
        Outcome::CommandsPassed { command, ran } => {
            (GateStatus::Pass, String::new(), Some(command), ran.as_slice())
        }
        Outcome::CommandsFailed { command, excerpt, ran } => {
            (GateStatus::Fail, excerpt.clone(), Some(command), ran.as_slice())
        }
        Outcome::TimedOut { .. } => {
            (GateStatus::Fail, words::failure(outcome), None, [].as_slice())
        }
        Outcome::WorkspaceReady { .. }
        | Outcome::WorkspaceConflict { .. }
        | Outcome::Turn { .. }
        | Outcome::Stalled { .. }
        | Outcome::WorkspaceLost { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::Failed { .. } => {
            run.spent.preflight_tries += 1;
            run.last_failure = Some(words::failure(outcome));
            return;
        }
    };
    let record = run.judged(gate, status, &reason, now);
    run.gates.set(gate, GateRecord { command: command.cloned(), commands: ran.to_vec(), ..record });
}
