//! Decides for a repository: its labels, its bot branch with the default branch's changes in it, and one rollup at a
//! time.

mod follow_up;
mod mark;
mod protection;
mod rollup;
mod sync;

use super::{Decision, is_ours, repo_of};
use crate::effect::{Effect, RepoAct};
use crate::fact::{Move, Subject};
use crate::ids::RepoName;
use crate::merge_queue;
use crate::policy::{Policy, RepoPolicy};
use crate::repo::{Branches, LabelFault, Repo};
use crate::standing::{RefusedEffect, Standing};
use crate::time::Time;
use crate::watch::{Pace, Resource, Watch};
use crate::world::World;

/// Everything a decision about one repository may look at.
pub(crate) struct RepoContext<'a> {
    pub(crate) world: &'a World,
    pub(crate) name: &'a RepoName,
    pub(crate) repo: &'a Repo,
    pub(crate) policy: &'a Policy,
    pub(crate) rules: &'a RepoPolicy,
    pub(crate) now: Time,
}

pub(super) fn decide(world: &World, name: &RepoName, now: Time, policy: &Policy) -> Decision {
    let mut decision = Decision::nothing(Subject::Repo(name.clone()));
    let Some(rules) = policy.repo(name) else { return decision };
    let cx = RepoContext { world, name, repo: repo_of(world, name), policy, rules, now };
    if let Some(step) = mark::next(&cx) {
        return Decision::moving(Subject::Repo(name.clone()), step);
    }
    let mut acts = Vec::new();
    let marked = mark::want(&cx, &mut acts, &mut decision);
    if !is_ours(cx.repo, policy) {
        decision.watch.extend(mark::waits(&cx));
        let refused = want(&cx, acts, &mut decision);
        let (sync, trial) = (None, None);
        decision.standing = Some(Standing::Repository { refused, sync, trial, mark: marked });
        ask_for_turns_again(&cx, &mut decision);
        return decision;
    }
    decision.watch.extend(watch(&cx));
    let (mut syncing, mut is_syncing) = (None, false);
    if let Some(branches) = &cx.repo.branches
        && branches.default != rules.bot_branch
    {
        // First of all, because nothing can start without it.
        acts.extend(bot_branch(rules, branches));
        let (sync, standing) = sync::want(&cx, branches, &mut decision);
        acts.extend(rollup::want(&cx, branches, standing.as_ref(), &mut decision));
        // Two merges into the bot branch would get in each other's way.
        let is_merge = matches!(sync, Some(RepoAct::MergeSync { .. }));
        is_syncing = is_merge;
        acts.extend(sync.filter(|_| !is_merge || cx.repo.merge_queue.trial.is_none()));
        syncing = standing;
    }
    let mut trying = None;
    if let Some(branches) = &cx.repo.branches {
        match merge_queue::want(&cx, branches, is_syncing, &mut decision) {
            merge_queue::Wanted::Move(step) => {
                return Decision::moving(Subject::Repo(name.clone()), Move::Trial(step));
            }
            merge_queue::Wanted::Acts(more, standing) => {
                acts.extend(more);
                trying = standing;
            }
        }
    }
    let merged = cx.repo.sync.merged_branches.iter().cloned();
    acts.extend(merged.map(|branch| RepoAct::DeleteBranch { branch }));
    acts.extend(follow_up::want(&cx));
    acts.extend(protection::want(&cx));
    acts.extend(labels(cx.repo));
    let refused = want(&cx, acts, &mut decision);
    ask_for_turns_again(&cx, &mut decision);
    if !refused.is_empty() || syncing.is_some() || trying.is_some() {
        let (sync, trial) = (syncing, trying);
        decision.standing = Some(Standing::Repository { refused, sync, trial, mark: marked });
    }
    decision
}

/// Asks for admission again at the time when a turn may be tried although the agents' program fails.
fn ask_for_turns_again(cx: &RepoContext<'_>, decision: &mut Decision) {
    let outage = cx.repo.turns.has_failures().then(|| cx.world.outage()).flatten();
    if let Some(outage) = outage.filter(|it| it.issues.iter().any(|key| key.repo == *cx.name)) {
        decision.look_at(cx.now, outage.probe_at);
    }
    if cx.repo.turns.accounts.failing().next().is_some() {
        cx.world.held_accounts().iter().for_each(|hold| decision.look_at(cx.now, hold.probe_at));
    }
    // The repository of an account's last turn looks at its windows, and that of the last turn of all at the day.
    let kept = cx.world.kept_by(cx.name);
    for account in cx.world.account_use(kept, cx.policy, cx.now) {
        account.times().for_each(|at| decision.look_at(cx.now, at));
    }
    if cx.policy.budget.day.is_set() && cx.world.keeps_day(cx.name) {
        let until = cx.world.day_use(cx.policy, cx.now).until;
        until.into_iter().for_each(|at| decision.look_at(cx.now, at));
    }
}

/// Adds the acts that no refusal holds back to the desired effects; the rest is looked at again when its time comes.
/// Returns the last refusals.
fn want(cx: &RepoContext<'_>, acts: Vec<RepoAct>, decision: &mut Decision) -> Vec<RefusedEffect> {
    let mut refused = Vec::new();
    for act in acts {
        let desired = act.desired();
        let known = cx.repo.refusals.of(&desired);
        match cx.repo.refusals.hold(&desired, cx.now) {
            Some(until) => decision.look_again(until),
            None => decision.effects.push(Effect::Repo(cx.name.clone(), act)),
        }
        refused.extend(known.map(|refusal| RefusedEffect { desired, refusal: refusal.clone() }));
    }
    refused
}

fn watch(cx: &RepoContext<'_>) -> Vec<Watch> {
    let mut all = vec![
        (Resource::Branches(cx.name.clone()), Pace::Normal),
        (Resource::Issues(cx.name.clone()), Pace::Normal),
        (Resource::Labels(cx.name.clone()), Pace::Rarely),
    ];
    if cx.rules.required_checks.is_none() {
        all.push((Resource::Required(cx.name.clone()), Pace::Rarely));
    }
    if !cx.rules.kept_checks().is_empty() {
        all.push((Resource::Protection(cx.name.clone()), Pace::Rarely));
    }
    if let Some(rollup) = &cx.repo.batch.rollup {
        all.push((Resource::Rollup(cx.name.clone(), rollup.number), Pace::Normal));
    }
    all.into_iter().map(|(resource, pace)| Watch { resource, pace }).collect()
}

fn labels(repo: &Repo) -> impl Iterator<Item = RepoAct> {
    let wrong = repo.labels_wrong.iter().flatten();
    wrong.map(|(name, fault)| RepoAct::DefineLabel {
        name: name.clone(),
        is_new: *fault == LabelFault::Missing,
    })
}

/// Creates a missing bot branch from the default branch's head.
fn bot_branch(rules: &RepoPolicy, branches: &Branches) -> Option<RepoAct> {
    let (branch, at) = (rules.bot_branch.clone(), branches.default_head.clone());
    branches.bot_head.is_none().then_some(RepoAct::MakeBranch { branch, at })
}
