//! What facts about a repository change.

use crate::fact::{RepoObservation, RepoSettled, Settled, What};
use crate::pull::{Pull, PullState, Required};
use crate::repo::{Batch, LabelFault, MergedRollup, ROLLUPS_REMEMBERED_MAX, Repo, Rollup};
use crate::time::Time;

pub(super) fn fold(now: Time, what: &What, repo: &mut Repo) {
    match what {
        What::RepoSeen(observation) => see(now, observation, repo),
        What::Settled(Settled::Repo(settled)) => settle(settled, repo),
        What::Seen(_)
        | What::Finished { .. }
        | What::Interrupted { .. }
        | What::Settled(_)
        | What::Moved(_) => {}
    }
}

fn see(now: Time, observation: &RepoObservation, repo: &mut Repo) {
    match observation {
        RepoObservation::Branches(branches) => repo.branches = Some(branches.clone()),
        // An unreadable answer leaves the last readable one in force.
        RepoObservation::Required(Required::Unknown) => {}
        RepoObservation::Required(required) => repo.required = required.clone(),
        RepoObservation::Labels { wrong } => {
            repo.labels_wrong = Some(wrong.clone());
            // Rights may have changed since: labels and the bot branch are asked for again, seldom.
            repo.refused
                .retain(|what| ![":define:", ":branch:"].iter().any(|of| what.contains(of)));
        }
        RepoObservation::Rollup(pull) => see_rollup(now, pull, repo),
    }
}

fn see_rollup(now: Time, pull: &Pull, repo: &mut Repo) {
    let Some(rollup) = repo.batch.rollup.as_mut().filter(|open| open.number == pull.number) else {
        return;
    };
    rollup.head = pull.head.clone();
    match &pull.state {
        PullState::Open => {}
        PullState::Closed => {
            repo.batch.rollup = None;
            repo.batch.awaits_new_member = true;
        }
        PullState::Merged { commit } => {
            let (number, head, merged) = (pull.number, pull.head.clone(), commit.clone());
            let batch = repo.batch.number;
            repo.rolled_up.push(MergedRollup { number, head, merged, batch, at: now });
            let excess = repo.rolled_up.len().saturating_sub(ROLLUPS_REMEMBERED_MAX);
            repo.rolled_up.drain(..excess);
            repo.batch = Batch { number: batch + 1, last_joined: now, ..Batch::default() };
            // Whatever was looked for on the default branch was looked for before this merge.
            if let Some(branches) = &mut repo.branches {
                branches.default_head.clone_from(commit);
            }
        }
    }
}

fn settle(settled: &RepoSettled, repo: &mut Repo) {
    match settled {
        RepoSettled::LabelDefined { name } => {
            if let Some(wrong) = repo.labels_wrong.as_mut() {
                wrong.remove(name);
            }
        }
        RepoSettled::BranchMade { head } => {
            if let Some(branches) = repo.branches.as_mut() {
                branches.bot_head = Some(head.clone());
            }
        }
        RepoSettled::RollupOpened { number, head, body } => {
            let (number, head, body) = (*number, head.clone(), *body);
            repo.batch.rollup = Some(Rollup { number, head, body, edits_refused: 0 });
        }
        RepoSettled::RollupEdited { body } => {
            if let Some(rollup) = repo.batch.rollup.as_mut() {
                rollup.body = *body;
            }
        }
        RepoSettled::Refused { what, .. } => refused(what, repo),
    }
}

fn refused(what: &str, repo: &mut Repo) {
    // A label that exists after all, or exists no more, is a label whose fault was read wrongly.
    if let (Some((_, name)), Some(wrong)) = (what.split_once(":define:"), &mut repo.labels_wrong)
        && let Some(fault) = wrong.get_mut(name)
        && *fault == LabelFault::Missing
    {
        *fault = LabelFault::Drifted;
        return;
    }
    if let (true, Some(rollup)) = (what.contains(":rollup-edit:"), &mut repo.batch.rollup) {
        rollup.edits_refused += 1;
    }
    repo.refused.insert(what.to_owned());
}
