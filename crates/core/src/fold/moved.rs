//! Applies the moves of `decide`.

use super::commanded::{commanded, proved};
use super::{booking, next_run};
use crate::bound::Bound;
use crate::command::Command;
use crate::escalation::Cause;
use crate::fact::{Move, RunMove};
use crate::gate::{Gate, GateStatus};
use crate::ids::{IssueKey, PullNumber};
use crate::issue::{Blocked, Found, Issue, Managed, Phase, Reach, StopReason};
use crate::label::Status;
use crate::lane::Lane;
use crate::messages::{Given, Way};
use crate::pull::Mergeable;
use crate::repo::{DesiredEffect, Repo};
use crate::role::Role;
use crate::run::{BranchUpdate, EndReason, Replanned, Run, Surveyed, Work, WorkState};
use crate::steps::Step;
use crate::time::Time;
use crate::words;

pub(super) fn fold(now: Time, key: &IssueKey, step: &Move, issue: &mut Issue, repo: &mut Repo) {
    if taken_up_or_dropped(now, step, issue, repo) {
        return;
    }
    let title = issue.seen.as_ref().map(|seen| seen.title.clone()).unwrap_or_default();
    let Issue { managed: Some(managed), satisfied, seen, native, .. } = issue else { return };
    note_asked(now, step, managed, repo);
    match step {
        Move::Adopted { .. }
        | Move::AutoQueued
        | Move::PapercutQueued
        | Move::SyncConflicted { .. }
        | Move::Trial(_)
        | Move::Mark(_)
        | Move::Forgotten => {}
        Move::SyncResolved { head } => {
            super::repo::sync_resolved(now, PullNumber(key.number), head.as_ref(), repo);
            enter(now, managed, Phase::Out);
        }
        Move::Commanded { id, refused } => {
            let label = commanded(now, *id, refused.as_deref(), managed, satisfied);
            if let Some(seen) = seen {
                proved(managed, seen, label);
                super::observed::note_labels(now, managed, seen);
            }
        }
        Move::Rehomed { places } => managed.rehome(places),
        Move::TakenOut => enter(now, managed, Phase::Out),
        Move::Stopped { why } => enter(now, managed, Phase::Stopped { why: *why }),
        Move::Blocked { on } => blocked(now, on.as_ref(), managed),
        Move::Claimed { share } => {
            repo.share = *share;
            let is_own = seen.as_ref().is_some_and(|seen| seen.follow_up.is_some());
            next_run::claim(now, (key, &title), (native, is_own), managed, repo);
            enter(now, managed, Phase::Running { step: Step::Workspace });
        }
        Move::Resumed => resumed(now, managed),
        Move::AnswersUnread => managed.notes.unheard = None,
        Move::Parked { at } => {
            managed.run.iter_mut().for_each(Run::doubt_verdict);
            enter(now, managed, Phase::Parked { at: *at });
        }
        Move::Reached { step } => enter(now, managed, Phase::Running { step: *step }),
        Move::Started { .. } => started(now, step, managed, repo),
        Move::Ending { reason } => end(managed, *reason),
        Move::LaneEntered(entry) => super::lane::entered(now, key, managed, entry),
        Move::Run(step) => fold_run(now, step, managed),
        Move::Escalated { cause } => escalated(now, cause, managed),
        Move::MergedToBot { pull, commit, batch } => {
            let (pull, merged, batch) = (*pull, commit.clone(), *batch);
            let manual_checks = seen.iter().flat_map(|seen| seen.manual_checks.clone()).collect();
            managed.reach = not_there_yet(managed, repo);
            joined(now, repo);
            booking::merged(managed, repo);
            enter(now, managed, Phase::InBot { pull, merged, batch, manual_checks });
        }
        Move::Rebatched { batch: to } => {
            if let Phase::InBot { batch, .. } = &mut managed.phase {
                *batch = *to;
                joined(now, repo);
            }
        }
        Move::Done { evidence } => {
            let is_closed = seen.as_ref().is_some_and(|seen| !seen.open);
            enter(now, managed, Phase::Done { evidence: evidence.clone(), is_closed });
        }
    }
}

fn started(now: Time, begun: &Move, managed: &mut Managed, repo: &mut Repo) {
    let Move::Started { attempt, step, slot, deadline, account, reserved, is_probe, .. } = begun
    else {
        return;
    };
    if let Move::Started { worktree, share, .. } = begun {
        repo.share = share.unwrap_or(repo.share);
        managed.worktrees.extend(worktree.clone());
    }
    let work = Work::starting(*attempt, *step, now, *deadline);
    let (account, reserved) = (account.clone(), *reserved);
    start(managed, Work { account, reserved, is_probe: *is_probe, ..work }, *slot);
}

