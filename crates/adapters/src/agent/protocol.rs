//! The protocol of an agent's program: how it is started, how its output is read, and what its end means. A protocol is
//! pure: it neither starts anything nor touches a file.

use super::event::Event;
use super::kinds::{Acp, Claude, Codex, Gemini, OpenCode, PlainCommand};
use super::program::{Kind, Program};
use ralph_contain::Ending;
use ralph_core::time::Time;
use ralph_core::turn_end::{EndClass, SeenLimit, Usage};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The longest line of output that is read as one event. A line beyond it is kept as text.
pub(super) const LINE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Everything that the start of a turn depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) program: &'a Program,
    /// The private home.
    pub(super) home: &'a Path,
    /// The folder that the turn works in.
    pub(super) place: &'a Path,
    pub(super) prompt: &'a str,
    /// A session of the same program.
    pub(super) session: Option<&'a str>,
    /// False for roles that only read: planners, reviewers, verifiers.
    pub(super) may_write: bool,
    /// The sandbox around the program keeps a role that only reads from writing in its place.
    pub(super) is_sandboxed: bool,
}

/// The start of a turn, beside the operator's command.
#[derive(Debug, Default)]
pub(super) struct Launch {
    pub(super) arguments: Vec<String>,
    pub(super) environment: Vec<(&'static str, OsString)>,
    /// Files that Ralph writes into the private home, by their path in it.
    pub(super) files: Vec<(&'static str, String)>,
    /// Folders that are copied into the private home, and their paths in it.
    pub(super) copies: Vec<(PathBuf, &'static str)>,
    pub(super) input: Feed,
}

/// The standard input of the program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Feed {
    /// The prompt, then the end.
    #[default]
    Prompt,
    /// These bytes first, then whatever the protocol has to say, until the turn is over.
    Talk(Vec<u8>),
}

/// The end of a program in its own words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct End {
    /// The final text, from which the answer is read.
    pub(super) text: String,
    pub(super) session: Option<String>,
    pub(super) usage: Option<Usage>,
    /// The limits of its account that the program reported.
    pub(super) limits: Vec<SeenLimit>,
    /// The model that answered, as far as the program names it.
    pub(super) model: Option<String>,
    /// Tools that the program refused to use. The turn may have got on without them.
    pub(super) refused: Vec<String>,
    pub(super) failure: Option<Failure>,
}

/// The reason why a program has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// It does not know the session that it should continue.
    SessionGone,
    Class(EndClass, String),
}

/// One program's way to be talked with.
pub(super) trait Protocol: Send {
    fn launch(&mut self, order: &Order<'_>) -> Launch;

    /// Reads a line of standard output.
    fn hear(&mut self, line: &str) -> Vec<Event>;

    /// Bytes for standard input that the lines heard so far ask for.
    fn reply(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// True once the program has nothing more to do, so that its standard input can be closed.
    fn is_over(&self) -> bool {
        false
    }

    /// Words of the operator as bytes for standard input; `None` if the program takes none now.
    fn tell(&mut self, _words: &str) -> Option<Vec<u8>> {
        None
    }

    /// Judges the end by everything that was heard. `log` is the end of standard error.
    fn end(&mut self, ending: Ending, log: &str, now: Time) -> End;
}

/// The protocol of a kind, at the beginning of a turn.
pub(super) fn of(kind: Kind) -> Box<dyn Protocol> {
    match kind {
        Kind::Command => Box::new(PlainCommand),
        Kind::Claude => Box::<Claude>::default(),
        Kind::Codex => Box::<Codex>::default(),
        Kind::OpenCode => Box::<OpenCode>::default(),
        Kind::Gemini => Box::<Gemini>::default(),
        Kind::Acp => Box::<Acp>::default(),
    }
}
