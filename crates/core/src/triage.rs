//! Triage of a red check: the first real error in its log, the class of the failure, its signature, and the next
//! action.

mod class;
mod excerpt;
mod failure;
mod log;
mod next;
mod pattern;
mod tools;

pub use class::{Class, Classified};
pub use next::{NextAction, Triaged};

use crate::excerpt::Excerpt;
use crate::signature::{Part, Signature};
use serde::{Deserialize, Serialize};

/// A red check as the forge shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedCheck<'a> {
    pub name: &'a str,
    /// The forge's conclusion, such as `failure` or `timed_out`.
    pub conclusion: &'a str,
    /// Its whole log; empty if there is none.
    pub log: &'a str,
}

/// The knowledge of a failure once its log has been read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Triage {
    pub excerpt: Excerpt,
    #[serde(flatten)]
    pub classified: Classified,
    pub signature: Signature,
}

/// Reads a red check. Never fails: if no tool is recognised, it uses the end of the log. Takes time proportional to the
/// length of the log.
#[must_use]
pub fn triage(check: &RedCheck<'_>) -> Triage {
    let text = log::prepared(check.log);
    let step = log::failing_step(&text);
    let failures = tools::failures(&step.lines);
    let parts = failures.iter().map(failure::Failure::part);
    Triage {
        excerpt: excerpt::of(&step.lines, &failures),
        classified: class::classify(check.conclusion, &failures, step.ending),
        signature: Signature::of(check.name, parts.collect::<Vec<Part>>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(conclusion: &str, log: &str) -> Triage {
        triage(&RedCheck { name: "ci", conclusion, log })
    }

    #[test]
    fn an_empty_log_is_told_by_its_conclusion() {
        for (conclusion, class) in [
            ("failure", Class::Regression),
            ("error", Class::Infra),
            ("startup_failure", Class::Infra),
            ("cancelled", Class::Infra),
            ("stale", Class::Infra),
            ("timed_out", Class::Infra),
        ] {
            let found = read(conclusion, "");
            assert_eq!(found.classified.class, class, "{conclusion}");
            assert!(!found.classified.why.is_empty(), "{conclusion}");
            assert_eq!(found.excerpt.as_str(), "");
        }
    }

    #[test]
    fn the_error_of_the_failing_step_counts_and_not_that_of_a_step_before() {
        let log = "\
2026-01-02T03:04:05.1234567Z ##[group]Run ./warm-up
2026-01-02T03:04:05.1234567Z ##[endgroup]
2026-01-02T03:04:05.1234567Z Error: the cache is cold, which is fine
2026-01-02T03:04:06.1234567Z ##[group]Run ./check
2026-01-02T03:04:06.1234567Z ##[endgroup]
2026-01-02T03:04:06.1234567Z Error: the real one
2026-01-02T03:04:06.1234567Z ##[error]Process completed with exit code 1.
2026-01-02T03:04:07.1234567Z Post job cleanup.
";
        let found = read("failure", log);
        assert!(found.excerpt.as_str().contains("the real one"), "{}", found.excerpt);
        assert!(!found.excerpt.as_str().contains("cold"), "{}", found.excerpt);
        assert_eq!(found.signature.message, "Error: the real one");
    }

    #[test]
    fn a_failure_that_a_tool_reports_twice_counts_once() {
        let error = "error[E0308]: mismatched types\n --> src/a.rs:1:2\n  |\n1 | x\n  | ^ no\n\n";
        let once = read("failure", error).signature;
        assert_eq!(read("failure", &error.repeat(2)).signature, once);
    }

    #[test]
    fn secrets_are_in_no_part_of_it() {
        let log = "error: denied for ghp_0123456789abcdefghij\nError: token=hunter2";
        let found = read("failure", log);
        let shown = format!("{found:?}");
        assert!(!shown.contains("ghp_") && !shown.contains("hunter2"), "{shown}");
        assert!(shown.contains("[redacted]"), "{shown}");
    }
}
