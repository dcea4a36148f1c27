//! Decisions with a bug in them. Each asks the real `decide`, for another world or policy, or spoils its
//! answer.

use ralph_core::bound::{Bound, Bounds};
use ralph_core::decide::{Decision, Plan, decide};
use ralph_core::effect::{Effect, IssueAct, MachineAct, RepoAct};
use ralph_core::fact::{Move, RunMove, Subject};
use ralph_core::gate::{Gate, GateRecord, GateStatus};
use ralph_core::issue::{Blocked, BlockedSource, DoneEvidence, Issue, Managed, Phase};
use ralph_core::lane::Lanes;
use ralph_core::policy::{AutoQueue, Limits, MergeMethod, Policy};
use ralph_core::removal::Removal;
use ralph_core::run::Run;
use ralph_core::standing::Standing;
use ralph_core::steps::Step;
use ralph_core::time::Time;
use ralph_core::world::{Touched, World};

/// The real decision, with every final part of it spoilt.
pub(super) fn spoilt(
    world: &World,
    touched: &Touched,
    now: Time,
    policy: &Policy,
    spoil: impl Fn(&mut Decision, &Managed),
) -> Plan {
    let mut plan = decide(world, touched, now, policy);
    for decision in &mut plan.decisions {
        let managed = decision.subject.issue().and_then(|key| world.issue(key)?.managed.as_deref());
        if let Some(managed) = managed {
            spoil(decision, managed);
        }
    }
    plan
}

/// The real decision about a world that is not the real one.
pub(super) fn mistaken(
    world: &World,
    touched: &Touched,
    now: Time,
    policy: &Policy,
    twist: impl Fn(&mut Issue),
) -> Plan {
    let mut other = World::default();
    for (name, repo) in world.repos() {
        other.load_repo(name.clone(), repo.clone());
    }
    for (key, issue) in world.issues() {
        let mut issue = issue.clone();
        twist(&mut issue);
        other.load_issue(key.clone(), issue);
    }
    decide(&other, touched, now, policy)
}

fn with_policy(
    world: &World,
    touched: &Touched,
    now: Time,
    policy: &Policy,
    change: impl Fn(&mut Policy),
) -> Plan {
    let mut other = policy.clone();
    change(&mut other);
    decide(world, touched, now, &other)
}

pub(super) fn keeps_old_status(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    spoilt(w, t, now, p, |decision, _| {
        decision.effects.retain(|effect| match effect {
            Effect::Issue(_, IssueAct::RemoveLabel { label }) => {
                !label.starts_with("ralph:status:")
            }
            _other => true,
        });
    })
}

pub(super) fn claim_waits_for_label(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    spoilt(w, t, now, p, |decision, managed| {
        let is_written = managed.labels.is_confirmed;
        decision.moves.retain(|step| is_written || !matches!(step, Move::Claimed { .. }));
    })
}

pub(super) fn merges_without_waiting(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    spoilt(w, t, now, p, |decision, managed| {
        let waits = matches!(decision.standing, Some(Standing::WaitsForChecks { .. }));
        if let Some(pull) = managed.pull.as_ref().filter(|_| waits) {
            let (head, method) = (pull.head.clone(), MergeMethod::Merge);
            let (pull, base) = (pull.number, None);
            want(decision, IssueAct::Merge { pull, head, base, method, onto: None });
        }
    })
}

pub(super) fn merges_on_stale_base(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    spoilt(w, t, now, p, |decision, managed| {
        let is_refreshed =
            decision.moves.iter().any(|step| matches!(step, Move::Run(RunMove::TestAgain { .. })));
        if let Some(pull) = managed.pull.as_ref().filter(|_| is_refreshed) {
            decision.moves.clear();
            let (head, method, base) = (pull.head.clone(), MergeMethod::Merge, None);
            decision.standing = Some(Standing::Merging { pull: pull.number });
            let pull = pull.number;
            want(decision, IssueAct::Merge { pull, head, base, method, onto: None });
        }
    })
}

/// Reviews that passed once count for whatever the diff is by now.
pub(super) fn review_of_another_diff(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    mistaken(w, t, now, p, |issue| {
        carry_over(issue, &[Gate::ProductReview, Gate::DevexReview]);
    })
}

pub(super) fn preflight_of_another_tree(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    mistaken(w, t, now, p, |issue| carry_over(issue, &[Gate::Preflight]))
}

pub(super) fn repeats_gates(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    mistaken(w, t, now, p, |issue| {
        let run = issue.managed.as_mut().and_then(|managed| managed.run.as_mut());
        let Some(run) = run.filter(|run| !run.passed(Gate::ProductReview)) else { return };
        if let Some(record) = run.gates.get(Gate::Preflight).cloned() {
            run.gates.set(Gate::Preflight, GateRecord { status: GateStatus::Pending, ..record });
        }
    })
}

