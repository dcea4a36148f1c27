//! Signatures of failures: equal for the same failure. A lane stops early when a signature repeats, so nothing in it
//! may differ from run to run: no time, duration, id, port, temporary path or line number.

mod normal;

use crate::digest::Digest;
use crate::verdict::cut;
use normal::normalise;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

const FIELD_BYTES_MAX: usize = 300;
const HASH_CHARS: usize = 16;

/// A signature; equal for two failures that a person would call the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Signature {
    /// Covers all other fields, and everything else that failed in this check.
    pub hash: String,
    pub check: String,
    pub test: Option<String>,
    /// The kind of error, such as `E0308` or `AssertionError`.
    pub class: String,
    /// The message, without everything that changes from run to run.
    pub message: String,
}

/// One failure of a check, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub test: Option<String>,
    pub class: String,
    pub message: String,
    /// Numbers in messages of compilers and assertions are part of the cause; elsewhere long ones are random.
    pub keeps_numbers: bool,
}

impl Signature {
    /// Returns the signature of all failures of a check, in any order, because tests that run in parallel fail in any.
    /// The first in the alphabet is shown for all of them.
    #[must_use]
    pub fn of(check: &str, parts: Vec<Part>) -> Self {
        let check = cut(check.trim(), FIELD_BYTES_MAX).to_owned();
        let parts: BTreeSet<Normal> = parts.into_iter().map(Normal::of).collect();
        let mut whole = check.clone();
        for part in &parts {
            for field in [part.test.as_deref().unwrap_or_default(), &part.class, &part.message] {
                whole.push('\0');
                whole.push_str(field);
            }
        }
        let hash = cut(&Digest::of(&whole).to_string(), HASH_CHARS).to_owned();
        let first = parts.into_iter().next().unwrap_or_default();
        Self { hash, check, test: first.test, class: first.class, message: first.message }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hash)
    }
}

#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Normal {
    test: Option<String>,
    class: String,
    message: String,
}

impl Normal {
    fn of(part: Part) -> Self {
        let field = |text: &str, keeps_numbers| {
            cut(&normalise(text, keeps_numbers), FIELD_BYTES_MAX).to_owned()
        };
        Self {
            test: part.test.map(|test| field(&test, true)),
            class: field(&part.class, true),
            message: field(&part.message, part.keeps_numbers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(test: &str, message: &str) -> Part {
        let class = "panic".to_owned();
        Part {
            test: Some(test.to_owned()),
            class,
            message: message.to_owned(),
            keeps_numbers: true,
        }
    }

    #[test]
    fn the_order_of_failures_does_not_matter_and_each_one_counts() {
        let (a, b) = (part("a", "x"), part("b", "y"));
        let both = Signature::of("ci", vec![a.clone(), b.clone()]);
        assert_eq!(both, Signature::of("ci", vec![b.clone(), a.clone(), b]));
        assert_eq!((both.test.as_deref(), &*both.message), (Some("a"), "x"));
        assert_ne!(both.hash, Signature::of("ci", vec![a.clone()]).hash);
        assert_ne!(Signature::of("lint", vec![a.clone()]).hash, Signature::of("ci", vec![a]).hash);
        assert_eq!(Signature::of("ci", vec![]).message, "");
    }

    #[test]
    fn a_test_a_class_and_a_message_tell_failures_apart() {
        let hash = |part| Signature::of("ci", vec![part]).hash;
        let one = hash(part("a", "left: 1"));
        assert_ne!(one, hash(part("b", "left: 1")));
        assert_ne!(one, hash(part("a", "left: 2")));
        assert_ne!(one, hash(Part { class: "error".to_owned(), ..part("a", "left: 1") }));
    }
}
