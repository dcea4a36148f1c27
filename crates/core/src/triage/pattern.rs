//! Regular expressions that are compiled once, when they are first needed.

use regex::{Captures, Regex};
use std::sync::OnceLock;

/// A pattern. One that does not compile would match nothing; a test proves that all do.
#[derive(Debug)]
pub(super) struct Pattern {
    source: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(super) const fn new(source: &'static str) -> Self {
        Self { source, compiled: OnceLock::new() }
    }

    pub(super) fn is_match(&self, line: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(line))
    }

    pub(super) fn captures<'a>(&self, line: &'a str) -> Option<Captures<'a>> {
        self.regex()?.captures(line)
    }

    /// Returns the text that the whole pattern matches.
    pub(super) fn find<'a>(&self, line: &'a str) -> Option<&'a str> {
        self.regex()?.find(line).map(|found| found.as_str())
    }

    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(self.source).ok()).as_ref()
    }
}

/// Returns the text of a named group; empty if it took no part in the match.
pub(super) fn group<'a>(captures: &Captures<'a>, name: &str) -> &'a str {
    captures.name(name).map_or("", |found| found.as_str())
}

#[cfg(test)]
pub(super) fn all_compile(patterns: &[&Pattern]) {
    for pattern in patterns {
        assert!(pattern.regex().is_some(), "{}", pattern.source);
    }
}
