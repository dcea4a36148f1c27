//! Effects on a trial of several changes together: it is built here, then shown to the forge.

use super::{Performed, is_exists, known, repo};
use crate::engine::Claimed;
use crate::ports::{FoundPull, NewPull, Ports, Read};
use ralph_core::fact::{BuiltTrial, RepoSettled, What};
use ralph_core::hidden_marker;
use ralph_core::ids::{Branch, Login, RepoName, Sha};
use ralph_core::repo::{Car, trial_branch};
use ralph_core::words;

/// Changes nothing outside, so it is harmless to do twice.
pub(super) fn build(
    claimed: &Claimed,
    name: &RepoName,
    (number, base, cars): (u32, &Sha, &[Car]),
    ports: &mut Ports<'_>,
) -> Performed {
    let heads: Vec<&Sha> = cars.iter().map(|car| &car.head).collect();
    let answer = ports.workspaces.build_trial(name, base, &heads);
    known(claimed, answer, |built| {
        let (mut aboard, mut apart) = (Vec::new(), Vec::new());
        for (car, tree) in cars.iter().cloned().zip(built.trees) {
            match tree {
                Some(tree) => aboard.push((car, tree)),
                None => apart.push(car),
            }
        }
        let (base, commit, cars) = (base.clone(), built.commit, aboard);
        repo(RepoSettled::TrialBuilt(BuiltTrial { number, base, commit, cars, apart }))
    })
}

pub(super) fn push(
    claimed: &Claimed,
    name: &RepoName,
    (number, commit): (u32, &Sha),
    ports: &mut Ports<'_>,
) -> Performed {
    let answer = ports.workspaces.push_built(name, &trial_branch(number), commit);
    known(claimed, answer, |()| repo(RepoSettled::TrialPushed { number }))
}

pub(super) fn open(
    claimed: &Claimed,
    name: &RepoName,
    (number, new): (u32, &NewPull<'_>),
    ports: &mut Ports<'_>,
) -> Performed {
    let answer = ports.forge.open_draft(name, new);
    if is_exists(&answer) && !claimed.looks_first {
        return Performed::Unknown { why: "the forge says that it exists".to_owned() };
    }
    let opened =
        |pull: ralph_core::pull::Pull| repo(RepoSettled::TrialOpened { number, pull: pull.number });
    known(claimed, answer, opened)
}

/// Is the commit there?
pub(super) fn look_for_push(
    name: &RepoName,
    (number, commit): (u32, &Sha),
    ports: &mut Ports<'_>,
) -> Read<Option<What>> {
    let there = ports.workspaces.remote_head(name, &trial_branch(number))?;
    let is_there = there.as_ref() == Some(commit);
    Ok(is_there.then(|| repo(RepoSettled::TrialPushed { number })))
}

/// Numbers begin anew with a new store: what is closed counts only if it brought the same commit.
pub(super) fn look_for_pull(
    name: &RepoName,
    (number, commit, head): (u32, &Sha, &Branch),
    bot: &Login,
    ports: &mut Ports<'_>,
) -> Read<Option<What>> {
    let all = ports.forge.pulls_from(name, head)?;
    let marker = Some(words::trial_marker(number));
    let is_it = |pull: &FoundPull| pull.is_open || pull.head == *commit;
    let is_marked = |pull: &FoundPull| hidden_marker::find(&pull.body) == marker;
    let mut ours = all.iter().filter(|pull| pull.author == *bot && is_it(pull) && is_marked(pull));
    Ok(ours.next().map(|pull| repo(RepoSettled::TrialOpened { number, pull: pull.number })))
}
