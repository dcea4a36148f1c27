//! What a repository needs: its labels, its bot branch, and one rollup at a time.

use super::{Decision, repo_of};
use crate::digest::Digest;
use crate::effect::{Effect, RepoAct};
use crate::fact::Subject;
use crate::ids::{IssueKey, PullNumber, RepoName};
use crate::issue::Phase;
use crate::policy::{Policy, RepoPolicy};
use crate::repo::{Branches, LabelFault, Repo};
use crate::time::Time;
use crate::watch::{Pace, Resource, Watch};
use crate::words;
use crate::world::World;

/// Refused edits of a rollup's text before it is left as it is.
const ROLLUP_EDITS_REFUSED_MAX: u32 = 3;

pub(super) fn decide(world: &World, name: &RepoName, now: Time, policy: &Policy) -> Decision {
    let subject = Subject::Repo(name.clone());
    let mut decision = Decision::nothing(subject);
    let Some(rules) = policy.repo(name) else { return decision };
    let repo = repo_of(world, name);
    let mut watch = |resource, pace| decision.watch.push(Watch { resource, pace });
    watch(Resource::Branches(name.clone()), Pace::Normal);
    watch(Resource::Issues(name.clone()), Pace::Normal);
    watch(Resource::Labels(name.clone()), Pace::Rarely);
    if rules.required_checks.is_none() {
        watch(Resource::Required(name.clone()), Pace::Rarely);
    }
    if let Some(rollup) = &repo.batch.rollup {
        watch(Resource::Rollup(name.clone(), rollup.number), Pace::Normal);
    }
    let members = members(world, name, repo.batch.number);
    let mut want = |act| decision.effects.push(Effect::Repo(name.clone(), act));
    // First of all, because nothing can be started without it.
    let missing = repo.branches.as_ref().and_then(|branches| bot_branch(rules, branches));
    missing.into_iter().for_each(&mut want);
    labels(repo).for_each(&mut want);
    if let Some(branches) = &repo.branches
        && branches.default != rules.bot_branch
    {
        rollup(name, repo, rules, branches, &members, now).into_iter().for_each(&mut want);
    }
    decision.effects.retain(|effect| !repo.refused.contains(&effect.key()));
    if repo.batch.rollup.is_none() && !members.is_empty() {
        let opens_at = repo.batch.last_joined.plus(rules.rollup_idle);
        if opens_at > now {
            decision.look_again(opens_at);
        }
    }
    decision
}

fn labels(repo: &Repo) -> impl Iterator<Item = RepoAct> {
    let wrong = repo.labels_wrong.iter().flatten();
    wrong.map(|(name, fault)| RepoAct::DefineLabel {
        name: name.clone(),
        is_new: *fault == LabelFault::Missing,
    })
}

/// A missing bot branch is made from the default branch's head.
fn bot_branch(rules: &RepoPolicy, branches: &Branches) -> Option<RepoAct> {
    let is_missing = branches.bot_head.is_none() && branches.default != rules.bot_branch;
    let (branch, at) = (rules.bot_branch.clone(), branches.default_head.clone());
    is_missing.then_some(RepoAct::MakeBranch { branch, at })
}

/// Issues and pull requests that are part of this batch.
fn members(world: &World, name: &RepoName, batch: u32) -> Vec<(IssueKey, PullNumber)> {
    let numbers = world.queues(name).into_iter().flat_map(|queues| &queues.in_bot);
    let keys = numbers.map(|number| IssueKey::new(name.clone(), *number));
    let in_batch = |key: IssueKey| match world.issue(&key)?.managed.as_deref()?.phase {
        Phase::InBot { pull, batch: of, .. } if of == batch => Some((key, pull)),
        Phase::InBot { .. }
        | Phase::Out
        | Phase::Queued
        | Phase::Running { .. }
        | Phase::Parked { .. }
        | Phase::Escalated { .. }
        | Phase::Stopped { .. }
        | Phase::Done { .. } => None,
    };
    keys.filter_map(in_batch).collect()
}

#[expect(clippy::too_many_arguments, reason = "each is a part of one decision, used once")]
fn rollup(
    name: &RepoName,
    repo: &Repo,
    rules: &RepoPolicy,
    branches: &Branches,
    members: &[(IssueKey, PullNumber)],
    now: Time,
) -> Option<RepoAct> {
    if members.is_empty() {
        return None;
    }
    let batch = repo.batch.number;
    let body = words::rollup_body(name, batch, members);
    if let Some(open) = &repo.batch.rollup {
        let is_due =
            open.body != Digest::of(&body) && open.edits_refused < ROLLUP_EDITS_REFUSED_MAX;
        return is_due.then_some(RepoAct::EditRollup { pull: open.number, body });
    }
    let is_full = members.len() >= usize::try_from(rules.rollup_batch).unwrap_or(usize::MAX);
    let is_idle = repo.batch.last_joined.plus(rules.rollup_idle) <= now;
    let is_due = (is_full || is_idle) && !repo.batch.awaits_new_member;
    is_due.then(|| RepoAct::OpenRollup {
        batch,
        head: rules.bot_branch.clone(),
        base: branches.default.clone(),
        title: words::rollup_title(batch, members.len()),
        body,
    })
}
