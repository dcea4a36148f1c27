//! The trace of a run, line by line: hashed always, printed on request, its last lines kept for the report of a
//! failure.

use crate::clock::SimClock;
use ralph_core::time::Time;
use sha2::{Digest as _, Sha256};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Lines kept for the report of a failing run.
const LINES_KEPT: usize = 60;

/// A handle on the trace of one run; the world and its oracle share it.
#[derive(Debug, Clone)]
pub(crate) struct Trace {
    clock: SimClock,
    began: Time,
    /// Every line is kept, for a run that is printed.
    is_whole: bool,
    lines: Rc<RefCell<Lines>>,
}

#[derive(Debug, Default)]
struct Lines {
    hasher: Sha256,
    kept: VecDeque<(Time, String)>,
}

impl Trace {
    #[must_use]
    pub(crate) fn new(clock: &SimClock, is_whole: bool) -> Self {
        let (clock, lines) = (clock.clone(), Rc::default());
        Self { began: clock.now(), clock, is_whole, lines }
    }

    #[must_use]
    pub(crate) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Records an event of the run.
    pub(crate) fn say(&self, line: &str) {
        {
            let hasher = &mut self.lines.borrow_mut().hasher;
            hasher.update(self.clock.now().0.to_le_bytes());
            hasher.update(line.as_bytes());
        }
        self.tell(line);
    }

    /// Adds a line for the reader alone: it is no part of the hash.
    pub(crate) fn tell(&self, line: &str) {
        let kept = &mut self.lines.borrow_mut().kept;
        if !self.is_whole && kept.len() == LINES_KEPT {
            kept.pop_front();
        }
        kept.push_back((self.clock.now(), line.to_owned()));
    }

    #[must_use]
    pub(crate) fn hash(&self) -> String {
        let bytes = self.lines.borrow().hasher.clone().finalize();
        bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The lines that were kept, each with the time since the beginning.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.lines.borrow();
        let told = |(at, line): &(Time, String)| {
            format!("{:>9}  {line}", at.since(self.began).to_string())
        };
        lines.kept.iter().map(told).collect()
    }
}
