//! Hidden markers: the invisible line by which Ralph recognises its own comments. A marker carries an id and a little
//! data, never authority: the store decides, the marker only finds the comment again.

use serde::{Deserialize, Serialize};

/// Longest id and longest data, as escaped. A longer one is cut after the last whole character that fits: a marker is a
/// hint, and a comment must not fail because of it.
pub const ESCAPED_BYTES_MAX: usize = 1024;

const OPEN: &str = "<!-- ";
const CLOSE: &str = " -->";
const DATA: &str = " data=";

/// The kind of comment, issue or pull request that a marker belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarkerKind {
    Command,
    Escalation,
    Verify,
    CiDebug,
    MergeConflict,
    Rollup,
    Adopted,
    /// On a pull request that brings the default branch into the bot branch.
    Sync,
    /// On the pull request of a trial build.
    Trial,
    /// On the follow-up issue of a failure that was rerun.
    Quarantine,
    /// On the issue of a small fix that a survey proposed.
    Papercut,
}

impl MarkerKind {
    pub const ALL: [Self; 11] = [
        Self::Command,
        Self::Escalation,
        Self::Verify,
        Self::CiDebug,
        Self::MergeConflict,
        Self::Rollup,
        Self::Adopted,
        Self::Sync,
        Self::Trial,
        Self::Quarantine,
        Self::Papercut,
    ];

    /// The exact text between the opening and the id.
    const fn wire_name(self) -> &'static str {
        match self {
            Self::Command => "ralph-cmd:id=",
            Self::Escalation => "ralph-escalation:id=",
            Self::Verify => "ralph-verify:v1 id=",
            Self::CiDebug => "ralph-ci-debug:id=",
            Self::MergeConflict => "ralph-merge-conflict:id=",
            Self::Rollup => "ralph-rollup:id=",
            Self::Adopted => "ralph-adopted:id=",
            Self::Sync => "ralph-sync:id=",
            Self::Trial => "ralph-trial:id=",
            Self::Quarantine => "ralph-quarantine:id=",
            Self::Papercut => "ralph-papercut:id=",
        }
    }
}

/// A marker. Written, it is always a single line of ASCII without `--` or `>` inside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HiddenMarker {
    pub kind: MarkerKind,
    pub id: String,
    pub data: Option<String>,
}

impl HiddenMarker {
    /// Makes a marker that reads back unchanged: id and data are cut to [`ESCAPED_BYTES_MAX`] here.
    #[must_use]
    pub fn new(kind: MarkerKind, id: &str, data: Option<&str>) -> Self {
        let cut = |text: &str| Escaped::of(text).source.to_owned();
        Self { kind, id: cut(id), data: data.map(cut) }
    }

    #[must_use]
    pub fn render(&self) -> String {
        let id = Escaped::of(&self.id).text;
        let data = self.data.as_deref().map(|data| Escaped::of(data).text);
        let (separator, data) = data.as_ref().map_or(("", ""), |data| (DATA, data));
        format!("{OPEN}{}{id}{separator}{data}{CLOSE}", self.kind.wire_name())
    }
}

/// Returns the first of Ralph's markers in a comment's body. Ralph writes its own before any other text, so a marker
/// quoted further down is never mistaken for it.
#[must_use]
pub fn find(text: &str) -> Option<HiddenMarker> {
    all(text).next()
}

/// Returns every marker in a text, in order.
pub fn all(text: &str) -> impl Iterator<Item = HiddenMarker> {
    let starts = text.match_indices(OPEN).map(|(at, _)| at + OPEN.len());
    starts.filter_map(|at| read(text.get(at..)?))
}

/// Reads a marker from behind its opening.
fn read(text: &str) -> Option<HiddenMarker> {
    let with_id = |kind: &MarkerKind| Some((*kind, text.strip_prefix(kind.wire_name())?));
    let (kind, rest) = MarkerKind::ALL.iter().find_map(with_id)?;
    let (id, rest) = split_at_space(rest)?;
    let (data, rest) = match rest.strip_prefix(DATA) {
        Some(rest) => {
            let (data, rest) = split_at_space(rest)?;
            (Some(unescape(data)?), rest)
        }
        None => (None, rest),
    };
    let is_closed = rest.starts_with(CLOSE);
    is_closed.then_some(HiddenMarker { kind, id: unescape(id)?, data })
}

