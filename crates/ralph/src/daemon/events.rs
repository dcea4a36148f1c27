//! The events that the daemon reports to its listener and to the log.

use super::LeftOut;
use crate::daemon_status::Degraded;
use ralph_core::fact::What;
use ralph_core::ids::IssueKey;
use ralph_core::words::journal_line;
use ralph_engine::Performed;
use ralph_engine::ports::{Refusal, RefusalKind};
use ralph_engine::store::JournalEntry;
use tracing::{info, warn};

/// An event for the listener of a daemon.
pub(crate) enum Event<'a> {
    /// The engine learned or decided something.
    Fact(&'a JournalEntry),
    /// A line that an agent, setup or gate has written.
    Output { issue: &'a IssueKey, line: &'a str },
    /// A repository is not worked in.
    LeftOut(&'a LeftOut),
    /// Something does not work as it should from now on.
    Degraded(&'a Degraded),
    /// It does again.
    Well(&'a Degraded),
    /// Something about the daemon itself.
    Note(&'a str),
}

pub(crate) type EventListener = Box<dyn FnMut(Event<'_>) + Send>;

pub(super) struct Events(pub(super) EventListener);

impl Events {
    pub(super) fn emit(&mut self, event: Event<'_>) {
        log(&event);
        (self.0)(event);
    }
}

fn log(event: &Event<'_>) {
    match event {
        Event::Fact(entry) => {
            let (seq, subject, kind) = (entry.seq, &entry.fact.subject, kind(&entry.fact.what));
            let says = journal_line(&entry.fact);
            if matches!(entry.fact.what, What::Suspected { suspicion: Some(_), .. }) {
                warn!(seq, %subject, kind, says, "fact");
            } else {
                info!(seq, %subject, kind, says, "fact");
            }
        }
        // It is in the folder of its run.
        Event::Output { .. } => {}
        Event::LeftOut(LeftOut { repo, why }) => warn!(subject = %repo, why, "left out"),
        Event::Degraded(Degraded { what, why, until, .. }) => {
            let until = until.map(|until| until.to_string());
            warn!(subject = what, why, until, "degraded");
        }
        Event::Well(Degraded { what, .. }) => info!(subject = what, "well again"),
        Event::Note(note) => info!("{note}"),
    }
}

const fn kind(what: &What) -> &'static str {
    match what {
        What::Seen(_) | What::RepoSeen(_) => "seen",
        What::Finished { .. } => "finished",
        What::Used { .. } => "used",
        What::Suspected { .. } => "suspected",
        What::Interrupted { .. } => "interrupted",
        What::Settled(_) => "settled",
        What::Moved(_) => "moved",
    }
}

/// An effect that did not take place; those that did are facts.
pub(super) fn log_performed(key: &str, performed: &Performed) {
    match performed {
        Performed::Happened(_)
        | Performed::Refused(Refusal { kind: RefusalKind::NeverHappened, .. }) => {}
        Performed::Refused(Refusal { message, .. }) => {
            warn!(effect = key, why = message, "refused");
        }
        Performed::Later { until, why } => {
            let until = until.map(|until| until.to_string());
            warn!(effect = key, why, until, "put off");
        }
        Performed::Unknown { why } => warn!(effect = key, why, "no answer"),
    }
}
