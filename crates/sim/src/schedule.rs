//! The events to come, in order. Two events at the same moment happen in the order in which they were planned.

use crate::faults::Fault;
use crate::people::operator::Operation;
use ralph_core::command::{Command, Manner};
use ralph_core::digest::Digest;
use ralph_core::fact::Fact;
use ralph_core::ids::{Attempt, IssueKey, RepoName};
use ralph_core::messages::MessageId;
use ralph_core::time::{Span, Time};
use ralph_engine::{Hint, Leased, Performed, Question, Reading};
use std::collections::BTreeMap;

/// One event to come. `process` numbers Ralph's processes: events of a dead one are dropped.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    Ask {
        process: u32,
        question: Box<Question>,
    },
    Deliver {
        process: u32,
        reading: Box<Reading>,
        /// The number of label changes by others so far; `None` for a reading from a lagging replica.
        as_of: Option<u64>,
        /// A read that was refused on the way.
        refused: Option<String>,
    },
    Perform {
        process: u32,
        leased: Box<Leased>,
    },
    Settle {
        process: u32,
        id: i64,
        key: String,
        performed: Box<Performed>,
    },
    /// A process comes to its end.
    WorkEnds {
        issue: IssueKey,
        attempt: Attempt,
    },
    /// The news of it reaches Ralph.
    WorkNews {
        process: u32,
        fact: Box<Fact>,
        texts: Vec<(Digest, String)>,
        /// The messages that its program was given while it worked.
        heard: Vec<MessageId>,
    },
    Hook {
        hints: Vec<Hint>,
    },
    Check {
        repo: RepoName,
        sha: String,
        name: String,
    },
    /// Checks that were held back run.
    ChecksRun,
    Person,
    /// People come for one thing.
    Visit(Fault),
    /// A person takes a command back.
    TakesBack {
        issue: IssueKey,
        command: Command,
    },
    /// A person rewrites a comment.
    Rewords {
        issue: IssueKey,
        comment: u64,
    },
    /// A command on the command line.
    Types {
        issue: IssueKey,
        command: Command,
        manner: Manner,
    },
    /// A message to the agents of an issue, on the command line.
    Tells {
        issue: IssueKey,
        text: String,
    },
    Operator(Operation),
    /// The forge does what it does behind its answers.
    Background,
    Crash,
    ZombieWakes,
    ClockJumps,
    SecondRalph,
    FaultsEnd,
}

#[derive(Debug, Default)]
pub(crate) struct Schedule {
    events: BTreeMap<(Time, u64), Event>,
    planned: u64,
}

impl Schedule {
    pub(crate) fn at(&mut self, time: Time, event: Event) {
        self.planned += 1;
        self.events.insert((time, self.planned), event);
    }

    pub(crate) fn after(&mut self, now: Time, millis: u64, event: Event) {
        let span = Span(i64::try_from(millis).unwrap_or(i64::MAX));
        self.at(now.plus(span), event);
    }

    #[must_use]
    pub(crate) fn next_time(&self) -> Option<Time> {
        self.events.keys().next().map(|(time, _)| *time)
    }

    pub(crate) fn pop_due(&mut self, now: Time) -> Option<Event> {
        let entry = self.events.first_entry().filter(|entry| entry.key().0 <= now)?;
        Some(entry.remove())
    }

    /// Is anything to come that may still change Ralph's mind?
    pub(crate) fn holds_news(&self) -> bool {
        self.events.values().any(is_news)
    }

    /// Takes out everything that belongs to one of Ralph's processes.
    pub(crate) fn drain_process(&mut self, dead: u32) -> Vec<Event> {
        let belongs = |event: &Event| match event {
            Event::Ask { process, .. }
            | Event::Deliver { process, .. }
            | Event::Perform { process, .. }
            | Event::Settle { process, .. }
            | Event::WorkNews { process, .. } => *process == dead,
            Event::WorkEnds { .. }
            | Event::Hook { .. }
            | Event::Check { .. }
            | Event::ChecksRun
            | Event::Person
            | Event::Visit(_)
            | Event::TakesBack { .. }
            | Event::Rewords { .. }
            | Event::Types { .. }
            | Event::Tells { .. }
            | Event::Operator(_)
            | Event::Background
            | Event::Crash
            | Event::ZombieWakes
            | Event::ClockJumps
            | Event::SecondRalph
            | Event::FaultsEnd => false,
        };
        let keys: Vec<_> =
            self.events.iter().filter(|(_, e)| belongs(e)).map(|(key, _)| *key).collect();
        keys.iter().filter_map(|key| self.events.remove(key)).collect()
    }
}

/// Something that may still change Ralph's mind, as opposed to routine.
const fn is_news(event: &Event) -> bool {
    match event {
        Event::Perform { .. }
        | Event::Settle { .. }
        | Event::WorkEnds { .. }
        | Event::WorkNews { .. }
        | Event::Check { .. }
        | Event::ChecksRun
        | Event::Deliver { .. }
        | Event::Operator(_)
        | Event::FaultsEnd => true,
        Event::Ask { .. }
        | Event::Hook { .. }
        | Event::Person
        | Event::Visit(_)
        | Event::TakesBack { .. }
        | Event::Rewords { .. }
        | Event::Types { .. }
        | Event::Tells { .. }
        | Event::Background
        | Event::Crash
        | Event::ZombieWakes
        | Event::ClockJumps
        | Event::SecondRalph => false,
    }
}
