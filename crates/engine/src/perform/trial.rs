//! Effects on a trial build of several changes: it is built here, then pushed and opened on the forge.

use super::{Performed, is_exists, known, repo};
use crate::engine::Leased;
use crate::ports::{FoundPull, NewPull, Ports, Read};
use ralph_core::fact::{BuiltTrial, RepoSettled, What};
use ralph_core::hidden_marker;
use ralph_core::ids::{Branch, Login, RepoName, Sha};
use ralph_core::merge_queue::{Entry, trial_branch};
use ralph_core::words;

/// Builds the trial. It changes nothing outside, so it is harmless to repeat.
pub(super) fn build(
    leased: &Leased,
    name: &RepoName,
    (number, base, entries): (u32, &Sha, &[Entry]),
    ports: &mut Ports<'_>,
) -> Performed {
    let heads: Vec<&Sha> = entries.iter().map(|entry| &entry.head).collect();
    let answer = ports.workspaces.build_trial(name, base, &heads);
    known(leased, answer, |built| {
        let (mut taken, mut apart) = (Vec::new(), Vec::new());
        for (entry, tree) in entries.iter().cloned().zip(built.trees) {
            match tree {
                Some(tree) => taken.push((entry, tree)),
                None => apart.push(entry),
            }
        }
        let (base, commit, entries) = (base.clone(), built.commit, taken);
        repo(RepoSettled::TrialBuilt(BuiltTrial { number, base, commit, entries, apart }))
    })
}

pub(super) fn push(
    leased: &Leased,
    name: &RepoName,
    (number, commit): (u32, &Sha),
    ports: &mut Ports<'_>,
) -> Performed {
    let answer = ports.workspaces.push_built(name, &trial_branch(number), commit);
    known(leased, answer, |()| repo(RepoSettled::TrialPushed { number }))
}

pub(super) fn open(
    leased: &Leased,
    name: &RepoName,
    (number, new): (u32, &NewPull<'_>),
    ports: &mut Ports<'_>,
) -> Performed {
    let answer = ports.forge.open_draft(name, new);
    if is_exists(&answer) && !leased.looks_first {
        return Performed::Unknown { why: "the forge says that it exists".to_owned() };
    }
    let opened =
        |pull: ralph_core::pull::Pull| repo(RepoSettled::TrialOpened { number, pull: pull.number });
    known(leased, answer, opened)
}

/// Looks whether the commit was pushed.
pub(super) fn look_for_push(
    name: &RepoName,
    (number, commit): (u32, &Sha),
    ports: &mut Ports<'_>,
) -> Read<Option<What>> {
    let there = ports.workspaces.remote_head(name, &trial_branch(number))?;
    let is_there = there.as_ref() == Some(commit);
    Ok(is_there.then(|| repo(RepoSettled::TrialPushed { number })))
}

/// Finds the draft of a trial build. A new store starts its numbers from the beginning, so a closed pull request counts
/// only with the same commit.
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