/// Splits at the first space, within the length that an escaped text can have.
fn split_at_space(text: &str) -> Option<(&str, &str)> {
    let length = text.bytes().take(ESCAPED_BYTES_MAX + 1).position(|byte| byte == b' ')?;
    text.split_at_checked(length)
}

struct Escaped<'a> {
    text: String,
    /// The part of the original that `text` represents.
    source: &'a str,
}

impl<'a> Escaped<'a> {
    fn of(source: &'a str) -> Self {
        let mut text = String::with_capacity(source.len().min(ESCAPED_BYTES_MAX));
        for (at, character) in source.char_indices() {
            let length_before = text.len();
            escape(character, &mut text);
            if text.len() > ESCAPED_BYTES_MAX {
                text.truncate(length_before);
                return Self { text, source: source.get(..at).unwrap_or_default() };
            }
        }
        Self { text, source }
    }
}

fn escape(character: char, into: &mut String) {
    let ends_comment = character == '-' && into.ends_with('-');
    // `@` and `#` would be plain here too, but a forge may look for mentions and links anywhere.
    let is_plain =
        character.is_ascii_graphic() && !matches!(character, '%' | '<' | '>' | '@' | '#');
    if is_plain && !ends_comment {
        into.push(character);
        return;
    }
    for byte in character.encode_utf8(&mut [0; 4]).bytes() {
        let digits = [byte >> 4, byte & 15].map(|half| char::from_digit(u32::from(half), 16));
        into.push('%');
        into.extend(digits.into_iter().flatten().map(|digit| digit.to_ascii_uppercase()));
    }
}

fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_written_as_the_contract_spells_them() {
        for (kind, id, data, expected) in [
            (MarkerKind::Escalation, "7f", None, "<!-- ralph-escalation:id=7f -->"),
            (MarkerKind::Command, "1", Some(""), "<!-- ralph-cmd:id=1 data= -->"),
            (MarkerKind::Verify, "12", None, "<!-- ralph-verify:v1 id=12 -->"),
            (MarkerKind::CiDebug, "12", Some("a b"), "<!-- ralph-ci-debug:id=12 data=a%20b -->"),
            (MarkerKind::MergeConflict, "", None, "<!-- ralph-merge-conflict:id= -->"),
            (MarkerKind::Rollup, "a--->", None, "<!-- ralph-rollup:id=a-%2D-%3E -->"),
            (MarkerKind::Adopted, "é\n\0", None, "<!-- ralph-adopted:id=%C3%A9%0A%00 -->"),
        ] {
            let marker = HiddenMarker::new(kind, id, data);
            assert_eq!(marker.render(), expected);
            assert_eq!(find(&format!("text <!-- x -->{expected} more")), Some(marker));
        }
    }

    #[test]
    fn what_is_not_exactly_a_marker_is_none() {
        for text in [
            "",
            "<!-- ralph-cmd:id=1",
            "<!-- ralph-cmd:id=1-->",
            "<!--ralph-cmd:id=1 -->",
            "<!-- ralph-cmd:id=1 state=2 -->",
            "<!-- ralph-cmd:id=1 data=2 3 -->",
            "<!-- ralph-cmd:id=%zz -->",
            "<!-- ralph-cmd:id=%F -->",
            "<!-- ralph-cmd:id=%FF -->",
            "<!-- ralph-other:id=1 -->",
            "<!-- ralph-verify:id=1 -->",
            "ralph-cmd:id=1",
        ] {
            assert_eq!(find(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_first_marker_is_the_comments_own() {
        let text = "<!-- ralph-cmd:id=1 -->\n> <!-- ralph-cmd:id=2 -->";
        assert_eq!(find(text), Some(HiddenMarker::new(MarkerKind::Command, "1", None)));
        assert_eq!(all(text).count(), 2);
    }

    #[test]
    fn data_that_is_too_long_is_cut_after_a_whole_character() {
        let marker = HiddenMarker::new(MarkerKind::Command, "1", Some(&"🦀".repeat(1_000)));
        let data = marker.data.clone().unwrap();
        assert_eq!(data, "🦀".repeat(ESCAPED_BYTES_MAX / 12));
        assert_eq!(find(&marker.render()), Some(marker));
        let exact = HiddenMarker::new(MarkerKind::Command, "1", Some(&"a".repeat(1_024)));
        assert_eq!(exact.data.as_ref().map(String::len), Some(1_024));
        assert_eq!(find(&exact.render()), Some(exact));
    }
}