fn end(managed: &mut Managed, reason: EndReason) {
    managed.work.iter_mut().for_each(|work| work.state = WorkState::Ending(reason));
}

/// Applies moves that do not need Ralph to manage the issue already, or that end its management. True if this was one.
fn taken_up_or_dropped(now: Time, step: &Move, issue: &mut Issue, repo: &mut Repo) -> bool {
    if let Move::SyncConflicted { branch } = step {
        next_run::sync_conflicted(now, branch, issue);
    } else if let Some(status) = taken_on(step, issue) {
        adopt(now, status, issue, repo);
    } else if matches!(step, Move::Forgotten) {
        issue.managed = None;
    } else {
        return false;
    }
    true
}

/// Lets a turn be tried when a person asks for work, whatever has failed before.
fn note_asked(now: Time, step: &Move, managed: &Managed, repo: &mut Repo) {
    if let Move::Commanded { id, refused: None } = step {
        let given = managed.commands.pending.get(id).map(|pending| pending.command);
        if given == Some(Command::Queue) {
            repo.turns.ask(now);
        }
    }
}

fn escalated(now: Time, cause: &Cause, managed: &mut Managed) {
    if let (Cause::MissingVerdict(gate), Some(run)) = (cause, managed.run.as_mut()) {
        run.gates.miss_verdict(*gate);
    }
    managed.episodes = managed.episodes.saturating_add(1);
    managed.notes.unheard = None;
    let (cause, episode) = (cause.clone(), managed.episodes);
    enter(now, managed, Phase::Escalated { cause, episode });
}

/// The status in which Ralph takes on an issue that it did not manage.
fn taken_on(step: &Move, issue: &Issue) -> Option<Status> {
    if let Move::Adopted { status } = step {
        return Some(*status);
    }
    let is_queued = matches!(step, Move::AutoQueued | Move::PapercutQueued);
    (is_queued && issue.managed.is_none()).then_some(Status::Queued)
}

fn start(managed: &mut Managed, work: Work, slot: u32) {
    managed.attempt = work.attempt;
    give_messages(managed, &work);
    managed.work = Some(work);
    if let Some(run) = managed.run.as_mut().filter(|run| run.workspace.is_none()) {
        run.slot = slot;
    }
}

/// Puts the messages that wait into the prompt of a turn that does the work.
fn give_messages(managed: &mut Managed, work: &Work) {
    let Some(run) = &managed.run else { return };
    if work.step.role(run.recipe).is_some_and(Role::takes_messages) {
        let (attempt, step, at) = (work.attempt, work.step, work.started);
        let to = Given { attempt, step, run: run.id, way: Way::Prompt, at };
        managed.messages.give_all(&to);
    }
}

fn resumed(now: Time, managed: &mut Managed) {
    if let Phase::Parked { at } = managed.phase {
        enter(now, managed, Phase::Running { step: at });
    }
}

/// The reach of a new merge into the bot branch: it is not on the default branch as that was known before.
fn not_there_yet(managed: &Managed, repo: &Repo) -> Option<Reach> {
    let (pull, branches) = (managed.pull.as_ref()?, repo.branches.as_ref()?);
    let default_head = branches.default_head.clone();
    (pull.base != branches.default).then_some(Reach { default_head, evidence: None })
}

/// Records that a change joined the current rollup: the idle time starts again, and a refused rollup may be tried
/// again.
fn joined(now: Time, repo: &mut Repo) {
    repo.batch.last_joined = now;
    repo.batch.awaits_new_member = false;
    repo.refusals.forget(&DesiredEffect::Rollup(repo.batch.number));
}

fn blocked(now: Time, on: Option<&Blocked>, managed: &mut Managed) {
    let since = managed.blockers_unknown_since().unwrap_or(now);
    managed.blocked = on.cloned();
    managed.unknown_since = managed.is_blocker_unknown().then_some(since);
}

pub(super) fn enter(now: Time, managed: &mut Managed, phase: Phase) {
    let before = managed.status();
    managed.phase = phase;
    managed.since = now;
    match managed.phase {
        Phase::Queued | Phase::Parked { .. } => {}
        Phase::Running { .. } => managed.blocked = None,
        Phase::Out
        | Phase::Escalated { .. }
        | Phase::Stopped { .. }
        | Phase::InBot { .. }
        | Phase::Done { .. } => {
            managed.blocked = None;
            managed.is_paused = false;
            managed.begins_afresh = false;
        }
    }
    if managed.status() != before {
        managed.labels.is_confirmed = false;
    }
}

