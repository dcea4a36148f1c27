//! The part of Markdown that the parsers need: the lines of a text, with fenced code and comments blanked out.

/// Fewest characters that make a fence.
const FENCE_CHARS_MIN: usize = 3;

/// Returns every line, with the lines of fenced blocks blank. Line ends are `\n` or `\r\n`; a fence that is never
/// closed extends to the end, as on the rendered page.
pub(crate) fn lines_outside_fences(text: &str) -> impl Iterator<Item = &str> {
    lines(text, false)
}

/// Like [`lines_outside_fences`], with HTML comments blank too. As on the rendered page, a comment that spans lines
/// starts at the beginning of one and hides whole lines.
pub(crate) fn lines_outside_fences_and_comments(text: &str) -> impl Iterator<Item = &str> {
    lines(text, true)
}

#[derive(Clone, Copy)]
enum Block {
    Text,
    Fence(Fence),
    Comment,
}

fn lines(text: &str, hide_comments: bool) -> impl Iterator<Item = &str> {
    let mut block = Block::Text;
    text.lines().map(move |line| {
        let starts_comment = || hide_comments && line.trim_start().starts_with("<!--");
        match block {
            Block::Text => {
                if let Some(fence) = Fence::read(line).filter(|fence| fence.opens) {
                    block = Block::Fence(fence);
                } else if starts_comment() {
                    block = if line.contains("-->") { Block::Text } else { Block::Comment };
                } else {
                    return line;
                }
            }
            Block::Fence(opening) => {
                if Fence::read(line).is_some_and(|fence| fence.closes(opening)) {
                    block = Block::Text;
                }
            }
            Block::Comment => {
                if line.contains("-->") {
                    block = Block::Text;
                }
            }
        }
        ""
    })
}

#[derive(Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
    /// Nothing but marks, as on a closing fence.
    bare: bool,
    /// False if backticks later in the line make it a code span instead of a fence.
    opens: bool,
}

impl Fence {
    fn read(line: &str) -> Option<Self> {
        // Any indentation counts: a fence inside a list item is indented as far as the item's text.
        let line = line.trim_start_matches([' ', '\t']);
        let mark = line.bytes().next().filter(|first| matches!(first, b'`' | b'~'))?;
        let info = line.trim_start_matches(char::from(mark));
        let length = line.len() - info.len();
        (length >= FENCE_CHARS_MIN).then(|| Self {
            mark,
            length,
            bare: info.trim().is_empty(),
            opens: mark == b'~' || !info.contains('`'),
        })
    }

    const fn closes(self, opening: Self) -> bool {
        self.bare && self.mark == opening.mark && self.length >= opening.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_fences_are_blank() {
        for (text, expected) in [
            ("a\r\n```\nb\n```\nc", "a||||c"),
            ("```json\na\n``` x\nb\n````\nc", "|||||c"),
            ("~~~\n```\na\n~~~\nb", "||||b"),
            ("````\n```\na\n````\nb", "||||b"),
            ("``` not `a` fence\na", "``` not `a` fence|a"),
            ("- item\n    ```\n    a\n    ```\nb", "- item||||b"),
            ("a\n```\nnever closed", "a||"),
            ("``\na", "``|a"),
            ("<!--\na\n-->", "<!--|a|-->"),
        ] {
            assert_eq!(lines_outside_fences(text).collect::<Vec<_>>().join("|"), expected);
        }
    }

    #[test]
    fn lines_in_comments_are_blank_where_asked() {
        for (text, expected) in [
            ("a\n <!-- b --> c\nd", "a||d"),
            ("<!--\n```\n--> a\nb", "|||b"),
            ("```\n<!--\n```\na", "|||a"),
            ("a <!--\nb", "a <!--|b"),
            ("<!-->\na", "|a"),
            ("<!-- never closed\na", "|"),
        ] {
            let lines = lines_outside_fences_and_comments(text).collect::<Vec<_>>();
            assert_eq!(lines.join("|"), expected, "{text:?}");
        }
    }
}
