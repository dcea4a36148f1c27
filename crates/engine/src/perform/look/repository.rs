//! Whether an earlier try of an effect on a repository took place.

use super::super::{repo, repository::thread_of};
use super::our_comment;
use crate::ports::{Ports, Read};
use ralph_core::digest::Digest;
use ralph_core::effect::RepoAct;
use ralph_core::fact::{RepoSettled, What};
use ralph_core::ids::{Login, RepoName};
use ralph_core::pull::PullState;
use ralph_core::time::Time;
use ralph_core::{hidden_marker, words};

pub(super) fn look(
    name: &RepoName,
    act: &RepoAct,
    (bot, now): (&Login, Time),
    ports: &mut Ports<'_>,
) -> Read<Option<What>> {
    match act {
        // The bot branch has many; the marker tells which batch one was opened for.
        RepoAct::OpenRollup { head, body, .. } => {
            let wanted = hidden_marker::find(body);
            let all = ports.forge.pulls_from(name, head)?;
            let mut ours = all.into_iter().filter(|pull| pull.author == *bot);
            let found = ours.find(|pull| hidden_marker::find(&pull.body) == wanted);
            Ok(found.map(|pull| {
                let (number, head, body) = (pull.number, pull.head, Digest::of(&pull.body));
                repo(RepoSettled::RollupOpened { number, head, body })
            }))
        }
        // Its branch is its own. One that somebody else has open keeps ours from being opened, and serves.
        RepoAct::OpenSync { of, head, base, .. } => {
            let all = ports.forge.pulls_from(name, head)?;
            let ours = all.iter().find(|pull| pull.author == *bot);
            let found = ours.or_else(|| all.iter().find(|pull| pull.is_open));
            Ok(found.map(|pull| {
                let (number, of, base) = (pull.number, of.clone(), base.clone());
                repo(RepoSettled::SyncOpened { number, of, base })
            }))
        }
        RepoAct::MergeSync { pull, .. } => {
            let found = ports.forge.pull(name, *pull)?;
            Ok(found.and_then(|pull| match pull.state {
                PullState::Merged { commit } => {
                    Some(repo(RepoSettled::SyncMerged { number: pull.number, commit }))
                }
                PullState::Open | PullState::Closed => None,
            }))
        }
        RepoAct::TellOfSync { pull, .. } => {
            let (thread, marker) = (thread_of(name, *pull), words::sync_marker(*pull));
            let found = our_comment(&thread, &marker, (bot, now), ports)?;
            Ok(found.map(|_| repo(RepoSettled::SyncTold { number: *pull })))
        }
        RepoAct::DefineLabel { .. } | RepoAct::MakeBranch { .. } | RepoAct::EditRollup { .. } => {
            Ok(None)
        }
    }
}
