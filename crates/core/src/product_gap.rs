//! Product gaps: the markers by which planners and reviewers say that only a person can decide what the product should
//! do.

use crate::excerpt::Excerpt;
use crate::markdown::lines_outside_fences;
use serde::{Deserialize, Serialize};

/// Longest gap that is kept; it becomes the first sentence of an escalation.
pub const GAP_BYTES_MAX: usize = 2_000;

const GAP: &str = "PRODUCT GAP:";
const NO_GAP: &str = "NO PRODUCT GAP:";

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProductGap {
    #[default]
    None,
    /// The response says that there is no gap, which overrides every other marker.
    Denied,
    /// The missing decision, in the words of the first marker.
    Gap(String),
}

/// Looks for the markers at the start of a line, outside fenced code and quotes.
#[must_use]
pub fn read(response: &str) -> ProductGap {
    let mut gap = ProductGap::None;
    for line in lines_outside_fences(response).map(without_bullet) {
        if text_behind(NO_GAP, line).is_some() {
            return ProductGap::Denied;
        }
        if gap == ProductGap::None
            && let Some(text) = text_behind(GAP, line)
        {
            gap = ProductGap::Gap(Excerpt::of(text, GAP_BYTES_MAX).into());
        }
    }
    gap
}

fn without_bullet(line: &str) -> &str {
    let line = line.trim_start();
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line)
}

/// Returns the text behind `marker` and a space, ignoring case.
fn text_behind<'a>(marker: &str, line: &'a str) -> Option<&'a str> {
    let (head, text) = line.split_at_checked(marker.len())?;
    let ends_word = text.is_empty() || text.starts_with(char::is_whitespace);
    (ends_word && head.eq_ignore_ascii_case(marker)).then(|| text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_counts_at_the_start_of_a_line() {
        for (response, expected) in [
            ("PRODUCT GAP: who pays?", Some("who pays?")),
            ("Plan.\r\n\t- product gap:  who pays? \r\n", Some("who pays?")),
            ("* Product Gap: first\nPRODUCT GAP: second", Some("first")),
            ("PRODUCT GAP:", Some("")),
            ("a PRODUCT GAP: b", None),
            ("- - PRODUCT GAP: b", None),
            ("-PRODUCT GAP: b", None),
            ("+ PRODUCT GAP: b", None),
            ("> PRODUCT GAP: b", None),
            ("\"PRODUCT GAP: b\"", None),
            ("`PRODUCT GAP:` b", None),
            ("**PRODUCT GAP:** b", None),
            ("PRODUCT GAP:b", None),
            ("PRODUCT GAPS: b", None),
            ("PRODUCT  GAP: b", None),
            ("```\nPRODUCT GAP: b\n```", None),
            ("", None),
        ] {
            let expected = expected.map_or(ProductGap::None, |gap| ProductGap::Gap(gap.to_owned()));
            assert_eq!(read(response), expected, "{response:?}");
        }
    }

    #[test]
    fn a_gap_is_kept_without_secrets_and_bounded() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let ProductGap::Gap(gap) = read(&format!("PRODUCT GAP: who has {token}?")) else {
            panic!("a gap")
        };
        assert!(gap.starts_with("who has ") && !gap.contains(&token), "{gap}");
        let long = read(&format!("PRODUCT GAP: {}", "why ".repeat(GAP_BYTES_MAX)));
        assert!(matches!(long, ProductGap::Gap(gap) if gap.len() <= GAP_BYTES_MAX));
    }

    #[test]
    fn a_denial_anywhere_cancels_the_gap() {
        for (response, denied) in [
            ("NO PRODUCT GAP: all clear", true),
            ("PRODUCT GAP: x\n  - no product gap: after all", true),
            ("no product gap:\nPRODUCT GAP: x", true),
            ("PRODUCT GAP: x\n> NO PRODUCT GAP: quoted", false),
            ("PRODUCT GAP: x\n```\nNO PRODUCT GAP: fenced\n```", false),
            ("PRODUCT GAP: x, so NO PRODUCT GAP: is wrong", false),
        ] {
            assert_eq!(read(response) == ProductGap::Denied, denied, "{response:?}");
        }
    }
}
