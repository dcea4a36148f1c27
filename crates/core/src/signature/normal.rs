//! Removes from a message what changes from run to run.

use crate::redact::redact;
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// A number of up to this many digits is a count, an index or a code, and part of the cause.
const SHORT_NUMBER_DIGITS: usize = 3;
/// A number of this many digits or more is an id or a point in time, in any message.
const LONG_NUMBER_DIGITS: usize = 9;
/// The ports from which Linux assigns one to programs that accept any.
const ANY_PORT: std::ops::RangeInclusive<u64> = 32_768..=60_999;
/// A word in which letters and digits alternate this often is not a name.
const ID_CHANGES_MIN: usize = 3;

/// Returns the message with placeholders for what differs each time, and single blanks.
pub(super) fn normalise(message: &str, keeps_numbers: bool) -> String {
    // Secrets go first: with its digits replaced a token would no longer be recognised.
    let mut text = redact(message);
    for (pattern, replacement) in RULES.iter() {
        let replace = |captures: &Captures<'_>| replacement.of(captures, keeps_numbers);
        if let Cow::Owned(changed) = pattern.replace_all(&text, replace) {
            text = Cow::Owned(changed);
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[derive(Debug, Clone, Copy)]
enum Replacement {
    /// This word, after what the group `before` has matched.
    Word(&'static str),
    /// The part of a path that is the same in every checkout.
    Path,
    /// `<n>`, if there is a digit in it.
    Id,
    /// `<n>`, if letters and digits change places often.
    Mixed,
    Number,
}

impl Replacement {
    fn of(self, captures: &Captures<'_>, keeps_numbers: bool) -> String {
        let whole = captures.get(0).map_or("", |found| found.as_str());
        let group = |name| captures.name(name).map_or("", |found| found.as_str());
        let is_volatile = match self {
            Self::Word(word) => return format!("{}{word}", group("before")),
            Self::Path => return format!("{}{}", group("before"), relative(group("path"))),
            Self::Id => whole.bytes().any(|byte| byte.is_ascii_digit()),
            Self::Mixed => changes(whole) >= ID_CHANGES_MIN,
            Self::Number => is_volatile_number(whole, keeps_numbers),
        };
        if is_volatile { "<n>".to_owned() } else { whole.to_owned() }
    }
}

fn changes(word: &str) -> usize {
    let digits: Vec<bool> = word.bytes().map(|byte| byte.is_ascii_digit()).collect();
    digits.windows(2).filter(|pair| matches!(pair, [true, false] | [false, true])).count()
}

fn is_volatile_number(text: &str, keeps_numbers: bool) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_any_port = text.parse().is_ok_and(|number| ANY_PORT.contains(&number));
    let is_whole = !text.contains('.');
    match keeps_numbers {
        true => is_any_port || (is_whole && digits >= LONG_NUMBER_DIGITS),
        false => digits > SHORT_NUMBER_DIGITS,
    }
}

/// Returns the path from the first folder that is usual for sources, else the file's name. Files directly in a
/// temporary folder have random names.
fn relative(path: &str) -> String {
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let folders = parts.len().saturating_sub(1);
    let first = parts.iter().take(folders).position(|part| SOURCE_FOLDERS.contains(part));
    let is_temporary = path.starts_with("/tmp/") && folders <= 1 || path.contains("/var/folders/");
    match first {
        Some(first) => parts.get(first..).unwrap_or_default().join("/"),
        None if is_temporary => "<tmp>".to_owned(),
        None => parts.last().copied().unwrap_or_default().to_owned(),
    }
}

const SOURCE_FOLDERS: [&str; 15] = [
    "src", "crates", "packages", "apps", "lib", "libs", "tests", "test", "spec", "cmd", "pkg",
    "internal", "scripts", "docs", "examples",
];

/// In the order of application: longer shapes come before the numbers they are made of.
const SOURCES: [(&str, Replacement); 15] = [
    // Absolute paths of Unix and Windows, but not the path of an address.
    (
        r#"(?<before>^|[\s"'`(\[=,<]|file://)(?<path>(?:~|[A-Za-z]:)?(?:[/\\]+[\w.@+-]+)+)"#,
        Replacement::Path,
    ),
    // `2026-01-02T03:04:05.678Z`, with underscores in the names of files.
    (
        r"[0-9]{4}-[0-9][0-9]-[0-9][0-9](?:[T _][0-9][0-9][:_-][0-9][0-9](?:[:_-][0-9][0-9])?(?:[.,_][0-9]+)?(?: ?Z| ?[+-][0-9][0-9]:?[0-9][0-9])?)?",
        Replacement::Word("<time>"),
    ),
    // `Sun Nov 15 17:23:27 UTC 2026` and `15/Nov/2026:17:23:27`.
    (
        r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* +[0-9]{1,2}|[0-9]{1,2}[ /](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ /][0-9]{4}),?[ :][0-9]{1,2}:[0-9][0-9](?::[0-9][0-9])?(?: (?:[AP]M|[A-Z]{3,4}|[+-][0-9]{4}))*(?: [0-9]{4})?",
        Replacement::Word("<time>"),
    ),
    (r"(?-u:\b)[0-9]{1,2}:[0-9][0-9]:[0-9][0-9](?:[.,][0-9]+)?", Replacement::Word("<time>")),
    (
        r"(?i)(?-u:\b)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?-u:\b)",
        Replacement::Word("<n>"),
    ),
    (r"(?i)(?-u:\b)0x[0-9a-f]+(?-u:\b)", Replacement::Word("<n>")),
    // Lines and columns after the name of a file.
    (
        r"(?<before>\.[A-Za-z]{1,5})(?::[0-9]+(?::[0-9]+)?|\([0-9]+(?:,[0-9]+)?\))",
        Replacement::Word(""),
    ),
    (r" \([0-9]+:[0-9]+\)", Replacement::Word("")),
    // Ports.
    (
        r"(?i)(?<before>(?:(?-u:\b)[0-9]{1,3}(?:\.[0-9]{1,3}){3}|localhost|\]|://[a-z0-9.-]+):)[0-9]{2,5}(?-u:\b)",
        Replacement::Word("<port>"),
    ),
    // Numbers that are recognised by the word before them.
    (
        r"(?i)(?<before>(?-u:\b)(?:line|lines|column|col|port|pid|process|thread|goroutine|worker|job|run|build|attempt|request|session)[ #:=]{1,2})[0-9]+(?-u:\b)",
        Replacement::Word("<n>"),
    ),
    // Durations.
    (
        r"(?-u:\b)(?:[0-9]+(?:\.[0-9]+)?(?: ?(?:ns|us|µs|ms|millis(?:econds)?|secs?|seconds?|mins?|minutes?|hours?)|[smh]))+(?-u:\b)",
        Replacement::Word("<time>"),
    ),
    (r"(?-u:\b)[0-9a-f]{7,64}(?-u:\b)", Replacement::Id),
    (r"(?-u:\b)(?:[a-z0-9]{8,}|[A-Z0-9]{8,})(?-u:\b)", Replacement::Mixed),
    (r"(?<before>[A-Za-z]_)[0-9]{4,}(?-u:\b)", Replacement::Word("<n>")),
    (r"(?-u:\b)[0-9]+(?:[._,][0-9]+)*(?-u:\b)", Replacement::Number),
];

/// Leaves out a pattern that does not compile; a test proves that all do.
static RULES: LazyLock<Vec<(Regex, Replacement)>> = LazyLock::new(|| {
    let compile = |&(source, replacement): &(&str, Replacement)| {
        Some((Regex::new(source).ok()?, replacement))
    };
    SOURCES.iter().filter_map(compile).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(RULES.len(), SOURCES.len());
    }

    #[test]
    fn what_changes_from_run_to_run_goes() {
        for (one, other) in [
            ("at 2026-01-02 03:04 in 3.4s", "at 2026-05-06 07:08 in 120s"),
            ("on Sun Nov 15 17:23:27 UTC 2026", "on Mon Dec  1 07:03:20 CET 2027"),
            ("took 1m30s", "took 2h05m"),
            (
                "log 2026-11-15T17_25_19_281Z-debug-0.log",
                "log 2027-01-02T03_04_05_006Z-debug-0.log",
            ),
            (
                "run 3f2a9c1d-aaaa-bbbb-cccc-0123456789ab",
                "run 00000000-1111-2222-3333-444444444444",
            ),
            ("commit deadbeef1 gone", "commit 0123abc gone"),
            ("at 0x7ffe12", "at 0xdeadbeef"),
            ("connect 127.0.0.1:3000", "connect 127.0.0.1:41234"),
            ("listening on port 3000", "listening on port 80"),
            ("http://[::1]:3000/x", "http://[::1]:41234/x"),
            ("open /tmp/a8Xk", "open /tmp/other"),
            ("open /tmp/a8Xk/out", "open /tmp/other/out"),
            ("folder build-rz0tv1si", "folder build-k3j9d2lq"),
            ("in /home/bob/wt-1/src/a.rs:1:2", "in D:\\a\\r\\src\\a.rs:10:20"),
            ("in src/a.rs:1:2", "in /srv/x/src/a.rs:3"),
            ("a.sh: line 3: x", "a.sh: line 14: x"),
            ("unexpected token (4:16)", "unexpected token (14:6)"),
            ("left: 40001", "left: 50002"),
            ("left: 1763226207", "left: 1763226999"),
        ] {
            for keeps_numbers in [true, false] {
                let (shown, expected) =
                    (normalise(one, keeps_numbers), normalise(other, keeps_numbers));
                assert_eq!(shown, expected, "{one:?} and {other:?}");
            }
        }
        assert_eq!(normalise("row 12345", false), normalise("row 98765", false));
    }

    #[test]
    fn what_is_part_of_the_cause_stays() {
        for (one, other) in [
            ("no such file", "no such table"),
            ("in src/a.rs:1:2", "in src/b.rs:1:2"),
            ("assert 1 == 2", "assert 3 == 2"),
            ("exit status 101", "exit status 102"),
            ("sha256sum missing", "sha512sum missing"),
            ("in /x/y/a.c", "in /x/y/b.c"),
        ] {
            for keeps_numbers in [true, false] {
                assert_ne!(
                    normalise(one, keeps_numbers),
                    normalise(other, keeps_numbers),
                    "{one:?}"
                );
            }
        }
        assert_ne!(normalise("total 1600", true), normalise("total 1700", true));
        assert_ne!(normalise("mean 0.12345", true), normalise("mean 0.12346", true));
    }

    #[test]
    fn secrets_do_not_get_into_a_message() {
        let found = normalise("denied for ghp_0123456789abcdefghij", true);
        assert_eq!(found, "denied for [redacted]");
    }
}
