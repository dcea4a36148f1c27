//! Logs that no tool would write: long, cut off, and made to be misread.

use proptest::prelude::*;
use proptest::sample::select;
use ralph_core::excerpt::LOG_BYTES_MAX;
use ralph_core::triage::{RedCheck, Triage, triage};

const LOG_BYTES: usize = 10 * 1024 * 1024;

/// The first marks of each tool's reports, and the marks that end them.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "error[E0308]: x\n", " --> src/a.rs:1:2\n", "  | ^^^ y\n", "error: ", "Caused by:\n", "   Compiling a\n",
    "---- a::b stdout ----\n", "thread 'a::b' (7) panicked at src/a.rs:1:2:\n", "failures:\n", "test result: FAILED.\n",
    "___ test_x ___\n", "E   ValueError: x\n", "E", "FAILED tests/a.py::b - c\n", "=====\n",
    "FAIL a.test.js\n", "  ● a › b\n", "    at c (d.js:1:2)\n", "Test Suites: 1\n",
    "=== RUN   TestX\n", "--- FAIL: TestX (0.1s)\n", "    --- FAIL: TestX/y (0.1s)\n", "    a_test.go:1: z\n", "panic: p\n",
    "./a.go:1:2: x\n", "src/a.ts(1,2): error TS1: x\n", "/a/b.js\n", "  1:2  error  x  no-undef\n",
    "Oops! Something went wrong!\n", "/a/B.java:1: error: x\n", "T > t FAILED\n", "    java.lang.Error: x\n",
    "* What went wrong:\n", "a.c:1:2: error: x\n", "make: *** [Makefile:1: x] Error 1\n", "make: *** stop\n",
    "Traceback (most recent call last):\n", "KeyError: 1\n", "##[group]Run x\n", "##[endgroup]\n", "##[error]x\n",
    "##[error]Process completed with exit code 1.\n", "2026-01-02T03:04:05Z ", "\u{1b}[31m", "\r", "\n", "\n\n", " ", "é",
    "Killed\n", "timed out\n",
];

fn read(log: &str) -> Triage {
    triage(&RedCheck { name: "ci", conclusion: "failure", log })
}

fn is_bounded(found: &Triage) -> bool {
    let signature = &found.signature;
    let fields = [Some(&signature.class), Some(&signature.message), signature.test.as_ref()];
    found.excerpt.as_str().len() <= LOG_BYTES_MAX
        && !found.classified.why.is_empty()
        && fields.into_iter().flatten().all(|field| field.len() <= 300)
}

/// A reader that goes back over its input would not finish here.
#[test]
fn ten_megabytes_of_anything_are_read() {
    for piece in [
        "x",
        "error: x\n",
        "---- a stdout ----\n",
        "    --- FAIL: TestX/y (0.1s)\n",
        "https://",
        "##[error]x\nE   a\n  ● a\n/a/b.js\n  1:2  error  x  no-undef\n",
    ] {
        let log = piece.repeat(LOG_BYTES / piece.len());
        assert!(is_bounded(&read(&log)), "{piece:?}");
    }
}

#[test]
fn the_error_is_found_under_ten_megabytes_of_chatter() {
    let chatter = "   Compiling something v1.0.0\nwarning: it has errors, says the weather\n\n";
    let error = "error[E0308]: mismatched types\n --> src/a.rs:1:2\n  |\n  | ^ here\n\n";
    let half = chatter.repeat(LOG_BYTES / chatter.len() / 2);
    let found = read(&format!("{half}{error}{half}"));
    assert_eq!(found.signature, read(error).signature);
    assert!(found.excerpt.as_str().starts_with("error[E0308]: mismatched types"));
}

proptest! {
    #[test]
    fn any_log_is_read_within_bounds_and_without_its_secrets(
        pieces in prop::collection::vec(prop_oneof![6 => select(PIECES).prop_map(str::to_owned), 1 => ".{0,6}"], 0..40),
        at in 0..40_usize,
        secret in "[A-Za-z0-9]{20}",
    ) {
        let mut pieces = pieces;
        pieces.insert(at.min(pieces.len()), format!("\nerror: ghp_{secret}\n"));
        let found = read(&pieces.concat());
        prop_assert!(is_bounded(&found), "{:?}", found);
        let shown = format!("{found:?}");
        prop_assert!(!shown.contains(&secret), "{}", shown);
    }

    #[test]
    fn a_runners_times_change_nothing(
        pieces in prop::collection::vec(select(PIECES), 0..40),
        second in 10..60_u8,
    ) {
        let log = pieces.concat().replace('\r', "");
        let stamp = |line: &str| format!("2026-01-02T03:04:{second}.1234567Z {line}\n");
        let stamped: String = log.split('\n').map(stamp).collect();
        prop_assert_eq!(read(&stamped), read(&log));
    }
}
