//! How a person resolves an escalation in a comment.

use crate::markdown::lines_outside_fences_and_comments;

/// The words by which a comment resolves an escalation.
const RESOLVED: &str = "RALPH RESOLVED:";

/// Does this comment say so in its own words: not in a quote, in fenced code or where nobody sees it?
#[must_use]
pub fn resolves(comment: &str) -> bool {
    let is_quote = |line: &str| line.trim_start().starts_with('>');
    let mut own = lines_outside_fences_and_comments(comment).filter(|line| !is_quote(line));
    own.any(|line| line.contains(RESOLVED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_comments_own_words_resolve() {
        for (comment, expected) in [
            ("RALPH RESOLVED: go on", true),
            ("Thanks!\r\n\r\nI think **RALPH RESOLVED:** fits.", true),
            ("> what now?\n\nRALPH RESOLVED: this", true),
            ("```\ncode\n```\nRALPH RESOLVED: this", true),
            ("> RALPH RESOLVED: says who?", false),
            ("  > > RALPH RESOLVED: says who?", false),
            ("```\nRALPH RESOLVED: an example\n```", false),
            ("<!--\nRALPH RESOLVED: unseen\n-->", false),
            ("<!-- RALPH RESOLVED: unseen -->", false),
            ("ralph resolved: no", false),
            ("RALPH RESOLVED", false),
            ("", false),
        ] {
            assert_eq!(resolves(comment), expected, "{comment:?}");
        }
    }
}
