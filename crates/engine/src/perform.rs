//! Carrying out one effect, outside any transaction. At most one change; when an earlier try may have left
//! something, the look-up comes first. Nothing here chooses.

mod follow_up;
mod issue;
mod look;
mod machine;
mod mark;
mod repository;
mod trial;

use crate::engine::Claimed;
use crate::ports::{Answer, Ports, RefusalKind};
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::fact::{Fact, RepoSettled, RunSettled, Settled, What};
use ralph_core::time::Time;

/// What is known after performing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Performed {
    Happened(Vec<Fact>),
    Refused(String),
    /// Looked up only, and it never took place.
    Absent,
    Later {
        until: Option<Time>,
        why: String,
    },
    Unknown {
        why: String,
    },
}

/// Performs a claimed effect.
pub fn perform(claimed: &Claimed, now: Time, ports: &mut Ports<'_>) -> Performed {
    if now >= claimed.valid_until {
        return Performed::Later {
            until: None,
            why: "the lease ran out before sending".to_owned(),
        };
    }
    let found = if claimed.looks_first || claimed.only_looks {
        match look::look(claimed, now, ports) {
            Ok(found) => found,
            // It is as unknown as without an answer, and holds up nothing but itself.
            Err(unread) if unread.is_refused => return Performed::Unknown { why: unread.why },
            Err(unread) => return Performed::Later { until: unread.until, why: unread.why },
        }
    } else {
        None
    };
    match found {
        Some(what) => happened(claimed, what),
        None if claimed.only_looks => Performed::Absent,
        None => act(claimed, now, ports),
    }
}

fn happened(claimed: &Claimed, what: What) -> Performed {
    Performed::Happened(vec![Fact { subject: claimed.effect.subject(), what }])
}

fn settled(settled: Settled) -> What {
    What::Settled(settled)
}

fn run(settled: RunSettled) -> What {
    What::Settled(Settled::Run(settled))
}

fn repo(settled: RepoSettled) -> What {
    What::Settled(Settled::Repo(settled))
}

/// Turns an answer of the forge into what is known.
fn known<T>(claimed: &Claimed, answer: Answer<T>, what: impl FnOnce(T) -> What) -> Performed {
    match answer {
        Answer::Happened(value) => happened(claimed, what(value)),
        Answer::Refused(refusal) => Performed::Refused(refusal.message),
        Answer::Later { until, why } => Performed::Later { until, why },
        Answer::Unknown { why } => Performed::Unknown { why },
    }
}

/// What was to be gone and is not there, or was to be made and is there, counts as done.
fn forgiving(answer: Answer<()>, kind: RefusalKind) -> Answer<()> {
    match answer {
        Answer::Refused(refusal) if refusal.kind == kind => Answer::Happened(()),
        Answer::Happened(())
        | Answer::Refused(_)
        | Answer::Later { .. }
        | Answer::Unknown { .. } => answer,
    }
}

fn act(claimed: &Claimed, now: Time, ports: &mut Ports<'_>) -> Performed {
    match &claimed.effect {
        Effect::Issue(key, act) => issue::act(claimed, key, act, ports),
        Effect::Repo(name, RepoAct::WriteMark { mark, over, like }) => {
            mark::write(claimed, (name, like), (mark, over.as_deref()), now, ports)
        }
        Effect::Repo(name, act) => repository::act(claimed, name, act, ports),
        Effect::Machine(key, act) => machine::act(claimed, key, act, ports),
    }
}

fn is_missing<T>(answer: &Answer<T>) -> bool {
    matches!(answer, Answer::Refused(refusal) if refusal.kind == RefusalKind::Missing)
}

fn is_exists<T>(answer: &Answer<T>) -> bool {
    matches!(answer, Answer::Refused(refusal) if refusal.kind == RefusalKind::Exists)
}
