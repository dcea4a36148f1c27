//! Closing words: finds in a pull request's text, by GitHub's rules, that it closes an issue.

use crate::ids::IssueKey;
use crate::markdown::lines_outside_fences_and_comments;

pub(crate) const KEYWORDS: [&str; 9] =
    ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"];

/// True if this text of a pull request in the issue's own repository closes the issue.
#[must_use]
pub fn closes(text: &str, issue: &IssueKey) -> bool {
    let (short, long) = (format!("#{}", issue.number), issue.to_string());
    let is_reference = |word: &str| {
        let word = word.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        word == short || word.eq_ignore_ascii_case(&long)
    };
    lines_outside_fences_and_comments(text).any(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        words.windows(2).any(|pair| match pair {
            [keyword, reference] => is_keyword(keyword) && is_reference(reference),
            _other => false,
        })
    })
}

fn is_keyword(word: &str) -> bool {
    let word = word.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let word = word.strip_suffix(':').unwrap_or(word);
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_right_before_the_reference_closes() {
        let issue = IssueKey::parse("acme/app#7").unwrap();
        for text in [
            "Fixes #7",
            "- closes: #7.",
            "text\r\nRESOLVED acme/App#7, and more",
            "(fix #7)",
            "Closes #6, closes #7",
        ] {
            assert!(closes(text, &issue), "{text:?}");
        }
        for text in [
            "#7",
            "Fixes #70",
            "Fixes #6 and #7",
            "prefixes #7",
            "Fixes acme/lib#7",
            "Fixes\n#7",
            "```\nFixes #7\n```",
            "<!-- Fixes #7 -->",
        ] {
            assert!(!closes(text, &issue), "{text:?}");
        }
    }
}
