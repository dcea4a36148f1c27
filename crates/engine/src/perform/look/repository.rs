//! Looks for the result of an earlier try of an effect on a repository.

use super::super::{mark, repo, repository::thread_of, trial};
use super::{LOOK_BACK, our_comment};
use crate::ports::{ForgeIssue, FoundPull, Ports, Read};
use ralph_core::digest::Digest;
use ralph_core::effect::RepoAct;
use ralph_core::fact::{RepoSettled, What};
use ralph_core::ids::{Branch, Login, RepoName};
use ralph_core::pull::PullState;
use ralph_core::repo::FollowUpId;
use ralph_core::time::Time;
use ralph_core::{hidden_marker, words};

pub(super) fn look(
    name: &RepoName,
    act: &RepoAct,
    (bot, now): (&Login, Time),
    ports: &mut Ports<'_>,
) -> Read<Option<What>> {
    match act {
        RepoAct::OpenRollup { head, base, body, .. } => {
            look_for_rollup(name, (head, base, body), bot, ports)
        }
        // The branch serves this purpose only. An open pull request by another author prevents ours and serves as well.
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
        RepoAct::PushTrial { number, commit } => {
            trial::look_for_push(name, (*number, commit), ports)
        }
        RepoAct::OpenTrial { number, commit, head, .. } => {
            trial::look_for_pull(name, (*number, commit, head), bot, ports)
        }
        RepoAct::OpenFollowUp { id, .. } => look_for_follow_up(name, id, (bot, now), ports),
        RepoAct::WriteMark { mark: wanted, over, .. } => {
            mark::look(name, wanted, over.as_deref(), ports)
        }
        // These are idempotent.
        RepoAct::DefineLabel { .. }
        | RepoAct::MakeBranch { .. }
        | RepoAct::RequireChecks { .. }
        | RepoAct::DeleteBranch { .. }
        | RepoAct::BuildTrial { .. }
        | RepoAct::CloseTrial { .. }
        | RepoAct::EditFollowUp { .. }
        | RepoAct::EditRollup { .. } => Ok(None),
    }
}

/// Finds a follow-up issue by its marker. The failures it lists are unknown, so it is edited next.
fn look_for_follow_up(
    name: &RepoName,
    id: &FollowUpId,
    (bot, now): (&Login, Time),
    ports: &mut Ports<'_>,
) -> Read<Option<What>> {
    let all = ports.forge.issues_by(name, bot, now.minus(LOOK_BACK))?;
    let is_it = |issue: &&ForgeIssue| {
        issue.author == *bot && FollowUpId::of_text(&issue.body).as_ref() == Some(id)
    };
    Ok(all.iter().find(is_it).map(|found| {
        let (id, issue) = (id.clone(), found.key.number);
        repo(RepoSettled::FollowUpTold { id, issue, seen: 0 })
    }))
}

/// The bot branch has many pull requests, and the marker identifies the rollup. An open one by a person who may push
/// prevents ours and brings the same commits, so it serves as well.
fn look_for_rollup(
    name: &RepoName,
    (head, base, body): (&Branch, &Branch, &str),
    bot: &Login,
    ports: &mut Ports<'_>,
) -> Read<Option<What>> {
    let wanted = hidden_marker::find(body);
    let all = ports.forge.pulls_from(name, head)?;
    let is_ours =
        |pull: &FoundPull| pull.author == *bot && hidden_marker::find(&pull.body) == wanted;
    if let Some(pull) = all.iter().find(|pull| is_ours(pull)) {
        let (number, head, body) = (pull.number, pull.head.clone(), Digest::of(&pull.body));
        return Ok(Some(repo(RepoSettled::RollupOpened { number, head, body })));
    }
    let in_the_way = all.into_iter().find(|pull| pull.is_open && pull.base == *base);
    let Some(pull) = in_the_way else { return Ok(None) };
    let may_push = ports.forge.rights(name, &pull.author)?.push;
    let (number, head) = (pull.number, pull.head);
    Ok(may_push.then(|| repo(RepoSettled::RollupAdopted { number, head })))
}
