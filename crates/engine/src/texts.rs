//! Texts that facts refer to by digest: which ones to keep, which are missing, and how they become a prompt.

use crate::engine::EngineError;
use crate::store::{Store, StoreError};
use ralph_core::digest::Digest;
use ralph_core::effect::{Effect, MachineAct};
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::IssueKey;
use ralph_core::job::Job;
use ralph_core::label::is_managed;
use ralph_core::policy::{AutoQueue, Policy};
use ralph_core::words;
use ralph_core::world::World;
use std::collections::BTreeSet;

/// Returns the texts to keep: notes, and the bodies of issues that are managed or may soon be.
pub(crate) fn worth_keeping(
    world: &World,
    policy: &Policy,
    facts: &[Fact],
    texts: Vec<(Digest, String)>,
) -> Vec<(Digest, String)> {
    let mut kept = BTreeSet::new();
    for fact in facts {
        match (&fact.what, fact.subject.issue()) {
            (
                What::Seen(Observation::Issue(seen) | Observation::IssueInPart { seen, .. }),
                Some(key),
            ) => {
                let rules = policy.repo(&key.repo);
                let is_wanted = rules.is_some_and(|it| it.auto_queue == AutoQueue::AllOpen);
                let is_known = world.issue(key).is_some_and(|issue| issue.managed.is_some());
                let mut labels = seen.labels.iter();
                if is_wanted || is_known || labels.any(|label| is_managed(label)) {
                    kept.insert(seen.body);
                }
            }
            (What::Seen(Observation::Notes { notes, .. }), _) => {
                kept.extend(notes.iter().map(|note| note.text));
            }
            (
                What::Seen(_)
                | What::RepoSeen(_)
                | What::Finished { .. }
                | What::Suspected { .. }
                | What::Interrupted { .. }
                | What::Settled(_)
                | What::Moved(_),
                _,
            ) => {}
        }
    }
    texts.into_iter().filter(|(digest, _)| kept.contains(digest)).collect()
}

/// The issue whose text an agent's turn needs and the store lacks: it was read before Ralph managed the issue.
pub(crate) fn missing(store: &Store, effect: &Effect) -> Result<Option<IssueKey>, StoreError> {
    let Effect::Machine(key, MachineAct::Start { job: Job::Turn(turn), .. }) = effect else {
        return Ok(None);
    };
    Ok(store.blob(turn.body)?.is_none().then(|| key.clone()))
}

/// True if the store lacks one of these texts.
pub(crate) fn are_new(store: &Store, texts: &[(Digest, String)]) -> Result<bool, StoreError> {
    for (digest, _) in texts {
        if store.blob(*digest)?.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The prompt of an agent's turn, or the plan for the integrity check of a change; empty for everything else.
pub(crate) fn prompt_of(store: &Store, effect: &Effect) -> Result<String, EngineError> {
    let text = |digest: Digest| store.blob(digest);
    let Effect::Machine(_, MachineAct::Start { job, .. }) = effect else {
        return Ok(String::new());
    };
    let turn = match job {
        Job::Turn(turn) => turn,
        Job::Integrity { plan, .. } => {
            return Ok(plan.map(text).transpose()?.flatten().unwrap_or_default());
        }
        Job::Workspace { .. } | Job::Setup { .. } | Job::Preflight { .. } => {
            return Ok(String::new());
        }
    };
    let body = text(turn.body)?.unwrap_or_default();
    let plan = turn.plan.map(text).transpose()?.flatten();
    let earlier = turn.earlier.map(text).transpose()?.flatten();
    let (plan, earlier) = (plan.as_deref(), earlier.as_deref());
    let mut notes = Vec::new();
    for note in &turn.notes {
        notes.extend(text(note.text)?.map(|text| (note.author.clone(), text)));
    }
    let mut findings = Vec::new();
    for found in &turn.findings {
        findings.extend(text(found.text)?.map(|text| (found.gate, text)));
    }
    let (notes, findings) = (&notes, &findings);
    let texts = words::Texts { body: &body, plan, earlier, notes, findings };
    Ok(words::prompt(turn, &texts)?)
}