fn adopt(now: Time, status: Status, issue: &mut Issue, repo: &mut Repo) {
    let found = issue.found.take();
    let manual_checks = issue.seen.as_ref().map(|seen| seen.manual_checks.clone());
    let phase = match status {
        Status::Queued | Status::InProgress | Status::Paused => Phase::Queued,
        Status::Escalated => Phase::Escalated { cause: Cause::Inherited, episode: 1 },
        Status::InBot | Status::Done => {
            adopt_merged(now, found, manual_checks.unwrap_or_default(), repo)
        }
        Status::Stopped => Phase::Stopped { why: StopReason::Adopted },
    };
    let managed = issue.managed.get_or_insert_with(|| Box::new(Managed::new(Phase::Out, now)));
    managed.episodes = u32::from(matches!(phase, Phase::Escalated { .. }));
    managed.queued_at = now;
    enter(now, managed, phase);
    managed.is_paused = status == Status::Paused;
    managed.was_adopted = status == Status::InProgress;
    if let Some(seen) = &issue.seen {
        super::observed::note_labels(now, managed, seen);
    }
}

/// The phase of an adopted change. A change in the bot branch joins the current rollup, whatever rollup it was in
/// before.
fn adopt_merged(
    now: Time,
    found: Option<Found>,
    manual_checks: Vec<String>,
    repo: &mut Repo,
) -> Phase {
    match found {
        Some(Found::Done(evidence)) => Phase::Done { evidence, is_closed: false },
        Some(Found::InBot { pull, merged }) => {
            joined(now, repo);
            Phase::InBot { pull, merged, batch: repo.batch.number, manual_checks }
        }
        Some(Found::Nothing) | None => Phase::Escalated { cause: Cause::NoEvidence, episode: 1 },
    }
}

fn fold_run(now: Time, step: &RunMove, managed: &mut Managed) {
    let Some(run) = managed.run.as_mut() else { return };
    match step {
        RunMove::Judged { gate, record } => {
            run.gates.set(*gate, (**record).clone());
            if *gate == Gate::Ci && record.status == GateStatus::Pass {
                managed.lanes.note_green(Lane::CiDebug);
            }
        }
        RunMove::Replan { reason, by } => {
            let head = run.head.as_ref().map(|head| head.commit.clone());
            run.replanned = Some(Replanned { by: *by, head });
            run.plan = None;
            run.feedback = Some(reason.clone());
        }
        RunMove::ParentSeeded { said } => run.seed(said),
        RunMove::ProofMissing => run.read_proof(&[]),
        RunMove::LookPassedOver => run.met_at = Some(now),
        RunMove::SurveyPassedOver => run.survey = Some(Surveyed::not(words::NO_WORKER_FREE)),
        RunMove::Reimplement { reason } => run.feedback = Some(reason.clone()),
        RunMove::ChecksLate { head, checks } => run.learn_of_late_checks(head, checks),
        RunMove::BringUpToDate { from, until } => {
            run.spent.add(Bound::BRANCH_UPDATES);
            run.slot_until = Some(*until);
            run.update = Some(BranchUpdate { from: from.clone(), is_accepted: false, at: now });
        }
        RunMove::ReplacePull { number } => {
            (run.pull, run.replaces, run.is_pull_inherited) = (None, Some(*number), false);
            // Its branch may be gone with it.
            (run.pushed, run.pushed_at, run.update) = (None, None, None);
            managed.pull = None;
        }
        RunMove::TakeBranch => {
            run.update = None;
            run.is_outdated = true;
        }
        RunMove::MeetBase => {
            run.look_at_base();
            // The forge has to say again afterwards whether there is a conflict.
            if let Some(pull) = managed.pull.as_mut() {
                pull.mergeable = Mergeable::Unknown;
            }
        }
        RunMove::Steered => {
            run.steered = Some(now);
            run.spent.add(Bound::MESSAGES);
        }
        RunMove::Excused => run.spent.clear(Bound::AGENT_FAILURES),
        RunMove::TestAgain { until } => {
            run.is_outdated = true;
            run.slot_until = Some(*until);
            run.spent.add(Bound::REFRESHES);
        }
    }
}
