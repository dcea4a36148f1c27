//! Places that a log names: what compilers and test runners say about a file and a line.

use std::path::{Component, Path};

use crate::model::checks::Annotation;

/// GitHub takes as many in one report.
const ANNOTATIONS_MAX: usize = 50;

/// A message is a line, not a page, in characters.
const MESSAGE_CHARACTERS_MAX: usize = 500;

/// Annotations from a log, in its order; of one place the first. `is_file` tells whether a path is a
/// file of the commit.
pub(super) fn find(log: &str, is_file: impl Fn(&Path) -> bool) -> Vec<Annotation> {
    let mut found: Vec<Annotation> = Vec::new();
    let mut before = "";
    let mut lines = log.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let after = lines.peek().copied().unwrap_or_default();
        if let Some((path, number, message)) = place(line, before, after)
            && is_inside(path)
            && is_file(Path::new(path))
            && !found.iter().any(|other| other.path == path && other.start_line == number)
        {
            let message: String = message.chars().take(MESSAGE_CHARACTERS_MAX).collect();
            found.push(Annotation::failure(path, number, &message));
            if found.len() == ANNOTATIONS_MAX {
                break;
            }
        }
        before = line;
    }
    found
}

/// The file, line and message that a line of a log stands for.
fn place<'a>(line: &'a str, before: &'a str, after: &'a str) -> Option<(&'a str, u64, &'a str)> {
    // rustc: the message is on the line before.
    if let Some(rest) = line.strip_prefix("--> ") {
        let (path, number, _column) = split(rest)?;
        return Some((path, number, before));
    }
    // A panic: the message is on the line after.
    if let Some((_thread, rest)) = line.split_once("panicked at ") {
        let (path, number, _column) = split(rest)?;
        return Some((path, number, if after.is_empty() { line } else { after }));
    }
    // A Python traceback.
    if let Some(rest) = line.strip_prefix("File \"") {
        let (path, rest) = rest.split_once("\", line ")?;
        let digits = rest.split(|next: char| !next.is_ascii_digit()).next()?;
        return Some((path, digits.parse().ok()?, after));
    }
    // `path:line: message` and `path:line:column: message`.
    let (path, number, message) = split(line)?;
    Some((path, number, message)).filter(|_found| !message.is_empty())
}

/// `path:line` or `path:line:column`, and what follows.
fn split(text: &str) -> Option<(&str, u64, &str)> {
    let (path, rest) = text.split_once(':')?;
    let end = rest.find(|next: char| !next.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, rest) = rest.split_at_checked(end)?;
    let number = digits.parse().ok()?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let after_column = rest.trim_start_matches(|next: char| next.is_ascii_digit());
    let message = if after_column.len() < rest.len() { after_column } else { rest };
    Some((path, number, message.trim_start_matches(':').trim()))
}

fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_and_test_runners_are_understood() {
        for (log, path, line, message) in [
            ("src/a.c:3:7: error: no", "src/a.c", 3, "error: no"),
            ("tests/test_a.py:12: AssertionError", "tests/test_a.py", 12, "AssertionError"),
            (
                "error[E0308]: mismatched types\n   --> src/lib.rs:10:5\n",
                "src/lib.rs",
                10,
                "error[E0308]: mismatched types",
            ),
            (
                "thread 'a' panicked at src/lib.rs:7:9:\nassertion failed",
                "src/lib.rs",
                7,
                "assertion failed",
            ),
            ("  File \"app/b.py\", line 4, in f\n    raise E", "app/b.py", 4, "raise E"),
        ] {
            let found = find(log, |_path| true);
            let found: Vec<_> = found
                .iter()
                .map(|one| (one.path.as_str(), one.start_line, one.message.as_str()))
                .collect();
            assert_eq!(found, [(path, line, message)]);
        }
    }

    #[test]
    fn what_only_looks_like_a_place_is_none() {
        let log = "12:30: late\n/etc/passwd:1: x\n../up.rs:1: x\nhttp://host:80: x\nsrc/a.c:3\nb.c:1: gone";
        assert_eq!(find(log, |path| path != Path::new("b.c") && path != Path::new("12")), []);
    }
}
