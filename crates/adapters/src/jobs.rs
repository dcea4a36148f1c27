//! Work under way on this machine: one thread per attempt, each attempt at most once, ended on request, and a
//! stale owner refused.

use crate::listener::{Listener, OVER};
use ralph_contain::Switch;
use ralph_core::digest::Digest;
use ralph_core::fact::Outcome;
use ralph_core::ids::{Attempt, IssueKey};
use ralph_core::messages::MessageId;
use ralph_core::stall::Suspicion;
use ralph_core::turn_end::TurnUse;
use ralph_engine::ports::{Answer, RefusalKind, Start};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The result of a piece of work: its outcome, and texts to keep.
pub(crate) type Ending = (Outcome, Vec<(Digest, String)>);

/// News of work under way.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one for each piece of work, and taken apart at once"
)]
pub enum Report {
    /// It is over, as a fact that names the attempt, with the texts the fact names.
    Finished {
        issue: IssueKey,
        attempt: Attempt,
        outcome: Outcome,
        texts: Vec<(Digest, String)>,
        /// The messages that its program was given while it worked.
        heard: Vec<MessageId>,
    },
    /// What a turn has used and seen of its account's limits; its end follows, unless it was asked to end.
    Used { issue: IssueKey, attempt: Attempt, used: TurnUse },
    /// It may be about to stall, or gets on again.
    Suspected { issue: IssueKey, attempt: Attempt, suspicion: Option<Suspicion> },
    /// A line for a person who watches. Some lines are left out.
    Output { issue: IssueKey, attempt: Attempt, line: String },
}

/// All work of this process.
#[derive(Debug)]
pub(crate) struct Jobs {
    reports: Sender<Report>,
    /// The time that a piece of work has to end once it is asked to.
    patience: Duration,
    registry: Mutex<Registry>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Registry {
    /// The highest fencing token seen.
    token: u64,
    latest: BTreeMap<IssueKey, Entry>,
}

/// The latest attempt of an issue.
#[derive(Debug)]
struct Entry {
    attempt: Attempt,
    /// `None` once it is over.
    switch: Option<Arc<Switch>>,
    listener: Listener,
}

/// The identity of a piece of work, and its connections.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    pub(crate) issue: IssueKey,
    pub(crate) attempt: Attempt,
    switch: Arc<Switch>,
    pub(crate) listener: Listener,
    reports: Sender<Report>,
}

impl Ticket {
    /// Flips when the work is to end.
    pub(crate) fn switch(&self) -> &Switch {
        &self.switch
    }

    /// Reports a stall that may be about to happen, or that it is over.
    pub(crate) fn suspect(&self, suspicion: Option<Suspicion>) {
        let (issue, attempt) = (self.issue.clone(), self.attempt);
        drop(self.reports.send(Report::Suspected { issue, attempt, suspicion }));
    }

    /// Reports what the turn has used, which counts however it ends.
    pub(crate) fn tell_use(&self, used: TurnUse) {
        let (issue, attempt) = (self.issue.clone(), self.attempt);
        drop(self.reports.send(Report::Used { issue, attempt, used }));
    }

    /// Shows a line to a person who watches, if there is one.
    pub(crate) fn show(&self, line: String) {
        let (issue, attempt) = (self.issue.clone(), self.attempt);
        drop(self.reports.send(Report::Output { issue, attempt, line }));
    }
}

impl Jobs {
    pub(crate) fn new(reports: Sender<Report>, patience: Duration) -> Self {
        let (registry, changed) = (Mutex::default(), Condvar::new());
        Self { reports, patience, registry, changed }
    }

