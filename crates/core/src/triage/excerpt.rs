//! The smallest part of a log that shows what failed: the blocks of its first failures.

use super::failure::Failure;
use crate::excerpt::{Excerpt, LOG_BYTES_MAX};
use std::ops::Range;

/// Of a longer block only the head and the lines around the error are shown.
const BLOCK_LINES_MAX: usize = 30;
const HEAD_LINES: usize = 3;
const BEFORE_FOCUS_LINES: usize = 8;
const AFTER_FOCUS_LINES: usize = 16;

/// Returns failures in the order of the log, as many as fit. Of the first one at least the lines about the error are
/// included.
pub(super) fn of(lines: &[&str], failures: &[Failure]) -> Excerpt {
    let mut text = String::new();
    let mut shown_to = 0;
    for failure in failures {
        let block = block(lines, failure, shown_to);
        if !text.is_empty() && text.len() + block.len() > LOG_BYTES_MAX {
            break;
        }
        text.push_str(&block);
        shown_to = failure.block.end.max(shown_to);
    }
    Excerpt::of(text.trim_matches('\n'), LOG_BYTES_MAX)
}

fn block(lines: &[&str], failure: &Failure, shown_to: usize) -> String {
    let all = failure.block.start.max(shown_to)..failure.block.end;
    if all.len() <= BLOCK_LINES_MAX {
        return joined(lines, all);
    }
    let head = all.start..all.start + HEAD_LINES;
    let from = failure.focus.saturating_sub(BEFORE_FOCUS_LINES).max(head.end);
    let to = (failure.focus + AFTER_FOCUS_LINES).min(all.end);
    let gap = if from > head.end { "[...]\n" } else { "" };
    format!("{}{gap}{}", joined(lines, head), joined(lines, from..to))
}

fn joined(lines: &[&str], range: Range<usize>) -> String {
    let lines = lines.get(range).unwrap_or_default();
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::failure::Kind;
    use super::*;

    fn failure(block: Range<usize>, focus: usize) -> Failure {
        let (class, message) = (String::new(), String::new());
        Failure { block, focus, kind: Kind::Runtime, test: None, class, message }
    }

    #[test]
    fn a_long_block_keeps_its_head_and_what_is_around_the_error() {
        let text: Vec<String> = (0..100).map(|number| format!("line {number}")).collect();
        let lines: Vec<&str> = text.iter().map(String::as_str).collect();
        let excerpt = of(&lines, &[failure(10..90, 60)]);
        let shown: Vec<&str> = excerpt.as_str().lines().collect();
        assert_eq!(shown[..5], ["line 10", "line 11", "line 12", "[...]", "line 52"]);
        assert_eq!(shown.last(), Some(&"line 75"));
    }

    #[test]
    fn no_line_is_shown_twice_and_a_failure_without_room_is_left_out() {
        let long = "x".repeat(3_000);
        let lines = ["a", "b", "c", &long, &long];
        let excerpt =
            of(&lines, &[failure(0..2, 0), failure(1..3, 1), failure(3..4, 3), failure(4..5, 4)]);
        assert_eq!(excerpt.as_str(), format!("a\nb\nc\n{long}"));
    }
}
