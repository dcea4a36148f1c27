//! Work under way on this machine: one thread per attempt, each attempt at most once, ended on request, and a
//! stale owner refused.

use crate::switch::Switch;
use ralph_core::digest::Digest;
use ralph_core::fact::Outcome;
use ralph_core::ids::{Attempt, IssueKey};
use ralph_core::stall::Suspicion;
use ralph_engine::ports::{Answer, RefusalKind, Start};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What a piece of work leaves behind: how it ended, and texts to keep.
pub(crate) type Ending = (Outcome, Vec<(Digest, String)>);

/// News of work under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// It is over, as a fact that names the attempt, with the texts the fact names.
    Finished { issue: IssueKey, attempt: Attempt, outcome: Outcome, texts: Vec<(Digest, String)> },
    /// It may be about to stall, or gets on again.
    Suspected { issue: IssueKey, attempt: Attempt, suspicion: Option<Suspicion> },
    /// A line for whoever watches. Not every line comes.
    Output { issue: IssueKey, attempt: Attempt, line: String },
}

/// All work of this process.
#[derive(Debug)]
pub(crate) struct Jobs {
    reports: Sender<Report>,
    /// How long the end of a piece of work may take once it is asked for.
    patience: Duration,
    book: Mutex<Book>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Book {
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
}

/// What a piece of work needs to know about itself.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    pub(crate) issue: IssueKey,
    pub(crate) attempt: Attempt,
    switch: Arc<Switch>,
    reports: Sender<Report>,
}

impl Ticket {
    /// Flips when the work is to end.
    pub(crate) fn switch(&self) -> &Switch {
        &self.switch
    }

    /// Tells of a stall that may be about to happen, or that it is over.
    pub(crate) fn suspect(&self, suspicion: Option<Suspicion>) {
        let (issue, attempt) = (self.issue.clone(), self.attempt);
        drop(self.reports.send(Report::Suspected { issue, attempt, suspicion }));
    }

    /// Tells whoever watches. Nobody may.
    pub(crate) fn show(&self, line: String) {
        let (issue, attempt) = (self.issue.clone(), self.attempt);
        drop(self.reports.send(Report::Output { issue, attempt, line }));
    }
}

impl Jobs {
    pub(crate) fn new(reports: Sender<Report>, patience: Duration) -> Self {
        let (book, changed) = (Mutex::default(), Condvar::new());
        Self { reports, patience, book, changed }
    }

    /// Starts work on a thread of its own and returns at once. Asked twice for the same attempt, it starts
    /// once.
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
        let mut book = self.book();
        if start.token < book.token {
            return Answer::refused(RefusalKind::Other, "another process has taken over");
        }
        book.token = start.token;
        match book.latest.get(&issue) {
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
        let ticket = Ticket { issue, attempt, switch, reports: self.reports.clone() };
        let entry = Entry { attempt, switch: Some(ticket.switch.clone()) };
        let (jobs, issue) = (self.clone(), ticket.issue.clone());
        let name = format!("{issue} {attempt}");
        let thread = std::thread::Builder::new().name(name);
        if let Err(error) = thread.spawn(move || jobs.carry_out(&ticket, work)) {
            return later(error);
        }
        book.latest.insert(issue, entry);
        Answer::Happened(())
    }

    fn carry_out(&self, ticket: &Ticket, work: impl FnOnce(&Ticket) -> Ending) {
        let ending = catch_unwind(AssertUnwindSafe(|| work(ticket)));
        let (outcome, texts) = ending.unwrap_or_else(|_| {
            let reason = "Ralph itself failed at this; its log says where".to_owned();
            (Outcome::Failed { reason }, Vec::new())
        });
        let mut book = self.book();
        // Work that was asked to end reports nothing: its end is the answer to whoever asked.
        if !ticket.switch.is_flipped() {
            let (issue, attempt) = (ticket.issue.clone(), ticket.attempt);
            drop(self.reports.send(Report::Finished { issue, attempt, outcome, texts }));
        }
        if let Some(entry) = book.latest.get_mut(&ticket.issue) {
            entry.switch = None;
        }
        self.changed.notify_all();
    }

    /// Ends an attempt and returns once nothing of it is left.
    pub(crate) fn end(&self, issue: &IssueKey, attempt: Attempt) -> Answer<()> {
        let book = self.book();
        let running = |book: &mut Book| {
            let entry = book.latest.get(issue).filter(|entry| entry.attempt == attempt)?;
            entry.switch.clone()
        };
        let mut book = book;
        let Some(switch) = running(&mut book) else { return Answer::Happened(()) };
        switch.flip();
        let is_there = |book: &mut Book| running(book).is_some();
        let waited = self.changed.wait_timeout_while(book, self.patience, is_there);
        match waited.unwrap_or_else(PoisonError::into_inner).1.timed_out() {
            false => Answer::Happened(()),
            true => Answer::Unknown { why: "its processes do not end".to_owned() },
        }
    }

    /// Ends everything, for a shutdown in good order.
    pub(crate) fn end_all(&self) {
        let mut book = self.book();
        book.latest.values().filter_map(|entry| entry.switch.as_ref()).for_each(|it| it.flip());
        let is_any = |book: &mut Book| book.latest.values().any(|entry| entry.switch.is_some());
        book = self
            .changed
            .wait_timeout_while(book, self.patience, is_any)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
        drop(book);
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
