//! Applies settled effects: from here on the world shows them as done, so they are not desired again.

use super::{READ_LAG, finished, observed};
use crate::bound::Bound;
use crate::digest::Digest;
use crate::fact::{RunSettled, Settled};
use crate::ids::{Attempt, CommentId, PullNumber, Sha};
use crate::issue::{Echo, Issue, LabelBook, Managed, Phase, Posted, Slot};
use crate::lane::Lane;
use crate::managed_path::ManagedPath;
use crate::messages::{Given, MessageId, Way};
use crate::pull::{Mergeable, PullState};
use crate::repo::Refusal;
use crate::run::WorkState;
use crate::time::{Span, Time};
use std::sync::Arc;

/// The pause after a refused label write, doubled for each refusal in a row.
const LABEL_RETRY_FIRST: Span = Span::from_secs(60);
/// The longest pause between refused label writes.
const LABEL_RETRY_MAX: Span = Span::from_mins(30);

pub(super) fn fold(now: Time, settled: &Settled, issue: &mut Issue) {
    let Some(managed) = issue.managed.as_mut() else { return };
    match settled {
        Settled::LabelSent { label, is_added } => managed.labels.sends(now, label, *is_added),
        Settled::LabelUnsent { label } => managed.labels.takes_back(label),
        Settled::LabelAdded(label) => {
            if let Some(seen) = issue.seen.as_mut() {
                seen.labels.insert(label.clone());
                wrote_label(now, &mut managed.labels, label, true);
                observed::note_labels(now, managed, seen);
            }
        }
        Settled::LabelRemoved(label) => {
            if let Some(seen) = issue.seen.as_mut() {
                seen.labels.retain(|present| !present.eq_ignore_ascii_case(label));
                wrote_label(now, &mut managed.labels, label, false);
                managed.labels.is_confirmed = false;
                managed.commands.cleared(label, &managed.phase, now.plus(READ_LAG));
                observed::note_labels(now, managed, seen);
            }
        }
        Settled::LabelRefused { label, .. } => {
            let book = &mut managed.labels;
            book.takes_back(label);
            let pause = LABEL_RETRY_FIRST.doubled(book.refusals, LABEL_RETRY_MAX);
            book.refusals = book.refusals.saturating_add(1);
            book.retry_at = Some(now.plus(pause));
            book.refused = Some(label.clone());
        }
        Settled::CommentPosted { slot, id, body } => posted(now, managed, slot, *id, *body),
        Settled::CommentGone { slot } => {
            if let Some(posted) = managed.comments.get_mut(slot) {
                posted.id = None;
                posted.deleted += 1;
            }
        }
        Settled::CommentRefused { slot, body, reason } => {
            let new = Posted::unwritten(*body, now);
            let posted = managed.comments.entry(slot.clone()).or_insert(new);
            posted.refusal = Some(Refusal::after(posted.refusal.as_ref(), now, reason));
        }
        Settled::IssueClosed => {
            if let Some(seen) = issue.seen.as_mut() {
                seen.open = false;
            }
            note_closed(managed);
        }
        Settled::CloseRefused { .. } => note_closed(managed),
        Settled::Started { attempt } => {
            if let Some(work) = managed.work.as_mut().filter(|work| work.attempt == *attempt)
                && work.state == WorkState::Starting
            {
                work.state = WorkState::Underway;
                work.has_begun = true;
            }
        }
        Settled::Ended { attempt } => finished::ended(now, *attempt, managed),
        Settled::MessageGiven { attempt, message } => give(now, managed, *attempt, *message),
        Settled::MessageRefused { attempt, .. } => {
            if let Some(work) = managed.work.as_mut().filter(|work| work.attempt == *attempt) {
                work.takes_no_messages = true;
            }
        }
        Settled::Run(settled) => fold_run(now, settled, managed),
        Settled::Repo(_) | Settled::NeverHappened { .. } => {}
    }
}

/// Records that the turn under way has a message. Of a turn that is over, its end has said what it took in.
fn give(now: Time, managed: &mut Managed, attempt: Attempt, message: MessageId) {
    let work = managed.work.as_ref().filter(|work| work.attempt == attempt);
    if let Some((work, run)) = work.zip(managed.run.as_ref()) {
        let (step, run, way) = (work.step, run.id, Way::SameTurn);
        managed.messages.give(message, Given { attempt, step, run, way, at: now });
    }
}