    /// Starts work on a new thread and returns at once. Asked twice for the same attempt, it starts once.
    pub(crate) fn start(
        self: &Arc<Self>,
        start: &Start<'_>,
        work: impl FnOnce(&Ticket) -> Ending + Send + 'static,
    ) -> Answer<()> {
        let later = |why: std::io::Error| Answer::Later { until: None, why: why.to_string() };
        let (issue, attempt) = (start.issue.clone(), start.attempt);
        let switch = match Switch::new() {
            Ok(switch) => Arc::new(switch),
            Err(error) => return later(error),
        };
        let mut registry = self.registry();
        if start.token < registry.token {
            return Answer::refused(RefusalKind::Other, "another process has taken over");
        }
        registry.token = start.token;
        match registry.latest.get(&issue) {
            Some(entry) if entry.attempt == attempt => return Answer::Happened(()),
            Some(entry) if entry.attempt > attempt => {
                return Answer::refused(RefusalKind::Other, "a later attempt has begun");
            }
            Some(entry) if entry.switch.is_some() => {
                let why = "the attempt before this one is still ending".to_owned();
                return Answer::Later { until: None, why };
            }
            Some(_) | None => {}
        }
        let (reports, listener) = (self.reports.clone(), Listener::default());
        let ticket = Ticket { issue, attempt, switch, listener, reports };
        let (switch, listener) = (Some(ticket.switch.clone()), ticket.listener.clone());
        let entry = Entry { attempt, switch, listener };
        let (jobs, issue) = (self.clone(), ticket.issue.clone());
        let name = format!("{issue} {attempt}");
        let thread = std::thread::Builder::new().name(name);
        if let Err(error) = thread.spawn(move || jobs.carry_out(&ticket, work)) {
            return later(error);
        }
        registry.latest.insert(issue, entry);
        Answer::Happened(())
    }

    fn carry_out(&self, ticket: &Ticket, work: impl FnOnce(&Ticket) -> Ending) {
        let ending = catch_unwind(AssertUnwindSafe(|| work(ticket)));
        let (outcome, texts) = ending.unwrap_or_else(|_| {
            let reason = "Ralph itself failed at this; its log says where".to_owned();
            (Outcome::Failed { reason }, Vec::new())
        });
        let heard = ticket.listener.end();
        let mut registry = self.registry();
        // Work that was asked to end reports nothing: its end is the answer to that request.
        if !ticket.switch.is_flipped() {
            let (issue, attempt) = (ticket.issue.clone(), ticket.attempt);
            drop(self.reports.send(Report::Finished { issue, attempt, outcome, texts, heard }));
        }
        if let Some(entry) = registry.latest.get_mut(&ticket.issue) {
            entry.switch = None;
        }
        self.changed.notify_all();
    }

    /// Gives a message to the program of an attempt.
    pub(crate) fn tell(
        &self,
        (issue, attempt): (&IssueKey, Attempt),
        message: MessageId,
        words: &str,
    ) -> Answer<()> {
        let registry = self.registry();
        let entry = registry.latest.get(issue).filter(|entry| entry.attempt == attempt);
        let listener = entry.map(|entry| entry.listener.clone());
        drop(registry);
        listener.map_or_else(
            || Answer::refused(RefusalKind::Missing, OVER),
            |listener| listener.tell(message, words),
        )
    }

    /// Ends an attempt and returns once nothing of it is left.
    pub(crate) fn end(&self, issue: &IssueKey, attempt: Attempt) -> Answer<()> {
        let registry = self.registry();
        let running = |registry: &mut Registry| {
            let entry = registry.latest.get(issue).filter(|entry| entry.attempt == attempt)?;
            entry.switch.clone()
        };
        let mut registry = registry;
        let Some(switch) = running(&mut registry) else { return Answer::Happened(()) };
        switch.flip();
        let is_there = |registry: &mut Registry| running(registry).is_some();
        let waited = self.changed.wait_timeout_while(registry, self.patience, is_there);
        match waited.unwrap_or_else(PoisonError::into_inner).1.timed_out() {
            false => Answer::Happened(()),
            true => Answer::Unknown { why: "its processes do not end".to_owned() },
        }
    }

    /// Ends everything, for a shutdown in good order.
    pub(crate) fn end_all(&self) {
        let mut registry = self.registry();
        registry.latest.values().filter_map(|entry| entry.switch.as_ref()).for_each(|it| it.flip());
        let is_any =
            |registry: &mut Registry| registry.latest.values().any(|entry| entry.switch.is_some());
        registry = self
            .changed
            .wait_timeout_while(registry, self.patience, is_any)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
        drop(registry);
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
