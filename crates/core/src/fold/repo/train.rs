//! What facts about trials change.

use super::bot_head::member;
use crate::fact::{BuiltTrial, Move, Observation, RunMove, TrialMove};
use crate::gate::{Gate, GateStatus};
use crate::ids::{Branch, IssueKey, PullNumber, Sha};
use crate::issue::Issue;
use crate::pull::{Mergeable, Pull};
use crate::repo::{Repo, RepoWish, Train, Trial, TrialEnd, TrialPull, trial_branch};
use crate::time::Time;

pub(super) fn moved(now: Time, step: &TrialMove, repo: &mut Repo) {
    match step {
        TrialMove::Green => {
            if let Some(trial) = repo.train.trial.as_mut() {
                trial.green_at = Some(now);
            }
        }
        TrialMove::Ended(why) => repo.train.end(now, why),
    }
}

/// Heads that could not be merged with the others go alone. One alone is no trial.
pub(super) fn built(built: &BuiltTrial, repo: &mut Repo) {
    let BuiltTrial { number, base, commit, cars, apart } = built.clone();
    let train = &mut repo.train;
    if number <= train.number {
        return;
    }
    train.number = number;
    train.apart.extend(apart.into_iter().map(|car| car.head));
    let (cars, trees): (Vec<_>, Vec<_>) = cars.into_iter().unzip();
    if cars.len() > 1 {
        let (open, green_at, merged) = (None, None, Vec::new());
        let is_pushed = false;
        train.trial =
            Some(Trial { number, base, cars, trees, commit, is_pushed, open, green_at, merged });
    }
}

pub(super) fn pushed(number: u32, repo: &mut Repo) {
    match current(number, &mut repo.train) {
        Some(trial) => trial.is_pushed = true,
        // It arrived after all, and nobody wants it any more.
        None => drop(repo.train.left.entry(number).or_insert(None)),
    }
}

pub(super) fn opened(now: Time, number: u32, pull: PullNumber, repo: &mut Repo) {
    repo.refusals.forget(&RepoWish::Trials);
    match current(number, &mut repo.train) {
        Some(trial) => {
            trial.is_pushed = true;
            trial.open = Some(TrialPull { number: pull, opened: now, seen: None });
        }
        None => drop(repo.train.left.insert(number, Some(pull))),
    }
}

fn current(number: u32, train: &mut Train) -> Option<&mut Trial> {
    train.trial.as_mut().filter(|trial| trial.number == number)
}

pub(super) fn see(pull: &Pull, repo: &mut Repo) {
    let bot = repo.bot;
    let open = repo.train.trial.as_mut().and_then(|trial| trial.open.as_mut());
    let Some(open) = open.filter(|open| open.number == pull.number) else { return };
    let known = open.seen.as_ref();
    let is_stale = known.is_some_and(|known| known.read_at > pull.read_at);
    // The same again at a later time is no news, unless what it was read for has changed.
    let is_same = known.is_some_and(|known| {
        let is_same = Pull { read_at: known.read_at, ..pull.clone() } == *known;
        is_same && bot.holds_since(known.read_at)
    });
    if !is_stale && !is_same {
        open.seen = Some(pull.clone());
    }
}

pub(super) fn see_tree(commit: &Sha, tree: &str, repo: &mut Repo) {
    let merged = repo.train.trial.iter_mut().flat_map(|trial| &mut trial.merged);
    for merged in merged.filter(|merged| merged.commit == *commit) {
        merged.tree = Some(tree.to_owned());
    }
}

pub(super) fn closed(pull: PullNumber, repo: &mut Repo) {
    repo.refusals.forget(&RepoWish::TrialClosed(pull));
    let left = repo.train.left.values_mut();
    left.filter(|known| **known == Some(pull)).for_each(|known| *known = None);
}

pub(super) fn branch_gone(branch: &Branch, repo: &mut Repo) {
    repo.train.left.retain(|number, _| trial_branch(*number) != *branch);
}

pub(super) fn refused(now: Time, wish: &RepoWish, reason: &str, repo: &mut Repo) {
    match wish {
        RepoWish::Trials => repo.train.end(now, &TrialEnd::Refused(reason.to_owned())),
        // It goes with its branch.
        RepoWish::TrialClosed(pull) => closed(*pull, repo),
        RepoWish::Trial(_)
        | RepoWish::BranchGone(_)
        | RepoWish::Sync(_)
        | RepoWish::SyncMerge(_)
        | RepoWish::Label(_)
        | RepoWish::Branch(_)
        | RepoWish::Protection(_)
        | RepoWish::Rollup(_)
        | RepoWish::RollupText(_)
        | RepoWish::SyncTold(_)
        | RepoWish::FollowUp(_)
        | RepoWish::FollowUpText(_)
        | RepoWish::Mark => {}
    }
}

/// What is refused of one trial would be refused of the next. But if it is over, nobody wants it any more.
pub(super) fn refused_one(now: Time, number: u32, reason: &str, repo: &mut Repo) {
    if current(number, &mut repo.train).is_some() {
        repo.train.end(now, &TrialEnd::Refused(reason.to_owned()));
        repo.refusals.note(now, &RepoWish::Trials, reason);
    }
}

/// Whether the bot branch wants up-to-date heads cannot be asked for without admin rights; how it treats a pull
/// request that it has moved on under tells.
pub(in crate::fold) fn saw_pull(now: Time, seen: &Observation, issue: &Issue, repo: &mut Repo) {
    let Observation::Pull(pull) = seen else { return };
    let run = issue.managed.as_ref().and_then(|managed| managed.run.as_ref());
    let Some(run) = run.filter(|run| run.pull == Some(pull.number)) else { return };
    match pull.mergeable {
        Mergeable::Behind => repo.train.is_strict = true,
        Mergeable::Clean | Mergeable::Unstable => {
            let is_settled = repo.bot.ours_until.is_none_or(|until| until < now);
            if is_settled && repo.has_moved_under(run) {
                repo.train.is_strict = false;
            }
        }
        Mergeable::Unknown | Mergeable::Dirty | Mergeable::Blocked | Mergeable::Draft => {}
    }
}

/// Whoever is tested alone in its turn, and is red, counts as one bad change of those tried.
pub(in crate::fold) fn heard_of_checks(
    key: &IssueKey,
    step: &Move,
    issue: &Issue,
    repo: &mut Repo,
) {
    let Move::Run(RunMove::Judged { gate: Gate::Ci, record }) = step else { return };
    let run = issue.managed.as_ref().and_then(|managed| managed.run.as_ref());
    let known = run.and_then(|run| run.gates.on(Gate::Ci, &record.subject));
    let was_red = known.is_some_and(|known| known.status == GateStatus::Fail);
    let has_turn = run.is_some_and(|run| run.turn_until.is_some());
    if has_turn && !was_red && record.status == GateStatus::Fail {
        member(key, issue).into_iter().for_each(|member| repo.train.failed_alone(&member));
    }
}
