//! Decisions about trials with a bug in them.

use ralph_core::decide::{Decision, Plan, decide};
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::fact::{Move, RunMove, Subject, TrialMove};
use ralph_core::gate::{Gate, GateStatus};
use ralph_core::ids::IssueKey;
use ralph_core::merge_queue::{Trial, TrialEnd, TrialStage, is_trial_branch};
use ralph_core::policy::Policy;
use ralph_core::time::Time;
use ralph_core::world::{Touched, World};

/// The real decision about a world whose trials are not the real ones.
fn mistaken(
    world: &World,
    touched: &Touched,
    now: Time,
    policy: &Policy,
    twist: impl Fn(&mut Trial),
) -> Plan {
    let mut other = World::default();
    for (name, repo) in world.repos() {
        let mut repo = repo.clone();
        repo.merge_queue.trial.iter_mut().for_each(&twist);
        other.load_repo(name.clone(), repo);
    }
    for (key, issue) in world.issues() {
        other.load_issue(key.clone(), issue.clone());
    }
    decide(&other, touched, now, policy)
}

pub(super) fn merges_untried(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    mistaken(w, t, now, p, |trial| {
        if let TrialStage::Open(pull) = &trial.stage {
            trial.stage = TrialStage::Green { at: pull.opened, pull: pull.clone() };
        }
    })
}

pub(super) fn merges_after_mismatch(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    mistaken(w, t, now, p, |trial| {
        for (merged, tried) in trial.merged.iter_mut().zip(&trial.trees) {
            merged.tree = Some(tried.clone());
        }
    })
}

/// Blames every member of a red trial.
pub(super) fn blames_the_trial(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let mut plan = decide(w, t, now, p);
    let is_red =
        |step: &Move| matches!(step, Move::Trial(TrialMove::Ended(TrialEnd::ChecksFailed(_))));
    let red = plan.decisions.iter().filter(|decision| decision.moves.iter().any(is_red));
    let red: Vec<_> = red.map(|decision| decision.subject.repo().clone()).collect();
    for name in red {
        let trial = w.repo(&name).and_then(|repo| repo.merge_queue.trial.as_ref());
        for entry in trial.into_iter().flat_map(|trial| &trial.entries) {
            let key = IssueKey::new(name.clone(), entry.issue);
            let run = w.issue(&key).and_then(|issue| issue.managed.as_ref()?.run.as_ref());
            let Some(run) = run else { continue };
            let record = run.judged(Gate::Ci, GateStatus::Fail, "build", now).into();
            let judged = Move::Run(RunMove::Judged { gate: Gate::Ci, record });
            plan.decisions.retain(|decision| decision.subject.issue() != Some(&key));
            let (subject, moves) = (Subject::Issue(key), vec![judged]);
            let (effects, watch) = (Vec::new(), Vec::new());
            let (standing, again) = (None, None);
            plan.decisions.push(Decision { subject, moves, effects, standing, watch, again });
        }
    }
    plan
}

pub(super) fn leaves_trials(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let mut plan = decide(w, t, now, p);
    let is_it = |effect: &Effect| match effect {
        Effect::Repo(_, RepoAct::DeleteBranch { branch }) => is_trial_branch(branch),
        Effect::Repo(..) | Effect::Issue(..) | Effect::Machine(..) => false,
    };
    plan.decisions.iter_mut().for_each(|d| d.effects.retain(|effect| !is_it(effect)));
    plan
}