/// Takes what was said of something else for what these gates say of what stands now.
fn carry_over(issue: &mut Issue, gates: &[Gate]) {
    let Some(run) = issue.managed.as_mut().and_then(|managed| managed.run.as_mut()) else {
        return;
    };
    for gate in gates {
        if let (Some(subject), Some(record)) = (run.subject_of(*gate), run.gates.get(*gate)) {
            let record = GateRecord { subject: subject.into_owned(), ..record.clone() };
            run.gates.set(*gate, record);
        }
    }
}

pub(super) fn plan_of_another_review(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    mistaken(w, t, now, p, |issue| {
        let Some(run) = issue.managed.as_mut().and_then(|managed| managed.run.as_mut()) else {
            return;
        };
        if run.plan.is_some() {
            let record = run.judged(Gate::PlanReview, GateStatus::Pass, "", now);
            run.gates.set(Gate::PlanReview, record);
        }
    })
}

fn want(decision: &mut Decision, act: IssueAct) {
    let key = decision.subject.issue().cloned();
    decision.effects.extend(key.map(|key| Effect::Issue(key, act)));
}

fn want_here(decision: &mut Decision, act: MachineAct) {
    let key = decision.subject.issue().cloned();
    decision.effects.extend(key.map(|key| Effect::Machine(key, act)));
}

pub(super) fn closes_at_merge(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    spoilt(w, t, now, p, |decision, managed| {
        if matches!(managed.phase, Phase::InBot { .. }) && decision.moves.is_empty() {
            want(decision, IssueAct::CloseIssue);
        }
    })
}

pub(super) fn closes_before_comment(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    spoilt(w, t, now, p, |decision, _| {
        if matches!(decision.standing, Some(Standing::TellsVerdict)) {
            decision.effects.clear();
            want(decision, IssueAct::CloseIssue);
        }
    })
}

const TRIED: [Step; 5] =
    [Step::Setup, Step::Plan, Step::Implement, Step::Preflight, Step::Workspace];

pub(super) fn never_gives_up(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    with_policy(w, t, now, p, |policy| {
        for rules in policy.repos.values_mut() {
            let Limits { ci_timeout, turn_timeout, .. } = rules.limits;
            rules.limits = Limits {
                bounds: Bounds::from(TRIED.map(|step| (Bound::Step(step), 1_000))),
                ci_timeout,
                turn_timeout,
                ..Limits::default()
            };
        }
    })
}

pub(super) fn agent_before_rerun(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    mistaken_run(w, t, now, p, |run| {
        for red in &mut run.red_checks {
            red.of = None;
        }
    })
}

pub(super) fn surveys_for_ever(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    mistaken_run(w, t, now, p, |run| run.survey = None)
}

pub(super) fn forgets_reruns(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    mistaken_run(w, t, now, p, |run| run.reruns.clear())
}

fn mistaken_run(w: &World, t: &Touched, now: Time, p: &Policy, twist: fn(&mut Run)) -> Plan {
    mistaken(w, t, now, p, |issue| {
        if let Some(run) = issue.managed.as_mut().and_then(|managed| managed.run.as_mut()) {
            twist(run);
        }
    })
}

pub(super) fn nudges_for_ever(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    with_policy(w, t, now, p, |policy| {
        policy.repos.values_mut().for_each(|rules| rules.limits.bounds.set(Bound::STALLS, 1_000));
    })
}

pub(super) fn lane_forgets_attempts(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    mistaken(w, t, now, p, |issue| {
        if let Some(managed) = issue.managed.as_mut() {
            managed.lanes = Lanes::default();
        }
    })
}

pub(super) fn updates_for_ever(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    with_policy(w, t, now, p, |policy| {
        policy
            .repos
            .values_mut()
            .for_each(|rules| rules.limits.bounds.set(Bound::BRANCH_UPDATES, 1_000));
    })
}

/// Goes on, and says all the while that it is paused.
pub(super) fn pause_ignored(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let is_label = |effect: &Effect| match effect {
        Effect::Issue(_, IssueAct::AddLabel { .. } | IssueAct::RemoveLabel { .. }) => true,
        Effect::Issue(..) | Effect::Machine(..) | Effect::Repo(..) => false,
    };
    let mut plan = mistaken(w, t, now, p, |issue| {
        if let Some(managed) = issue.managed.as_mut() {
            managed.is_paused = false;
        }
    });
    for honest in decide(w, t, now, p).decisions {
        let found = plan.decisions.iter_mut().find(|decision| decision.subject == honest.subject);
        if let Some(decision) = found {
            decision.effects.retain(|effect| !is_label(effect));
            decision.effects.extend(honest.effects.into_iter().filter(is_label));
        }
    }
    plan
}

