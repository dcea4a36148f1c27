//! A check of every decision before it is carried out, independent of the code that made it. A fault is a bug, and then
//! no effect of that decision is carried out.

use crate::decide::{Decision, Plan};
use crate::effect::{Effect, IssueAct, MachineAct, RepoAct};
use crate::fact::Subject;
use crate::hidden_marker;
use crate::ids::{Branch, IssueKey, Sha};
use crate::issue::{DoneEvidence, Issue, Managed, Phase, Slot};
use crate::label;
use crate::managed_path::ManagedPath;
use crate::merge_queue::is_trial_branch;
use crate::policy::Policy;
use crate::removal::{GivenUp, Removal};
use crate::repo::{FollowUpId, Repo, is_sync_branch, sync_branch};
use crate::run::Run;
use crate::time::Time;
use crate::words;
use crate::world::World;
use std::collections::BTreeSet;
use std::fmt;

/// A fault in a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub subject: Subject,
    pub effect: String,
    pub rule: Rule,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// I1
    ForeignLabel,
    /// I6
    WrongBase,
    /// I7, I14
    OutsideManagedRoot,
    /// I14
    WorktreeInUse,
    /// I14
    ForeignBranch,
    /// I10
    CommentWithoutItsMarker,
    /// I11
    MergeWithoutGates,
    /// I11
    ClosedWithoutProof,
    /// I11
    MergeUntested,
    /// I13
    StepWhileHeld,
    KeyTwice,
    NoVerdict,
    /// An effect on a repository that is not configured.
    NotConfigured,
    /// Work for an issue that Ralph does not hold.
    NotClaimed,
    /// An effect on a repository that another Ralph holds, or may hold.
    NotOurs,
    /// An effect for an issue before Ralph looked up what this store may lack.
    NotLookedUp,
    /// A message to a process that judges the work, or that is not under way.
    MessageToReviewer,
    /// A follow-up issue that is opened twice, or an edit of an issue that is none.
    ForeignIssue,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} in {}", self.rule, self.effect)
    }
}

/// Returns all faults of a plan; empty for a sane one.
#[must_use]
pub fn check(world: &World, plan: &Plan, policy: &Policy) -> Vec<Fault> {
    let final_ones = plan.decisions.iter().filter(|decision| decision.moves.is_empty());
    final_ones.flat_map(|decision| check_decision(world, decision, policy)).collect()
}

fn check_decision(world: &World, decision: &Decision, policy: &Policy) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut keys = BTreeSet::new();
    let issue = decision.subject.issue().and_then(|key| world.issue(key));
    let managed = issue.and_then(|issue| issue.managed.as_deref());
    if managed.is_some() && decision.standing.is_none() {
        let (subject, effect) = (decision.subject.clone(), decision.subject.to_string());
        faults.push(Fault { subject, effect, rule: Rule::NoVerdict });
    }
    for effect in &decision.effects {
        let key = effect.key();
        let mut fault = |rule| {
            let (subject, effect) = (decision.subject.clone(), key.clone());
            faults.push(Fault { subject, effect, rule });
        };
        if !keys.insert(key.clone()) {
            fault(Rule::KeyTwice);
        }
        for rule in check_effect(world, effect, managed, policy) {
            fault(rule);
        }
    }
    faults
}

