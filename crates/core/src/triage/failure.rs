//! One failure as a tool reports it: where it stands in the log and what it says.

use crate::signature::Part;
use crate::verdict::cut;
use std::ops::Range;

/// A tool that reports more has one cause for them, which the first of them show.
pub(super) const FAILURES_MAX: usize = 500;
/// Lines of a message that tell failures apart; what follows is detail.
const MESSAGE_LINES_MAX: usize = 6;
const MESSAGE_BYTES_MAX: usize = 2_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// Its lines in the log.
    pub(super) block: Range<usize>,
    /// The line that says what is wrong.
    pub(super) focus: usize,
    pub(super) kind: Kind,
    pub(super) test: Option<String>,
    /// Of what class the tool says it is, such as `E0308` or `AssertionError`.
    pub(super) class: String,
    pub(super) message: String,
}

/// How a failure came about, as far as it matters to what it can be blamed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A compiler or linter has refused the source, which says the same each time.
    Source,
    /// A test has found a value that it did not expect.
    Assertion,
    /// Something went wrong at run time.
    Runtime,
}

impl Failure {
    pub(super) fn part(&self) -> Part {
        Part {
            test: self.test.clone(),
            class: self.class.clone(),
            message: self.message.clone(),
            keeps_numbers: self.kind != Kind::Runtime,
        }
    }
}

/// The first lines that say something, as one message.
pub(super) fn message<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let said = lines.into_iter().map(str::trim).filter(|line| !line.is_empty());
    let joined = said.take(MESSAGE_LINES_MAX).collect::<Vec<_>>().join(" ");
    cut(&joined, MESSAGE_BYTES_MAX).to_owned()
}

/// From `start` to the first later line that ends the block, at most `lines_max` lines.
pub(super) fn block(
    lines: &[&str],
    start: usize,
    lines_max: usize,
    is_end: impl Fn(&str) -> bool,
) -> Range<usize> {
    let rest = lines.get(start + 1..).unwrap_or_default();
    let rest = rest.get(..lines_max).unwrap_or(rest);
    let length = rest.iter().position(|line| is_end(line)).unwrap_or(rest.len());
    start..start + 1 + length
}

/// The lines of a range, as far as there are any, with their numbers.
pub(super) fn numbered<'a>(
    lines: &[&'a str],
    range: Range<usize>,
) -> impl Iterator<Item = (usize, &'a str)> {
    let start = range.start;
    let inside = lines.get(start..range.end.min(lines.len())).unwrap_or_default();
    (start..).zip(inside.iter().copied())
}