/// Pushes the branch of a stopped issue.
pub(super) fn stop_ignored(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    spoilt(w, t, now, p, |decision, managed| {
        let is_stopped = matches!(managed.phase, Phase::Stopped { .. });
        let Some(run) = managed.run.as_ref().filter(|_| is_stopped) else { return };
        if let (Some(workspace), Some(head)) = (&run.workspace, &run.head) {
            let (workspace, branch) = (workspace.path.clone(), run.branch.clone());
            want_here(
                decision,
                MachineAct::Push { workspace, branch, commit: head.commit.clone() },
            );
        }
    })
}

pub(super) fn removes_early(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    spoilt(w, t, now, p, |decision, managed| {
        let workspace = managed.run.as_ref().and_then(|run| run.workspace.as_ref());
        if let (Phase::InBot { merged, .. }, Some(workspace), true) =
            (&managed.phase, workspace, decision.moves.is_empty())
        {
            let (merged, default_head) = (merged.clone(), merged.clone());
            let evidence = DoneEvidence::Reachable { merged, default_head };
            let (path, proof) = (workspace.path.clone(), Removal::Done(evidence));
            want_here(decision, MachineAct::RemoveWorkspace { path, proof });
        }
    })
}

pub(super) fn command_label_goes_first(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let mut plan = decide(w, t, now, p);
    for decision in &mut plan.decisions {
        let Subject::Issue(key) = &decision.subject else { continue };
        let Some(issue) = w.issue(key) else { continue };
        let Some(managed) = issue.managed.as_deref() else { continue };
        let clearing = managed.commands.clearing.keys();
        let label = clearing.map(|command| command.label()).find(|label| issue.has_label(label));
        if let Some(label) = label.filter(|_| decision.moves.is_empty()) {
            decision.effects.retain(|effect| match effect {
                Effect::Issue(_, act) => !matches!(
                    act,
                    IssueAct::AddLabel { .. }
                        | IssueAct::RemoveLabel { .. }
                        | IssueAct::CreateComment { .. }
                ),
                Effect::Machine(..) | Effect::Repo(..) => true,
            });
            want(decision, IssueAct::RemoveLabel { label: label.into() });
        }
    }
    plan
}

pub(super) fn refuses_for_no_reason(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    spoilt(w, t, now, p, |decision, _| {
        for step in &mut decision.moves {
            if let Move::Commanded { refused, .. } = step {
                refused.get_or_insert_with(|| "Not today.".to_owned());
            }
        }
    })
}

pub(super) fn insane_plan(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    spoilt(w, t, now, p, |decision, _| {
        let twin = decision.effects.first().cloned();
        decision.effects.extend(twin);
    })
}

pub(super) fn asks_for_ever(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    spoilt(w, t, now, p, |decision, managed| {
        if let Some(status) = managed.status().filter(|_| decision.moves.is_empty()) {
            want(decision, IssueAct::AddLabel { label: status.label().into() });
        }
    })
}

pub(super) fn never_rests(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    spoilt(w, t, now, p, |decision, managed| {
        let is_waiting = matches!(managed.phase, Phase::Queued) && decision.moves.is_empty();
        if is_waiting && managed.blocked.is_none() {
            let (source, by) = (BlockedSource::Allowlist, Vec::new());
            decision.moves.push(Move::Blocked { on: Some(Blocked { source, by }) });
        }
    })
}

pub(super) fn slots_ignored(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    with_policy(w, t, now, p, |policy| {
        policy.max_workers += 3;
        policy.repos.values_mut().for_each(|rules| rules.slots += 3);
    })
}

pub(super) fn drain_ignored(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    with_policy(w, t, now, p, |policy| policy.draining = false)
}

/// Of several issues that change at once, decides only the first.
pub(super) fn forgets_dependents(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let mut touched = t.clone();
    let is_everything = !t.repos.is_empty();
    if !is_everything && let Some(first) = t.issues.iter().next_back() {
        touched.issues = [first.clone()].into();
    }
    decide(w, &touched, now, p)
}

pub(super) fn leaves_branches(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let mut plan = decide(w, t, now, p);
    let is_it = |effect: &Effect| matches!(effect, Effect::Repo(_, RepoAct::DeleteBranch { .. }));
    plan.decisions.iter_mut().for_each(|d| d.effects.retain(|effect| !is_it(effect)));
    plan
}

pub(super) fn forgets_to_sync(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let mut plan = decide(w, t, now, p);
    let is_sync = |effect: &Effect| matches!(effect, Effect::Repo(_, RepoAct::OpenSync { .. }));
    plan.decisions.iter_mut().for_each(|d| d.effects.retain(|effect| !is_sync(effect)));
    plan
}

pub(super) fn forgets_to_queue(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    with_policy(w, t, now, p, |policy| {
        policy.repos.values_mut().for_each(|rules| rules.auto_queue = AutoQueue::LabeledOnly);
    })
}