fn check_effect(
    world: &World,
    effect: &Effect,
    managed: Option<&Managed>,
    policy: &Policy,
) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut when = |is_wrong: bool, rule| {
        if is_wrong {
            rules.push(rule);
        }
    };
    if effect.is_step() {
        let is_held = managed.is_none_or(|managed| managed.is_paused);
        let is_running = managed.is_some_and(|m| matches!(m.phase, Phase::Running { .. }));
        when(is_held || !is_running, Rule::StepWhileHeld);
    }
    when(!policy.allows(effect), Rule::NotConfigured);
    check_mark(world, effect, policy, &mut when);
    let bot_branch = policy.repo(effect.repo()).map(|rules| &rules.bot_branch);
    match effect {
        Effect::Issue(_, IssueAct::AddLabel { label } | IssueAct::RemoveLabel { label }) => {
            when(!label::is_managed(label), Rule::ForeignLabel);
        }
        Effect::Issue(
            key,
            IssueAct::CreateComment { slot, body } | IssueAct::EditComment { slot, body, .. },
        ) => {
            let wanted = Some(words::marker(key, slot));
            when(hidden_marker::find(body) != wanted, Rule::CommentWithoutItsMarker);
        }
        Effect::Issue(_, IssueAct::OpenPull { base, .. }) => {
            when(Some(base) != bot_branch, Rule::WrongBase);
        }
        Effect::Issue(key, IssueAct::Merge { head, onto, .. }) => {
            let run = managed.and_then(|managed| managed.run.as_ref());
            check_merge(world.repo(&key.repo), key, run, (head, onto.as_ref()), &mut when);
        }
        Effect::Machine(_, MachineAct::Start { job, .. }) => {
            let is_outside = job.path().is_some_and(|path| !policy.worktrees.holds(path));
            when(is_outside, Rule::OutsideManagedRoot);
            when(managed.is_none_or(|managed| managed.work.is_none()), Rule::NotClaimed);
        }
        Effect::Machine(_, MachineAct::Tell { attempt, .. }) => {
            let is_for_worker = managed.is_some_and(|managed| managed.may_be_told(*attempt));
            when(!is_for_worker, Rule::MessageToReviewer);
        }
        Effect::Machine(_, MachineAct::Push { workspace, .. }) => {
            when(!policy.worktrees.holds(workspace), Rule::OutsideManagedRoot);
        }
        Effect::Machine(_, MachineAct::RemoveWorkspace { path, proof }) => {
            when(!policy.worktrees.holds(path), Rule::OutsideManagedRoot);
            let is_free = managed.is_some_and(|managed| is_given_up(managed, path, proof));
            when(!is_free, Rule::WorktreeInUse);
        }
        Effect::Repo(repo, act) => {
            check_repo_act(world.repo(repo), act, bot_branch, &mut when);
        }
        Effect::Issue(_, IssueAct::UpdateBranch { pull, head }) => {
            let run = managed.and_then(|managed| managed.run.as_ref());
            let pushed =
                run.filter(|run| run.pull == Some(*pull)).and_then(|run| run.pushed.as_ref());
            when(pushed != Some(head), Rule::NotClaimed);
        }
        Effect::Issue(_, IssueAct::CloseIssue) => {
            when(!managed.is_some_and(is_proved), Rule::ClosedWithoutProof);
        }
        Effect::Issue(_, IssueAct::RerunCheck(_)) | Effect::Machine(_, MachineAct::End { .. }) => {}
    }
    rules
}

/// Checks that this Ralph holds the repository, and that it has looked up what the forge knows of the issue.
fn check_mark(world: &World, effect: &Effect, policy: &Policy, mut when: impl FnMut(bool, Rule)) {
    let is_harmless = matches!(
        effect,
        Effect::Repo(_, RepoAct::WriteMark { .. }) | Effect::Machine(_, MachineAct::End { .. })
    );
    let Some(repo) = world.repo(effect.repo()).filter(|_| !is_harmless) else { return };
    let is_ours = repo.mark.is_ours(policy.instance.as_ref(), &repo.refusals);
    let is_local = matches!(effect, Effect::Machine(_, MachineAct::Start { .. }))
        && repo.mark.may_work(policy.instance.as_ref(), &repo.refusals);
    let is_configured = policy.repo(effect.repo()).is_some();
    when(!is_ours && !is_local && is_configured, Rule::NotOurs);
    let subject = effect.subject();
    let issue = subject.issue().and_then(|key| world.issue(key));
    when(issue.is_some_and(|it| !repo.mark.is_looked_up(it.recalled)), Rule::NotLookedUp);
}

fn check_merge(
    repo: Option<&Repo>,
    key: &IssueKey,
    run: Option<&Run>,
    (head, onto): (&Sha, Option<&Sha>),
    mut when: impl FnMut(bool, Rule),
) {
    let moved = |run: &Run| repo.is_some_and(|repo| repo.has_moved_under(run));
    let tried_on = repo.and_then(|repo| repo.merge_queue.may_merge(key.number, head));
    let is_tried = tried_on.is_some() && tried_on == onto;
    let is_tested =
        run.is_some_and(|run| !run.is_tested() || onto == run.tested_on() && !moved(run));
    when(!is_tested && !is_tried, Rule::MergeUntested);
    let is_ready = run.is_some_and(|run| {
        run.is_ready_for_merge() && run.head.as_ref().is_some_and(|it| it.commit == *head)
    });
    when(!is_ready, Rule::MergeWithoutGates);
}

