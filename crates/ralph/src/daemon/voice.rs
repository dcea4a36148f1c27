//! What the daemon tells, and to whom: whoever watches, and the log.

use super::LeftOut;
use crate::daemon_status::Degraded;
use ralph_core::fact::What;
use ralph_core::ids::IssueKey;
use ralph_core::words::journal_line;
use ralph_engine::Performed;
use ralph_engine::store::JournalEntry;
use tracing::{info, warn};

/// What the daemon tells whoever watches.
pub(crate) enum Told<'a> {
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

pub(crate) type Audience = Box<dyn FnMut(Told<'_>) + Send>;

pub(super) struct Voice(pub(super) Audience);

impl Voice {
    pub(super) fn say(&mut self, told: Told<'_>) {
        log(&told);
        (self.0)(told);
    }
}

fn log(told: &Told<'_>) {
    match told {
        Told::Fact(entry) => {
            let (seq, subject, kind) = (entry.seq, &entry.fact.subject, kind(&entry.fact.what));
            let says = journal_line(&entry.fact);
            if matches!(entry.fact.what, What::Suspected { suspicion: Some(_), .. }) {
                warn!(seq, %subject, kind, says, "fact");
            } else {
                info!(seq, %subject, kind, says, "fact");
            }
        }
        // It is in the folder of its run.
        Told::Output { .. } => {}
        Told::LeftOut(LeftOut { repo, why }) => warn!(subject = %repo, why, "left out"),
        Told::Degraded(Degraded { what, why, until, .. }) => {
            let until = until.map(|until| until.to_string());
            warn!(subject = what, why, until, "degraded");
        }
        Told::Well(Degraded { what, .. }) => info!(subject = what, "well again"),
        Told::Note(note) => info!("{note}"),
    }
}

const fn kind(what: &What) -> &'static str {
    match what {
        What::Seen(_) | What::RepoSeen(_) => "seen",
        What::Finished { .. } => "finished",
        What::Suspected { .. } => "suspected",
        What::Interrupted { .. } => "interrupted",
        What::Settled(_) => "settled",
        What::Moved(_) => "moved",
    }
}

/// An effect that did not take place; those that did are facts.
pub(super) fn log_performed(key: &str, performed: &Performed) {
    match performed {
        Performed::Happened(_) | Performed::Absent => {}
        Performed::Refused(why) => warn!(effect = key, why, "refused"),
        Performed::Later { until, why } => {
            let until = until.map(|until| until.to_string());
            warn!(effect = key, why, until, "put off");
        }
        Performed::Unknown { why } => warn!(effect = key, why, "no answer"),
    }
}
