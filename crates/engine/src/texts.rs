//! Texts that facts refer to by digest: which ones to keep, which are missing, and how they become a prompt.

use crate::engine::EngineError;
use crate::store::{Store, StoreError};
use ralph_core::digest::Digest;
use ralph_core::effect::{Effect, IssueAct, MachineAct};
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::IssueKey;
use ralph_core::job::{Job, Turn};
use ralph_core::label::is_managed;
use ralph_core::policy::{AutoQueue, Policy};
use ralph_core::pull::Required;
use ralph_core::words::{self, Prompt};
use ralph_core::world::World;
use std::collections::BTreeSet;

/// Returns the texts to keep: notes, messages, and the bodies of issues that are managed or may soon be.
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
            (What::Seen(Observation::Message(message)), _) => {
                kept.insert(message.text);
            }
            (
                What::Seen(_)
                | What::RepoSeen(_)
                | What::Finished { .. }
                | What::Used { .. }
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

/// The text that goes with an effect: the prompt of an agent's turn, the plan for the integrity check of a change, the
/// agents' words for a pull request; empty for everything else.
pub(crate) fn text_of(
    store: &Store,
    known: (&World, &Policy),
    effect: &Effect,
) -> Result<Prompt, EngineError> {
    let text = |digest: Option<Digest>| digest.map(|digest| store.blob(digest)).transpose();
    let alone = |text| Prompt { text, remarks: Vec::new() };
    match effect {
        Effect::Machine(key, MachineAct::Start { job: Job::Turn(turn), .. }) => {
            prompt_of(&|digest| store.blob(digest), known, key, turn)
        }
        Effect::Machine(_, MachineAct::Start { job: Job::Integrity { plan, .. }, .. }) => {
            Ok(alone(text(*plan)?.flatten().unwrap_or_default()))
        }
        Effect::Machine(_, MachineAct::Tell { from, text: digest, .. }) => {
            let said = text(Some(*digest))?.flatten().unwrap_or_default();
            Ok(alone(words::message(from, &said)))
        }
        Effect::Issue(_, IssueAct::OpenPull { plan, summary, .. }) => {
            let (plan, summary) = (text(*plan)?.flatten(), text(*summary)?.flatten());
            Ok(alone(words::pull_words(plan.as_deref(), summary.as_deref())))
        }
        Effect::Machine(..) | Effect::Issue(..) | Effect::Repo(..) => Ok(Prompt::default()),
    }
}

/// The prompt of a turn, from the texts that are kept and the settings in force.
pub(crate) fn prompt_of(
    text: &dyn Fn(Digest) -> Result<Option<String>, StoreError>,
    (world, policy): (&World, &Policy),
    key: &IssueKey,
    turn: &Turn,
) -> Result<Prompt, EngineError> {
    let body = text(turn.body)?.unwrap_or_default();
    let plan = turn.plan.map(text).transpose()?.flatten();
    let earlier = turn.earlier.map(text).transpose()?.flatten();
    let (plan, earlier) = (plan.as_deref(), earlier.as_deref());
    let mut notes = Vec::new();
    for note in &turn.notes {
        notes.extend(text(note.text)?.map(|text| (note.author.clone(), text)));
    }
    let mut messages = Vec::new();
    for message in &turn.messages {
        messages.extend(text(message.text)?.map(|text| (message.from.clone(), text)));
    }
    let mut findings = Vec::new();
    for found in &turn.findings {
        findings.extend(text(found.text)?.map(|text| (found.gate, text)));
    }
    let mut guidance = Vec::new();
    for (path, digest) in turn.guidance.files() {
        guidance.extend(text(digest)?.map(|text| (path.to_owned(), text)));
    }
    let (notes, messages, findings, guidance) = (&notes, &messages, &findings, &guidance);
    let rules = policy.repo(&key.repo);
    let protected = match world.repo(&key.repo).map(|repo| &repo.required) {
        Some(Required::Names(names)) => names.as_slice(),
        Some(Required::Unknown | Required::Nothing) | None => &[],
    };
    let key = Some(key);
    let texts = words::Texts {
        key,
        body: &body,
        plan,
        earlier,
        notes,
        messages,
        findings,
        guidance,
        rules,
        protected,
    };
    Ok(words::prompt(turn, &texts)?)
}