fn check_repo_act(
    repo: Option<&Repo>,
    act: &RepoAct,
    bot_branch: Option<&Branch>,
    mut when: impl FnMut(bool, Rule),
) {
    match act {
        RepoAct::DefineLabel { name, .. } => when(!label::is_managed(name), Rule::ForeignLabel),
        RepoAct::MakeBranch { branch, .. } => {
            when(Some(branch) != bot_branch && !is_sync_branch(branch), Rule::WrongBase);
        }
        RepoAct::RequireChecks { branch, .. } => {
            let default = repo.and_then(default_branch);
            when(Some(branch) != bot_branch && Some(branch) != default, Rule::WrongBase);
        }
        RepoAct::OpenRollup { head, base, .. } => {
            let default = repo.and_then(default_branch);
            when(Some(head) != bot_branch || Some(base) != default, Rule::WrongBase);
        }
        RepoAct::OpenSync { head, base, .. } => {
            when(Some(base) != bot_branch || !is_sync_branch(head), Rule::WrongBase);
        }
        RepoAct::MergeSync { pull, head, base } => {
            let open = repo.and_then(|repo| repo.sync.open.as_ref());
            let open = open.filter(|open| open.number == *pull && open.own_head() == head);
            when(open.is_none(), Rule::MergeWithoutGates);
            when(Some(base) != bot_branch, Rule::WrongBase);
        }
        RepoAct::DeleteBranch { branch } => {
            let open = repo.and_then(|repo| repo.sync.open.as_ref());
            let is_used = open.is_some_and(|open| sync_branch(&open.of) == *branch);
            let trial = repo.and_then(|repo| repo.merge_queue.trial.as_ref());
            let is_tried = trial.is_some_and(|trial| trial.branch() == *branch);
            let is_ours = is_sync_branch(branch) || is_trial_branch(branch);
            when(is_used || is_tried || !is_ours, Rule::ForeignBranch);
        }
        RepoAct::TellOfSync { pull, body } => {
            let wanted = Some(words::sync_marker(*pull));
            when(hidden_marker::find(body) != wanted, Rule::CommentWithoutItsMarker);
        }
        RepoAct::OpenTrial { head, base, .. } => {
            when(Some(base) != bot_branch || !is_trial_branch(head), Rule::WrongBase);
        }
        RepoAct::CloseTrial { pull } => {
            let is_left =
                repo.is_some_and(|it| it.merge_queue.left.values().any(|of| *of == Some(*pull)));
            when(!is_left, Rule::ForeignBranch);
        }
        RepoAct::EditRollup { .. }
        | RepoAct::BuildTrial { .. }
        | RepoAct::PushTrial { .. }
        | RepoAct::WriteMark { .. } => {}
        RepoAct::OpenFollowUp { id, body, .. } => {
            when(hidden_marker::find(body) != Some(id.marker()), Rule::CommentWithoutItsMarker);
            when(issue_of(repo, id).is_some(), Rule::ForeignIssue);
        }
        RepoAct::EditFollowUp { id, issue, body, .. } => {
            when(hidden_marker::find(body) != Some(id.marker()), Rule::CommentWithoutItsMarker);
            when(issue_of(repo, id) != Some(*issue), Rule::ForeignIssue);
        }
    }
}

fn issue_of(repo: Option<&Repo>, id: &FollowUpId) -> Option<u64> {
    repo?.follow_ups.get(id)?.issue
}

/// True if the issue is done and, when it needed no pull request, our comment says why.
fn is_proved(managed: &Managed) -> bool {
    match &managed.phase {
        Phase::Done { evidence: DoneEvidence::Verified { comment }, .. } => {
            let said = managed.comments.get(&Slot::Verify).and_then(|posted| posted.id);
            let has_pull = managed.run.as_ref().is_some_and(|run| run.pull.is_some());
            said == Some(*comment) && !has_pull
        }
        Phase::Done { .. } => true,
        Phase::Out
        | Phase::Queued
        | Phase::Running { .. }
        | Phase::Parked { .. }
        | Phase::Escalated { .. }
        | Phase::Stopped { .. }
        | Phase::InBot { .. } => false,
    }
}

/// True if the issue's own state agrees with the proof.
fn is_given_up(managed: &Managed, path: &ManagedPath, proof: &Removal) -> bool {
    let own = managed.run.as_ref().and_then(|run| run.workspace.as_ref());
    let is_own = own.is_some_and(|own| own.path == *path);
    let is_over = match proof {
        Removal::Done(_) => matches!(managed.phase, Phase::Done { .. }),
        Removal::GivenUp(GivenUp::Stopped) => {
            matches!(managed.phase, Phase::Stopped { .. } | Phase::Out)
        }
        Removal::GivenUp(GivenUp::Superseded) => !is_own,
        Removal::GivenUp(GivenUp::Unneeded) => {
            matches!(managed.phase, Phase::Done { evidence: DoneEvidence::Verified { .. }, .. })
        }
    };
    is_over && managed.work.is_none()
}

fn default_branch(repo: &Repo) -> Option<&Branch> {
    repo.branches.as_ref().map(|branches| &branches.default)
}

/// True if no process runs for this issue, no command waits for an answer and no write waits for its time.
#[must_use]
pub fn is_at_rest(issue: &Issue, now: Time) -> bool {
    issue.managed.as_ref().is_none_or(|managed| {
        let commands = &managed.commands;
        managed.work.is_none()
            && managed.labels.retry_at.is_none_or(|at| at <= now)
            && commands.pending.is_empty()
            && !commands.rereads(&managed.phase)
            && managed.comments.get(&Slot::Command).is_none_or(|posted| posted.refusal.is_none())
            && !commands.clearing.keys().any(|command| issue.has_label(command.label()))
    })
}
