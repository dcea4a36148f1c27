//! Applies facts to the issues that Ralph opens itself.

use crate::fact::{Answer, Observation, Outcome};
use crate::ids::IssueKey;
use crate::issue::Issue;
use crate::repo::{DesiredEffect, FollowUpId, Occurrence, Repo};
use crate::run::Run;
use crate::time::Time;
use crate::triage::NextAction;
use std::sync::Arc;

/// Records a red check that was read and that the run has taken in.
pub(in crate::fold) fn see(
    now: Time,
    key: &IssueKey,
    observation: &Observation,
    issue: &Issue,
    repo: &mut Repo,
) {
    let Observation::RedCheck { head, triage, .. } = observation else { return };
    let Some(run) = issue.managed.as_ref().and_then(|managed| managed.run.as_ref()) else { return };
    let is_quarantined = run
        .red_check(head, &triage.signature.check)
        .is_some_and(|red| red.next == NextAction::Quarantine && red.triage == **triage);
    let id = FollowUpId::quarantine(triage);
    let (issue, pull, head) = (key.number, run.pull, head.clone());
    let occurrence = Occurrence { issue, pull, head, at: now };
    if is_quarantined && repo.follow_ups.is_new(&id, &occurrence) {
        Arc::make_mut(&mut repo.follow_ups).see(id, occurrence, triage);
    }
}

/// Records the proposals of a survey that has ended.
pub(in crate::fold) fn hear(
    now: Time,
    key: &IssueKey,
    outcome: &Outcome,
    run: Option<&Run>,
    repo: &mut Repo,
) {
    let Outcome::Turn { answer: Answer::Survey(proposals), .. } = outcome else { return };
    let Some((run, head)) = run.and_then(|run| Some((run, run.pushed.as_ref()?))) else { return };
    for proposal in proposals {
        let (issue, pull, head) = (key.number, run.pull, head.clone());
        let occurrence = Occurrence { issue, pull, head, at: now };
        let id = FollowUpId::papercut(proposal);
        if repo.follow_ups.is_new(&id, &occurrence) {
            Arc::make_mut(&mut repo.follow_ups).hear(id, occurrence, proposal);
        }
    }
}

pub(super) fn told(id: &FollowUpId, issue: u64, seen: u32, repo: &mut Repo) {
    repo.refusals.forget(&DesiredEffect::FollowUp(id.clone()));
    repo.refusals.forget(&DesiredEffect::FollowUpText(id.clone()));
    Arc::make_mut(&mut repo.follow_ups).tell(id, issue, seen);
}

pub(super) fn gone(id: &FollowUpId, repo: &mut Repo) {
    repo.refusals.forget(&DesiredEffect::FollowUpText(id.clone()));
    Arc::make_mut(&mut repo.follow_ups).lose(id);
}
