//! Excerpts: text that is fit to be stored, logged or posted, because it is clean, without secrets and bounded.

use crate::redact::redact;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

/// Limit for a reason, a title or a status line.
pub const LINE_BYTES_MAX: usize = 500;
/// Limit for one command's output in a comment or a prompt.
pub const LOG_BYTES_MAX: usize = 4_000;
/// Limit for an artifact in the store.
pub const ARTIFACT_BYTES_MAX: usize = 64_000;

/// The longest line that can replace the text that was cut.
const CUT_LINE_BYTES_MAX: usize = "\n[ bytes cut]\n".len() + 20;

/// A text that was cleaned, redacted and bounded, in this order: neither a control character inside a token nor a cut
/// through it may hide the token.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Excerpt(String);

impl Excerpt {
    /// Returns at most `limit` bytes: the beginning, a line with the number of bytes cut, and the end. The end gets two
    /// thirds, because tools report their errors there.
    #[must_use]
    pub fn of(text: &str, limit: usize) -> Self {
        Self(bound(prepared(text), limit, 3))
    }

    /// Returns at most `limit` bytes of the end, under a line with the number of bytes cut.
    #[must_use]
    pub fn tail(text: &str, limit: usize) -> Self {
        Self(bound(prepared(text), limit, usize::MAX))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Excerpt> for String {
    fn from(excerpt: Excerpt) -> Self {
        excerpt.0
    }
}

fn prepared(text: &str) -> String {
    match clean(text) {
        Cow::Borrowed(text) => redact(text).into_owned(),
        Cow::Owned(text) => redact(&text).into_owned(),
    }
}

/// Keeps one `head_share`-th of the space for the beginning and the rest for the end.
fn bound(text: String, limit: usize, head_share: usize) -> String {
    if text.len() <= limit {
        return text;
    }
    let space = limit.saturating_sub(CUT_LINE_BYTES_MAX);
    let (head, rest) = split(&text, space / head_share);
    let (middle, tail) = split(rest, rest.ceil_char_boundary(rest.len() - (space - head.len())));
    let line = format!("[{} bytes cut]\n", middle.len());
    let separator = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    let bounded = format!("{head}{separator}{line}{tail}");
    // The line is left out if there is no room for it.
    if bounded.len() <= limit { bounded } else { split(&text, limit).0.to_owned() }
}

fn split(text: &str, at: usize) -> (&str, &str) {
    text.split_at_checked(text.floor_char_boundary(at)).unwrap_or((text, ""))
}

/// Removes terminal escapes, control characters other than line feed and tab, and characters that reorder the text;
/// every line end becomes a line feed.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    // Most texts are clean already.
    if text.chars().all(|character| matches!(character, '\n' | '\t') || is_shown(character)) {
        return Cow::Borrowed(text);
    }
    let mut output = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\n' | '\t' => output.push(character),
            '\r' => {
                rest.next_if_eq(&'\n');
                output.push('\n');
            }
            '\u{1b}' => skip_escape(&mut rest),
            '\u{9b}' => skip_control_sequence(&mut rest),
            shown if is_shown(shown) => output.push(shown),
            _ => {}
        }
    }
    Cow::Owned(output)
}

fn is_shown(character: char) -> bool {
    let reorders = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !character.is_control() && !reorders
}

fn skip_escape(rest: &mut Peekable<Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_control_string(rest);
        }
        Some(' '..='/') => {
            while rest.next_if(|c| matches!(c, ' '..='/')).is_some() {}
            rest.next_if(|c| matches!(c, '0'..='~'));
        }
        Some('0'..='~') => {
            rest.next();
        }
        Some(_) | None => {}
    }
}

/// Skips parameters and the final character, such as `1;31m`.
fn skip_control_sequence(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    rest.next_if(|c| matches!(c, '@'..='~'));
}

/// Skips a title or a link up to its terminator. One that is never closed ends with its line, so that a broken escape
/// cannot hide the rest of a log.
fn skip_control_string(rest: &mut Peekable<Chars<'_>>) {
    while let Some(character) = rest.next_if(|c| !matches!(c, '\n' | '\r')) {
        match character {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_control_characters_are_removed() {
        for (text, expected) in [
            ("a\r\nb\rc\n\td", "a\nb\nc\n\td"),
            ("\u{1b}[1;31mred\u{1b}[0m \u{9b}2Kx", "red x"),
            ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\link", "alink"),
            ("\u{1b}]never closed\nb", "\nb"),
            ("\u{1b}(Ba\u{1b}7b\u{1b}", "ab"),
            ("a\0\u{8}\u{7f}b\u{202e}c", "abc"),
            ("é🦀", "é🦀"),
        ] {
            assert_eq!(Excerpt::of(text, 1_000).as_str(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_control_character_does_not_hide_a_secret() {
        let text = "ghp_0123\u{1b}[0m45678\09abcdefghij";
        assert_eq!(Excerpt::of(text, 100).as_str(), "[redacted]");
    }

    #[test]
    fn head_and_tail_are_kept_and_the_cut_is_counted() {
        let text = format!("first\n{}\nlast", "x".repeat(1_000));
        let excerpt = Excerpt::of(&text, 100);
        let lines: Vec<_> = excerpt.as_str().lines().collect();
        assert_eq!(lines[0], "first");
        assert_eq!(lines[2], "[945 bytes cut]");
        assert_eq!(lines.last(), Some(&"last"));
        assert!(excerpt.as_str().len() <= 100);
        let tail = Excerpt::tail(&text, 60);
        assert_eq!(tail.as_str(), format!("[985 bytes cut]\n{}\nlast", "x".repeat(21)));
    }

    #[test]
    fn any_limit_is_kept_on_character_boundaries() {
        let text = "🦀".repeat(100);
        for limit in 0..=text.len() + 1 {
            assert!(Excerpt::of(&text, limit).as_str().len() <= limit);
            assert!(Excerpt::tail(&text, limit).as_str().len() <= limit);
        }
        assert_eq!(Excerpt::of("🦀🦀🦀", 9).as_str(), "🦀🦀");
    }
}
