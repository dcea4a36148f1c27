//! What happened in a life, line by line: hashed always, printed on request, the last lines kept for a
//! failing life.

use ralph_core::time::Time;
use sha2::{Digest as _, Sha256};
use std::collections::VecDeque;

/// Lines kept for the report of a failing life.
const LINES_KEPT: usize = 60;

#[derive(Debug, Clone)]
pub(crate) struct Trace {
    hasher: Sha256,
    last: VecDeque<String>,
    all: Option<Vec<String>>,
    began: Time,
}

impl Trace {
    /// `is_whole`: keep every line, for a narrated life.
    #[must_use]
    pub(crate) fn new(began: Time, is_whole: bool) -> Self {
        let all = is_whole.then(Vec::new);
        Self { hasher: Sha256::new(), last: VecDeque::new(), all, began }
    }

    #[must_use]
    pub(crate) const fn is_whole(&self) -> bool {
        self.all.is_some()
    }

    /// Something that happened in the life.
    pub(crate) fn say(&mut self, now: Time, line: &str) {
        self.hasher.update(now.0.to_le_bytes());
        self.hasher.update(line.as_bytes());
        self.tell(now, line);
    }

    /// A line for the reader alone: it is no part of the hash.
    pub(crate) fn tell(&mut self, now: Time, line: &str) {
        let text = format!("{:>9}  {line}", now.since(self.began).to_string());
        if let Some(all) = self.all.as_mut() {
            all.push(text);
            return;
        }
        if self.last.len() == LINES_KEPT {
            self.last.pop_front();
        }
        self.last.push_back(text);
    }

    #[must_use]
    pub(crate) fn hash(&self) -> String {
        let bytes = self.hasher.clone().finalize();
        bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        let all = self.all.iter().flatten();
        all.chain(&self.last).map(String::as_str)
    }
}
