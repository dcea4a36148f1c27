//! Applies facts about trial builds to the merge queue.

use super::{Member, MergeQueue, Trial, TrialEnd, TrialPull, TrialStage, trial_branch};
use crate::fact::{BuiltTrial, Move, Observation, RunMove, TrialMove};
use crate::gate::{Gate, GateStatus};
use crate::ids::{Branch, IssueKey, PullNumber, Sha};
use crate::issue::Issue;
use crate::pull::{Mergeable, Pull};
use crate::repo::{DesiredEffect, Repo};
use crate::time::Time;

pub(crate) fn moved(now: Time, step: &TrialMove, repo: &mut Repo) {
    match step {
        TrialMove::Green => {
            if let Some(trial) = repo.merge_queue.trial.as_mut()
                && let Some(pull) = trial.pull().cloned()
            {
                trial.stage = TrialStage::Green { pull, at: now };
            }
        }
        TrialMove::Ended(why) => repo.merge_queue.end(now, why),
    }
}

/// Records a trial build. Heads that could not be merged with the others are tested alone; one entry makes no trial
/// build.
pub(crate) fn built(built: &BuiltTrial, repo: &mut Repo) {
    let BuiltTrial { number, base, commit, entries, apart } = built.clone();
    let queue = &mut repo.merge_queue;
    if number <= queue.number {
        return;
    }
    queue.number = number;
    queue.apart.extend(apart.into_iter().map(|entry| entry.head));
    let (entries, trees): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
    if entries.len() > 1 {
        let (stage, merged) = (TrialStage::Built, Vec::new());
        queue.trial = Some(Trial { number, base, entries, trees, commit, stage, merged });
    }
}

pub(crate) fn pushed(number: u32, repo: &mut Repo) {
    match current(number, &mut repo.merge_queue) {
        Some(trial) => {
            if trial.stage == TrialStage::Built {
                trial.stage = TrialStage::Pushed;
            }
        }
        // It arrived after all, but it is no longer needed.
        None => drop(repo.merge_queue.left.entry(number).or_insert(None)),
    }
}

pub(crate) fn opened(now: Time, number: u32, pull: PullNumber, repo: &mut Repo) {
    repo.refusals.forget(&DesiredEffect::Trials);
    match current(number, &mut repo.merge_queue) {
        Some(trial) => {
            trial.stage = TrialStage::Open(TrialPull { number: pull, opened: now, seen: None });
        }
        None => drop(repo.merge_queue.left.insert(number, Some(pull))),
    }
}

fn current(number: u32, queue: &mut MergeQueue) -> Option<&mut Trial> {
    queue.trial.as_mut().filter(|trial| trial.number == number)
}

pub(crate) fn see(pull: &Pull, repo: &mut Repo) {
    let bot = repo.bot;
    let open = repo.merge_queue.trial.as_mut().and_then(Trial::pull_mut);
    let Some(open) = open.filter(|open| open.number == pull.number) else { return };
    let known = open.seen.as_ref();
    let is_stale = known.is_some_and(|known| known.read_at > pull.read_at);
    // An unchanged read is no news, unless the bot branch has moved since the last one.
    let is_same = known.is_some_and(|known| {
        let is_same = Pull { read_at: known.read_at, ..pull.clone() } == *known;
        is_same && bot.holds_since(known.read_at)
    });
    if !is_stale && !is_same {
        open.seen = Some(pull.clone());
    }
}

pub(crate) fn see_tree(commit: &Sha, tree: &str, repo: &mut Repo) {
    let merged = repo.merge_queue.trial.iter_mut().flat_map(|trial| &mut trial.merged);
    for merged in merged.filter(|merged| merged.commit == *commit) {
        merged.tree = Some(tree.to_owned());
    }
}

pub(crate) fn closed(pull: PullNumber, repo: &mut Repo) {
    repo.refusals.forget(&DesiredEffect::TrialClosed(pull));
    let left = repo.merge_queue.left.values_mut();
    left.filter(|known| **known == Some(pull)).for_each(|known| *known = None);
}

pub(crate) fn branch_gone(branch: &Branch, repo: &mut Repo) {
    repo.merge_queue.left.retain(|number, _| trial_branch(*number) != *branch);
}

pub(crate) fn refused(now: Time, desired: &DesiredEffect, reason: &str, repo: &mut Repo) {
    match desired {
        DesiredEffect::Trials => repo.merge_queue.end(now, &TrialEnd::Refused(reason.to_owned())),
        // The forge closes it when its branch is deleted.
        DesiredEffect::TrialClosed(pull) => closed(*pull, repo),
        DesiredEffect::Trial(_)
        | DesiredEffect::BranchGone(_)
        | DesiredEffect::Sync(_)
        | DesiredEffect::SyncMerge(_)
        | DesiredEffect::Label(_)
        | DesiredEffect::Branch(_)
        | DesiredEffect::Protection(_)
        | DesiredEffect::Rollup(_)
        | DesiredEffect::RollupText(_)
        | DesiredEffect::SyncTold(_)
        | DesiredEffect::FollowUp(_)
        | DesiredEffect::FollowUpText(_)
        | DesiredEffect::Mark => {}
    }
}

/// Ends a trial build that the forge refused, and holds back the next, which would be refused too. One that is over
/// already is ignored.
pub(crate) fn refused_one(now: Time, number: u32, reason: &str, repo: &mut Repo) {
    if current(number, &mut repo.merge_queue).is_some() {
        repo.merge_queue.end(now, &TrialEnd::Refused(reason.to_owned()));
        repo.refusals.note(now, &DesiredEffect::Trials, reason);
    }
}

/// Learns whether the bot branch requires up-to-date heads from how the forge treats a pull request under which it has
/// moved. Asking for it would take admin rights.
pub(crate) fn saw_pull(now: Time, seen: &Observation, issue: &Issue, repo: &mut Repo) {
    let Observation::Pull(pull) = seen else { return };
    let run = issue.managed.as_ref().and_then(|managed| managed.run.as_ref());
    let Some(run) = run.filter(|run| run.pull == Some(pull.number)) else { return };
    match pull.mergeable {
        Mergeable::Behind => repo.merge_queue.is_strict = true,
        Mergeable::Clean | Mergeable::Unstable => {
            let is_settled = repo.bot.ours_until.is_none_or(|until| until < now);
            if is_settled && repo.has_moved_under(run) {
                repo.merge_queue.is_strict = false;
            }
        }
        Mergeable::Unknown | Mergeable::Dirty | Mergeable::Blocked | Mergeable::Draft => {}
    }
}

/// Counts a change that turns red while it holds the merge slot, and so is tested alone, as one bad change.
pub(crate) fn heard_of_checks(key: &IssueKey, step: &Move, issue: &Issue, repo: &mut Repo) {
    let Move::Run(RunMove::Judged { gate: Gate::Ci, record }) = step else { return };
    let run = issue.managed.as_ref().and_then(|managed| managed.run.as_ref());
    let known = run.and_then(|run| run.gates.on(Gate::Ci, &record.subject));
    let was_red = known.is_some_and(|known| known.status == GateStatus::Fail);
    let has_turn = run.is_some_and(|run| run.slot_until.is_some());
    if has_turn && !was_red && record.status == GateStatus::Fail {
        Member::of(key, issue)
            .into_iter()
            .for_each(|member| repo.merge_queue.failed_alone(&member));
    }
}
