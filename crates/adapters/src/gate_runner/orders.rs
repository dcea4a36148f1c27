//! Commands that are run one after the other: how long they may take, and what became of them.

use ralph_core::fact::Outcome;
use ralph_core::gate::CommandRun;
use ralph_core::time::Span;
use std::fmt;

/// Commands to run one after the other, and how long they may take.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) commands: &'a [String],
    pub(super) limit: Limit,
    /// The operator's own, in which paths have a meaning: what they name is shown to them.
    pub(super) is_trusted: bool,
    /// The file that what they say is kept in.
    pub(super) kept: &'a str,
}

#[derive(Clone, Copy)]
pub(super) enum Limit {
    Each(Span),
    Together(Span),
}

/// The commands that were run, in order. A command that failed is the last one.
#[derive(Default)]
pub(super) struct Ran {
    pub(super) commands: Vec<CommandRun>,
    pub(super) failed: Option<Failed>,
}

/// The command that did not end well, and what there is to say about it.
pub(super) struct Failed {
    pub(super) command: String,
    pub(super) excerpt: String,
}

impl<'a> Order<'a> {
    pub(super) const fn setup(commands: &'a [String], timeout: Span) -> Self {
        Self { commands, limit: Limit::Each(timeout), is_trusted: true, kept: "setup.txt" }
    }

    pub(super) const fn preflight(commands: &'a [String], timeout: Span) -> Self {
        Self { commands, limit: Limit::Together(timeout), is_trusted: true, kept: "output.txt" }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Each(limit) => write!(f, "{limit} for one command"),
            Self::Together(limit) => write!(f, "{limit} for all of these commands"),
        }
    }
}

impl Ran {
    pub(super) fn add(&mut self, more: Self) {
        self.commands.extend(more.commands);
        self.failed = more.failed;
    }

    pub(super) fn outcome(self) -> Outcome {
        let ran = self.commands;
        if let Some(Failed { command, excerpt }) = self.failed {
            return Outcome::CommandsFailed { command, excerpt, ran };
        }
        let all: Vec<&str> = ran.iter().map(|it| it.command.as_str()).collect();
        Outcome::CommandsPassed { command: all.join(" && "), ran }
    }
}
