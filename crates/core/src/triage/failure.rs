//! One failure as a tool reports it: its position in the log and its message.

use crate::signature::Part;
use crate::verdict::cut;
use std::ops::Range;

/// Most failures that are read. A tool that reports more has one cause for them, which the first of them show.
pub(super) const FAILURES_MAX: usize = 500;
/// Lines of a message that distinguish failures; the rest is detail.
const MESSAGE_LINES_MAX: usize = 6;
const MESSAGE_BYTES_MAX: usize = 2_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// Its lines in the log.
    pub(super) block: Range<usize>,
    /// The line with the error.
    pub(super) focus: usize,
    pub(super) kind: Kind,
    pub(super) test: Option<String>,
    /// The tool's class of the error, such as `E0308` or `AssertionError`.
    pub(super) class: String,
    pub(super) message: String,
}

/// The origin of a failure, as far as it matters to its cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A compiler or linter refused the source, with the same message each time.
    Source,
    /// A test found an unexpected value.
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

/// Returns the first non-empty lines as one message.
pub(super) fn message<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let said = lines.into_iter().map(str::trim).filter(|line| !line.is_empty());
    let joined = said.take(MESSAGE_LINES_MAX).collect::<Vec<_>>().join(" ");
    cut(&joined, MESSAGE_BYTES_MAX).to_owned()
}

/// Returns the lines from `start` to the first later line that ends the block, at most `lines_max`.
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

/// Returns the existing lines of a range, with their numbers.
pub(super) fn numbered<'a>(
    lines: &[&'a str],
    range: Range<usize>,
) -> impl Iterator<Item = (usize, &'a str)> {
    let start = range.start;
    let inside = lines.get(start..range.end.min(lines.len())).unwrap_or_default();
    (start..).zip(inside.iter().copied())
}
