//! Performs one effect, outside any transaction: at most one change, after a look-up if an earlier try may have left
//! something. Nothing is decided here.

mod follow_up;
mod issue;
mod look;
mod machine;
mod mark;
mod repository;
mod trial;

use crate::engine::Leased;
use crate::ports::{Answer, Ports, RefusalKind};
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::fact::{Fact, RepoSettled, RunSettled, Settled, What};
use ralph_core::time::Time;

/// The result of performing an effect: the facts that it led to.
pub type Performed = Answer<Vec<Fact>>;

/// Performs a leased effect.
pub fn perform(leased: &Leased, now: Time, ports: &mut Ports<'_>) -> Performed {
    if now >= leased.valid_until {
        return Performed::Later {
            until: None,
            why: "the lease ran out before sending".to_owned(),
        };
    }
    let found = match leased.looks_first || leased.only_looks {
        true => match look_first(leased, now, ports) {
            Ok(found) => found,
            Err(unknown) => return unknown,
        },
        false => None,
    };
    match found {
        Some(what) => happened(leased, what),
        None if leased.only_looks => {
            Answer::refused(RefusalKind::NeverHappened, "looked up, and it never happened")
        }
        None => act(leased, now, ports),
    }
}

/// Looks for the result of an earlier try. A look-up that is refused or incomplete proves as little as no answer, and
/// holds up only this effect.
fn look_first(
    leased: &Leased,
    now: Time,
    ports: &mut Ports<'_>,
) -> Result<Option<What>, Performed> {
    drop(ports.forge.skipped());
    let found = look::look(leased, now, ports).map_err(|unread| match unread.is_refused {
        true => Performed::Unknown { why: unread.why },
        false => Performed::Later { until: unread.until, why: unread.why },
    })?;
    match ports.forge.skipped().into_iter().next() {
        Some(left_out) if found.is_none() => Err(Performed::Unknown { why: left_out.why }),
        Some(_) | None => Ok(found),
    }
}

fn happened(leased: &Leased, what: What) -> Performed {
    Performed::Happened(vec![Fact { subject: leased.effect.subject(), what }])
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

/// Turns an answer of the forge into a result.
fn known<T>(leased: &Leased, answer: Answer<T>, what: impl FnOnce(T) -> What) -> Performed {
    answer.map(|value| vec![Fact { subject: leased.effect.subject(), what: what(value) }])
}

/// Counts deleting a missing thing, or making an existing one, as done.
fn forgiving(answer: Answer<()>, kind: RefusalKind) -> Answer<()> {
    match answer {
        Answer::Refused(refusal) if refusal.kind == kind => Answer::Happened(()),
        Answer::Happened(())
        | Answer::Refused(_)
        | Answer::Later { .. }
        | Answer::Unknown { .. } => answer,
    }
}

fn act(leased: &Leased, now: Time, ports: &mut Ports<'_>) -> Performed {
    match &leased.effect {
        Effect::Issue(key, act) => issue::act(leased, key, act, ports),
        Effect::Repo(name, RepoAct::WriteMark { mark, over, like }) => {
            mark::write(leased, (name, like), (mark, over.as_deref()), now, ports)
        }
        Effect::Repo(name, act) => repository::act(leased, name, act, ports),
        Effect::Machine(key, act) => machine::act(leased, key, act, ports),
    }
}

fn is_missing<T>(answer: &Answer<T>) -> bool {
    matches!(answer, Answer::Refused(refusal) if refusal.kind == RefusalKind::Missing)
}

fn is_exists<T>(answer: &Answer<T>) -> bool {
    matches!(answer, Answer::Refused(refusal) if refusal.kind == RefusalKind::Exists)
}
