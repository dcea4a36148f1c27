//! An agent verifies whether anything is left of an issue whose sub-issues are resolved. Its verdict counts only with
//! evidence that Ralph has read; anything unclear is worked on or put to a person.

use super::{GRACE, Process, Step, StepSpec, turn};
use crate::bound::Bound;
use crate::decide::step::{escalate, last_failure, may_try};
use crate::decide::{Context, Next, comments};
use crate::escalation::Cause;
use crate::fact::{Move, RunMove};
use crate::ids::IssueKey;
use crate::issue::{DoneEvidence, Phase, Slot};
use crate::parent::{Child, Parent, ParentBrief, ParentState, Proof};
use crate::parent_verify::ParentVerify;
use crate::role::Role;
use crate::run::Run;
use crate::standing::Standing;
use crate::time::{Span, Time};
use crate::watch::{Pace, Resource, Watch};
use crate::words;

pub(super) static SPEC: StepSpec = StepSpec {
    name: "parent verification",
    is_usual: false,
    is_behind: |run, _| {
        let is_settled = run.parent.as_ref().is_none_or(Parent::is_settled);
        run.plan.is_some() || run.head.is_some() || is_settled
    },
    next,
    process: Some(Process {
        job: |cx, run| turn::job(cx, run, Step::ParentVerify),
        time_limit: |rules, _| turn::limit(rules, Role::ParentVerify),
        grace: GRACE,
        take: |run, finished| run.take_parent_verdict(finished.now, finished.outcome),
        role: Some(|_| Role::ParentVerify),
        gate: None,
        attempts: 3,
        is_tried_once: false,
    }),
};

fn next(cx: &Context<'_>, run: &Run) -> Next {
    let step = Step::ParentVerify;
    let waits = Next::Wait(Standing::WaitsForSlot { step });
    let Some(parent) = &run.parent else { return waits };
    match &parent.state {
        ParentState::Open if !may_try(cx, run, Bound::Step(step)) => {
            let said = last_failure(run);
            Next::Move(Move::Run(RunMove::ParentSeeded { said }))
        }
        ParentState::Open | ParentState::WorkRemains { .. } | ParentState::Seeded { .. } => waits,
        ParentState::Claimed { verdict, at } => read_proof(cx, verdict, *at),
        ParentState::Weak(verdict) => escalate(Cause::CloseOrClarify(words::parent_weak(verdict))),
        ParentState::Satisfied(_) => told(cx),
    }
}

/// The longest wait for the evidence of a verdict to be read: longer than a busy forge is busy.
const PROOF_UNREAD_MAX: Span = Span::from_mins(10);

/// Waits until the evidence of a verdict is read. Only addresses that Ralph gave the agent and reads itself count.
fn read_proof(cx: &Context<'_>, verdict: &ParentVerify, at: Time) -> Next {
    let until = at.plus(PROOF_UNREAD_MAX);
    let names_any = verdict.evidence.iter().any(|evidence| is_handed(cx, &evidence.url));
    if !names_any || cx.now >= until {
        return Next::Move(Move::Run(RunMove::ProofMissing));
    }
    let watch = Watch { resource: Resource::Proof(cx.key.clone()), pace: Pace::Soon };
    Next::Until(Standing::ReadsProof { until }, vec![watch], until)
}

fn is_handed(cx: &Context<'_>, url: &str) -> bool {
    let children = cx.run().and_then(|run| run.parent.as_ref()).map(|parent| &parent.children);
    let mut proofs = children.into_iter().flatten().flat_map(|key| proofs(cx, key));
    proofs.any(|proof| proof.is_at(&cx.policy.web, url))
}

fn proofs<'a>(cx: &Context<'a>, child: &'a IssueKey) -> impl Iterator<Item = Proof> + 'a {
    let issue = cx.world.issue(child);
    Proof::of_child(child, issue.and_then(|issue| issue.managed.as_deref()))
}

/// Finishes only once the comment with the reason is known to exist.
fn told(cx: &Context<'_>) -> Next {
    let Some((slot, body)) = comment(cx) else {
        return Next::Wait(Standing::TellsVerdict);
    };
    if let Some(comment) = comments::written(cx, &slot, &body) {
        return Next::Move(Move::Done { evidence: DoneEvidence::Verified { comment } });
    }
    if comments::is_given_up(cx, &slot) {
        return escalate(Cause::CloseOrClarify(words::VERDICT_UNWRITTEN.to_owned()));
    }
    Next::Wait(Standing::TellsVerdict)
}

/// The comment that says that nothing is left to do.
pub(crate) fn comment(cx: &Context<'_>) -> Option<(Slot, String)> {
    let is_here = cx.managed.phase == Phase::Running { step: Step::ParentVerify };
    let verdict = cx.run()?.satisfied().filter(|_| is_here && !cx.managed.is_paused)?;
    Some((Slot::Verify, words::parent_verified(cx.key, verdict)))
}

/// The sub-issues, for an agent that verifies or plans.
pub(super) fn brief(cx: &Context<'_>, run: &Run) -> Option<ParentBrief> {
    let parent = run.parent.as_ref()?;
    let children = parent.children.iter().map(|key| {
        let issue = cx.world.issue(key);
        let managed = issue.and_then(|issue| issue.managed.as_deref());
        let phase = managed.map(|managed| &managed.phase);
        let how = if matches!(phase, Some(Phase::Done { .. })) {
            "done"
        } else if matches!(phase, Some(Phase::InBot { .. })) {
            "in the bot branch"
        } else if issue.is_some_and(|issue| issue.satisfied) {
            "satisfied by command"
        } else {
            "closed"
        };
        let pull = managed.and_then(|managed| managed.run.as_ref()?.pull);
        let title = issue.map(|issue| issue.title().to_owned()).unwrap_or_default();
        let addresses = proofs(cx, key).map(|proof| proof.address(&cx.policy.web)).collect();
        Child { issue: key.clone(), title, how: how.to_owned(), pull, addresses }
    });
    Some(ParentBrief { children: children.collect(), said: parent.said().map(ToOwned::to_owned) })
}
