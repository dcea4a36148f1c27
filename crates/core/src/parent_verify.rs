//! The verdict of parent verification: whether anything is left to do once an issue's children are done.

use crate::routing::Confidence;
use crate::verdict::{MissingMarker, cut, marked_object};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The only version of the verdict.
pub const VERSION: u64 = 1;

/// Longest `checked` and `evidence` lists; they end up in one comment that a person reads.
pub const LIST_ITEMS_MAX: usize = 20;

/// Longest text and longest address that are kept.
pub const TEXT_BYTES_MAX: usize = 2_000;

const PREFIX: &str = "RALPH_PARENT_VERIFY:";

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ParentVerify {
    pub work_remains: bool,
    pub reason: String,
    pub confidence: Confidence,
    /// The agent's list of what it examined.
    pub checked: Vec<String>,
    pub why_satisfied: String,
    /// Web addresses only; anything else that the agent named is dropped.
    pub evidence: Vec<Evidence>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Evidence {
    pub url: String,
    pub note: String,
}

impl ParentVerify {
    /// True if the evidence could close an issue: there are checks, a reason why the issue is satisfied, and an address
    /// to look at.
    #[must_use]
    pub const fn is_strong(&self) -> bool {
        !self.checked.is_empty() && !self.why_satisfied.is_empty() && !self.evidence.is_empty()
    }
}

/// The reason why a response is inconclusive, in words that fit a request for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inconclusive {
    Marker(MissingMarker),
    UnknownVersion,
    NoReason,
}

impl fmt::Display for Inconclusive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Marker(missing) => missing.fmt(f),
            Self::UnknownVersion => write!(f, "the verdict's version is not {VERSION}"),
            Self::NoReason => f.write_str("the verdict has no reason"),
        }
    }
}

impl std::error::Error for Inconclusive {}

/// Reads the verdict by the same rule as a review's: last line, one object, no other marker.
pub fn read(response: &str) -> Result<ParentVerify, Inconclusive> {
    let wire: Wire = marked_object(PREFIX, response).map_err(Inconclusive::Marker)?;
    if wire.version != VERSION {
        return Err(Inconclusive::UnknownVersion);
    }
    let reason = bounded(&wire.reason);
    if reason.is_empty() {
        return Err(Inconclusive::NoReason);
    }
    Ok(ParentVerify {
        work_remains: wire.work_remains,
        reason,
        confidence: Confidence::read(&wire.confidence),
        checked: items(&wire.checked).map(bounded).filter(|text| !text.is_empty()).collect(),
        why_satisfied: bounded(&wire.why_satisfied),
        evidence: items(&wire.evidence).filter_map(read_evidence).collect(),
    })
}

/// Strict about fields that decide, lenient about those that only weaken the evidence when they are missing.
#[derive(Deserialize)]
struct Wire {
    version: u64,
    work_remains: bool,
    reason: Value,
    #[serde(default)]
    confidence: Value,
    #[serde(default)]
    checked: Value,
    #[serde(default)]
    why_satisfied: Value,
    #[serde(default)]
    evidence: Value,
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten().take(LIST_ITEMS_MAX)
}

/// Returns the text of a value; empty unless it is a string.
fn bounded(value: &Value) -> String {
    cut(value.as_str().unwrap_or_default().trim(), TEXT_BYTES_MAX).trim_end().to_owned()
}

fn read_evidence(value: &Value) -> Option<Evidence> {
    let url = value.get("url")?.as_str()?.trim();
    let note = value.get("note").map(bounded).unwrap_or_default();
    is_web_address(url).then(|| Evidence { url: url.to_owned(), note })
}

/// True for an address that can be put in a comment unchanged: no blanks, and nothing that ends a Markdown link.
fn is_web_address(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    let is_web = ["http", "https"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
    let is_plain = |c: char| {
        !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>' | '"' | '`' | '\\' | '|')
    };
    is_web
        && rest.starts_with(|c: char| c.is_alphanumeric() || c == '[')
        && url.len() <= TEXT_BYTES_MAX
        && url.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(object: &str) -> String {
        format!("Looked around.\n{PREFIX} {object}\n")
    }

    #[test]
    fn a_full_verdict_is_read() {
        let verdict = read(&marked(
            r#"{"version":1,"work_remains":false,"reason":"all merged","confidence":"high",
                "checked":["a"," ",1],"why_satisfied":"children did it",
                "evidence":[{"url":"https://x.org/1","note":"n"},{"url":"file:///etc"},7]}"#
                .replace('\n', " ")
                .as_str(),
        ))
        .unwrap();
        let evidence = vec![Evidence { url: "https://x.org/1".into(), note: "n".into() }];
        let expected = ParentVerify {
            work_remains: false,
            reason: "all merged".into(),
            confidence: Confidence::High,
            checked: vec!["a".into()],
            why_satisfied: "children did it".into(),
            evidence,
        };
        assert_eq!(verdict, expected);
        assert!(verdict.is_strong());
    }

    #[test]
    fn each_missing_part_makes_the_evidence_weak() {
        let parts =
            [r#""checked":["a"]"#, r#""why_satisfied":"w""#, r#""evidence":[{"url":"http://x"}]"#];
        let strong = |parts: &[&str]| {
            let head = r#"{"version":1,"work_remains":false,"reason":"r""#;
            read(&marked(&format!("{head},{}}}", parts.join(",")))).unwrap().is_strong()
        };
        assert!(strong(&parts));
        for missing in 0..parts.len() {
            let mut rest = parts.to_vec();
            rest.remove(missing);
            assert!(!strong(&rest), "without {}", parts[missing]);
        }
    }

    #[test]
    fn what_cannot_be_read_is_inconclusive() {
        use Inconclusive::{Marker, NoReason, UnknownVersion};
        for (object, expected) in [
            (r#"{"version":2,"work_remains":true,"reason":"r"}"#, UnknownVersion),
            (r#"{"version":1,"work_remains":true,"reason":" "}"#, NoReason),
            (r#"{"version":1,"work_remains":true,"reason":null}"#, NoReason),
            (
                r#"{"version":1,"work_remains":"no","reason":"r"}"#,
                Marker(MissingMarker::NotOneObject),
            ),
            (r#"{"version":1,"reason":"r"}"#, Marker(MissingMarker::NotOneObject)),
            (r#"[1,true,"r"]"#, Marker(MissingMarker::NotOneObject)),
        ] {
            assert_eq!(read(&marked(object)), Err(expected), "{object}");
        }
        assert_eq!(read("done"), Err(Marker(MissingMarker::Absent)));
    }

    #[test]
    fn only_web_addresses_are_evidence() {
        for (url, expected) in [
            ("https://github.com/a/b/pull/1#x", true),
            ("HTTP://[::1]:80/", true),
            ("https://", false),
            ("https:///x", false),
            ("javascript://x", false),
            ("javascript:alert(1)//https://x", false),
            ("https://x y", false),
            ("https://x\n> y", false),
            ("https://x>", false),
            ("x.org", false),
        ] {
            assert_eq!(is_web_address(url), expected, "{url:?}");
        }
    }

    #[test]
    fn lists_are_capped() {
        let many = vec![r#""c""#; LIST_ITEMS_MAX + 5].join(",");
        let object =
            format!(r#"{{"version":1,"work_remains":true,"reason":"r","checked":[{many}]}}"#);
        assert_eq!(read(&marked(&object)).unwrap().checked.len(), LIST_ITEMS_MAX);
    }
}