fn wrote_label(now: Time, book: &mut LabelBook, label: &Arc<str>, is_present: bool) {
    // A write of another label that was under way says nothing about the refused one.
    let is_other = book.refused.as_ref().is_some_and(|refused| refused != label);
    if !is_other || book.retry_at.is_none_or(|at| at <= now) {
        (book.refusals, book.retry_at, book.refused) = (0, None, None);
    }
    book.echoes.retain(|echo| echo.until > now && !echo.label.eq_ignore_ascii_case(label));
    book.echoes.push(Echo { label: label.clone(), is_present, until: now.plus(READ_LAG) });
}

fn posted(now: Time, managed: &mut Managed, slot: &Slot, id: CommentId, body: Digest) {
    let new = Posted::unwritten(body, now);
    let posted = managed.comments.entry(slot.clone()).or_insert(new);
    posted.refusal = None;
    posted.id = Some(id);
    posted.body = body;
}

const fn note_closed(managed: &mut Managed) {
    if let Phase::Done { is_closed, .. } = &mut managed.phase {
        *is_closed = true;
    }
}

fn fold_run(now: Time, settled: &RunSettled, managed: &mut Managed) {
    let pull = managed.pull.as_mut();
    let Some(run) = managed.run.as_mut() else { return };
    match settled {
        RunSettled::Pushed { commit } => {
            run.pushed = Some(commit.clone());
            run.pushed_at = Some(now);
            // Everything before a push has passed, the merge that resolves the conflict included.
            if run.recipe.resolves_conflict() {
                managed.lanes.note_green(Lane::MergeConflict);
            }
        }
        RunSettled::PushRefused { reason } => {
            run.spent.add(Bound::PUSH_REFUSALS);
            run.last_failure = Some(reason.clone());
            // The branch may have moved at the forge, or the commit may be gone from this machine: one look shows
            // either.
            run.is_outdated |= run.spent.of(Bound::PUSH_REFUSALS) == 1;
        }
        // A pull request for a branch that the run has left since is not this run's.
        RunSettled::PullOpened { number, head } => {
            if head.as_ref().is_none_or(|head| *head == run.branch) {
                (run.pull, run.is_pull_inherited) = (Some(*number), false);
            }
        }
        RunSettled::PullRefused { reason } => {
            run.spent.add(Bound::PULL_REFUSALS);
            run.last_failure = Some(reason.clone());
        }
        RunSettled::Merged { number, commit } => {
            run.merged = Some(commit.clone()).filter(|_| run.pull == Some(*number));
            merged(managed, *number, commit);
        }
        RunSettled::MergeRefused { reason } => {
            run.spent.add(Bound::MERGE_REFUSALS);
            run.last_failure = Some(reason.clone());
            if let Some(pull) = pull {
                pull.mergeable = Mergeable::Unknown;
            }
        }
        // Recorded for the bot branch, not for this run.
        RunSettled::BaseMoved { .. } => {}
        RunSettled::CheckRerun(what) => run.note_rerun(now, what, false),
        RunSettled::RerunRefused { what, reason } => {
            run.note_rerun(now, what, true);
            run.last_failure = Some(reason.clone());
        }
        RunSettled::BranchUpdated => {
            if let Some(update) = run.update.as_mut() {
                (update.is_accepted, update.at) = (true, now);
            }
        }
        RunSettled::UpdateRefused { reason } => {
            run.update = None;
            run.spent.add(Bound::UPDATE_REFUSALS);
            run.last_failure = Some(reason.clone());
            if let Some(pull) = pull {
                pull.mergeable = Mergeable::Unknown;
            }
        }
        RunSettled::WorkspaceRemoved | RunSettled::WorkspaceKept { path: None, .. } => {
            let own = run.workspace.as_ref().map(|workspace| workspace.path.clone());
            own.into_iter().for_each(|path| forget_worktree(managed, &path));
        }
        RunSettled::WorktreeGivenUp { path, .. }
        | RunSettled::WorkspaceKept { path: Some(path), .. } => forget_worktree(managed, path),
    }
}

fn forget_worktree(managed: &mut Managed, path: &ManagedPath) {
    managed.worktrees.remove(path);
    if let Some(run) = managed.run.as_mut() {
        run.workspace.take_if(|workspace| workspace.path == *path);
    }
}

fn merged(managed: &mut Managed, number: PullNumber, commit: &Sha) {
    if let Some(pull) = managed.pull.as_mut().filter(|pull| pull.number == number) {
        pull.state = PullState::Merged { commit: commit.clone() };
    }
}
