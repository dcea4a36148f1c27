//! The verdict line that ends a review. A review without exactly one valid verdict has none: Ralph asks again, and then
//! it fails.

use crate::gate::Gate;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Longest reason that is kept; a verdict's reason is a sentence or two.
pub const REASON_BYTES_MAX: usize = 2_000;

/// The kind of review, which determines its marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    PlanReview,
    /// Product and developer-experience reviews.
    Review,
}

impl VerdictKind {
    /// Returns the marker that a review for this gate ends with.
    #[must_use]
    pub fn of(gate: Gate) -> Self {
        gate.verdict().unwrap_or(Self::Review)
    }

    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::PlanReview => "RALPH_PLAN_REVIEW:",
            Self::Review => "RALPH_REVIEW:",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Verdict {
    pub pass: bool,
    pub reason: String,
}

/// The reason why a response has no verdict, in words that fit a request for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingMarker {
    Absent,
    NotLast,
    Repeated,
    NotOneObject,
    UnknownStatus,
    NoReason,
}

impl fmt::Display for MissingMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absent => "no line starts with the verdict marker",
            Self::NotLast => "the verdict marker is not on the last line",
            Self::Repeated => "more than one line starts with the verdict marker",
            Self::NotOneObject => "the verdict marker is not followed by exactly one JSON object",
            Self::UnknownStatus => "the verdict's status is neither \"pass\" nor \"fail\"",
            Self::NoReason => "the verdict has no reason",
        })
    }
}

impl std::error::Error for MissingMarker {}

/// Reads the verdict of a review.
pub fn read(kind: VerdictKind, response: &str) -> Result<Verdict, MissingMarker> {
    let object: Wire = marked_object(kind.prefix(), response)?;
    let pass = match object.status.as_deref() {
        Some("pass") => true,
        Some("fail") => false,
        Some(_) | None => return Err(MissingMarker::UnknownStatus),
    };
    let reason = object.reason.as_deref().unwrap_or_default().trim();
    if reason.is_empty() {
        return Err(MissingMarker::NoReason);
    }
    Ok(Verdict { pass, reason: cut(reason, REASON_BYTES_MAX).to_owned() })
}

#[derive(Deserialize)]
struct Wire {
    status: Option<String>,
    reason: Option<String>,
}

/// Returns the JSON object behind `prefix` on the last non-empty line of `response`, if no other line starts with
/// `prefix`.
pub(crate) fn marked_object<T: for<'a> Deserialize<'a>>(
    prefix: &str,
    response: &str,
) -> Result<T, MissingMarker> {
    let marked_lines = response.lines().filter(|line| line.starts_with(prefix)).count();
    let last = response.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    match (last.strip_prefix(prefix), marked_lines) {
        (_, 0) => Err(MissingMarker::Absent),
        (None, _) => Err(MissingMarker::NotLast),
        (Some(object), 1) => parse_object(object.trim()),
        (Some(_), _) => Err(MissingMarker::Repeated),
    }
}

fn parse_object<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T, MissingMarker> {
    // serde would also read a struct from an array.
    if !text.starts_with('{') {
        return Err(MissingMarker::NotOneObject);
    }
    serde_json::from_str(text).or(Err(MissingMarker::NotOneObject))
}

/// Returns the longest beginning of `text` within `limit` bytes that ends between two characters.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_the_last_line_and_one_object() {
        for (response, pass, reason) in [
            ("RALPH_REVIEW: {\"status\":\"pass\",\"reason\":\"fine\"}", true, "fine"),
            (
                "Text.\r\nRALPH_REVIEW:{\"reason\":\" no \",\"status\":\"fail\"} \r\n\n \t\n",
                false,
                "no",
            ),
            (
                "I mean `RALPH_REVIEW:` here.\nRALPH_REVIEW: {\"status\":\"fail\",\"reason\":\"é\",\"x\":[1]}",
                false,
                "é",
            ),
            (
                "RALPH_PLAN_REVIEW: x\nRALPH_REVIEW: {\"status\":\"pass\",\"reason\":\"a } {\"}",
                true,
                "a } {",
            ),
        ] {
            let expected = Verdict { pass, reason: reason.to_owned() };
            assert_eq!(read(VerdictKind::Review, response), Ok(expected), "{response}");
        }
    }

    #[test]
    fn anything_else_has_no_verdict_and_says_why() {
        let good = "RALPH_REVIEW: {\"status\":\"pass\",\"reason\":\"r\"}";
        let marked = |rest: &str| format!("RALPH_REVIEW: {rest}");
        for (response, expected) in [
            (String::new(), MissingMarker::Absent),
            (" \n\n".to_owned(), MissingMarker::Absent),
            (format!(" {good}"), MissingMarker::Absent),
            (format!("> {good}"), MissingMarker::Absent),
            (good.to_lowercase(), MissingMarker::Absent),
            (format!("{good}\nbye"), MissingMarker::NotLast),
            (format!("```\n{good}\n```"), MissingMarker::NotLast),
            (format!("{good}\n{good}"), MissingMarker::Repeated),
            (format!("RALPH_REVIEW: example\n{good}"), MissingMarker::Repeated),
            (format!("{good} {{}}"), MissingMarker::NotOneObject),
            (format!("{good}."), MissingMarker::NotOneObject),
            (marked(""), MissingMarker::NotOneObject),
            (marked("pass"), MissingMarker::NotOneObject),
            (marked("[\"pass\",\"r\"]"), MissingMarker::NotOneObject),
            (
                marked("{\"status\":\"fail\",\"status\":\"pass\",\"reason\":\"r\"}"),
                MissingMarker::NotOneObject,
            ),
            (marked("{\"status\":true,\"reason\":\"r\"}"), MissingMarker::NotOneObject),
            (marked("{\"status\":{\"pass\":null},\"reason\":\"r\"}"), MissingMarker::NotOneObject),
            (marked("{\"status\":\"PASS\",\"reason\":\"r\"}"), MissingMarker::UnknownStatus),
            (marked("{\"reason\":\"r\"}"), MissingMarker::UnknownStatus),
            (marked("{\"status\":\"pass\"}"), MissingMarker::NoReason),
            (marked("{\"status\":\"pass\",\"reason\":\" \"}"), MissingMarker::NoReason),
        ] {
            assert_eq!(read(VerdictKind::Review, &response), Err(expected), "{response}");
        }
    }

    #[test]
    fn each_kind_reads_its_own_prefix_only() {
        let plan = "RALPH_PLAN_REVIEW: {\"status\":\"pass\",\"reason\":\"r\"}";
        assert!(read(VerdictKind::PlanReview, plan).is_ok());
        assert_eq!(read(VerdictKind::Review, plan), Err(MissingMarker::Absent));
    }

    #[test]
    fn a_long_reason_is_cut_between_characters() {
        let reason = "é".repeat(REASON_BYTES_MAX);
        let response = format!("RALPH_REVIEW: {{\"status\":\"pass\",\"reason\":\"x{reason}\"}}");
        let verdict = read(VerdictKind::Review, &response).unwrap();
        assert_eq!(verdict.reason.len(), REASON_BYTES_MAX - 1);
    }
}
