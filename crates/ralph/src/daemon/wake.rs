//! Everything that can wake the daemon, as one closed list.

use super::{Looked, Swept};
use ralph_adapters::jobs::Report;
use ralph_core::ids::{Login, RepoName};
use ralph_engine::{Hint, Performed, Reading};
use std::io;
use std::sync::mpsc::Sender;
use tokio::sync::oneshot;

#[derive(Debug)]
pub(crate) enum Wake {
    /// A webhook came in.
    Hints(Vec<Hint>),
    /// The forge answered a question.
    Answered(Box<Reading>),
    /// An effect was carried out, or was not.
    Performed { id: i64, performed: Box<Performed> },
    /// News of an agent, setup or gate.
    Work(Box<Report>),
    /// The result of a look whether anything can be done in a repository.
    Looked { repo: RepoName, found: Looked },
    /// The forge said who we are, or did not answer.
    Identified(Option<Login>),
    /// Old things were removed.
    Swept(io::Result<Swept>),
    /// The operator wants the settings to be read again.
    Reload,
    /// A request for the page of numbers.
    Measure(oneshot::Sender<String>),
    /// A command on this machine left an entry in the inbox.
    Notified,
    /// The daemon has to end, by a signal or by its starter.
    Stop,
}

/// A handle that can wake the daemon.
pub(crate) type Waker = Sender<Wake>;
