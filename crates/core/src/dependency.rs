//! Dependencies that people write into an issue's body, under `## Blocked by` and `## Blocks`. Ralph
//! reads these sections and never edits them.

use crate::ids::{IssueKey, RepoName};
use crate::markdown::lines_outside_fences_and_comments;
use serde::{Deserialize, Serialize};

/// Edges kept of one section; the forge itself allows 50 native dependencies and 100 sub-issues. In a longer section
/// unresolved edges replace resolved ones.
pub const EDGES_MAX: usize = 100;

/// Most digits of an issue number; 15 fit every integer type that it passes through.
const ISSUE_DIGITS_MAX: usize = 15;

/// One list item that begins with an issue reference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BodyEdge {
    pub on: IssueKey,
    /// A ticked box resolves this edge only; no box counts as unresolved.
    pub ticked: bool,
}

/// The dependencies in a body, each issue at most once per section, in the order in which they are written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct BodyEdges {
    pub blocked_by: Vec<BodyEdge>,
    pub blocks: Vec<BodyEdge>,
}

/// Reads both sections of `body`; `#n` refers to an issue of `home`.
#[must_use]
pub fn parse_body(home: &RepoName, body: &str) -> BodyEdges {
    let mut edges = BodyEdges::default();
    // Most bodies have no such section, and this runs for every issue at every read.
    if !body.contains("## Block") {
        return edges;
    }
    let mut section = None;
    let mut previous = Line::Other;
    for text in lines_outside_fences_and_comments(body) {
        let line = Line::read(text, previous);
        match line {
            Line::Heading => section = Section::headed_by(text),
            Line::Item(item) => {
                if let Some(section) = section
                    && let Some(edge) = read_item(home, item)
                {
                    keep(section.edges(&mut edges), edge);
                }
            }
            Line::Paragraph | Line::Other => {}
        }
        previous = line;
    }
    edges
}

#[derive(Clone, Copy)]
enum Section {
    BlockedBy,
    Blocks,
}

impl Section {
    fn headed_by(line: &str) -> Option<Self> {
        match line.trim_end() {
            "## Blocked by" => Some(Self::BlockedBy),
            "## Blocks" => Some(Self::Blocks),
            _ => None,
        }
    }

    const fn edges(self, edges: &mut BodyEdges) -> &mut Vec<BodyEdge> {
        match self {
            Self::BlockedBy => &mut edges.blocked_by,
            Self::Blocks => &mut edges.blocks,
        }
    }
}

#[derive(Clone, Copy)]
enum Line<'a> {
    /// A heading of level 1 or 2, in either Markdown notation; it ends a section.
    Heading,
    /// A list item: the text behind its mark.
    Item(&'a str),
    /// Text at the left margin, which a following underline would make a heading.
    Paragraph,
    Other,
}

impl<'a> Line<'a> {
    fn read(text: &'a str, previous: Self) -> Self {
        let trimmed = text.trim_start_matches([' ', '\t']);
        if text.len() - trimmed.len() < 4 && is_heading(trimmed) {
            return Self::Heading;
        }
        if let Some(item) = trimmed.strip_prefix(['-', '*', '+'])
            && item.starts_with([' ', '\t'])
        {
            return Self::Item(item);
        }
        if matches!(previous, Self::Paragraph) && is_underline(text) {
            return Self::Heading;
        }
        // A line right below an item continues that item, whatever its indentation.
        let continues_item = matches!(previous, Self::Item(_));
        if continues_item && !trimmed.is_empty() {
            return previous.without_reference();
        }
        let at_margin = trimmed.len() == text.len();
        let is_text =
            at_margin && !trimmed.is_empty() && !trimmed.starts_with(['>', '#', '<', '|']);
        if is_text { Self::Paragraph } else { Self::Other }
    }

    const fn without_reference(self) -> Self {
        match self {
            Self::Item(_) => Self::Item(""),
            Self::Heading | Self::Paragraph | Self::Other => self,
        }
    }
}

fn is_heading(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("##").or_else(|| line.strip_prefix('#')) else {
        return false;
    };
    rest.is_empty() || rest.starts_with([' ', '\t'])
}

fn is_underline(line: &str) -> bool {
    let line = line.trim_end();
    let only = |mark: u8| line.bytes().all(|byte| byte == mark);
    !line.is_empty() && (only(b'=') || only(b'-'))
}

fn read_item(home: &RepoName, item: &str) -> Option<BodyEdge> {
    let item = item.trim_start_matches([' ', '\t']);
    let (ticked, reference) = match read_box(item) {
        Some((ticked, rest)) => (ticked, rest.trim_start_matches([' ', '\t'])),
        None => (false, item),
    };
    let (repo, rest) = reference.split_once('#')?;
    let repo = if repo.is_empty() { home.clone() } else { RepoName::parse(repo)? };
    let number = leading_issue_number(rest)?;
    Some(BodyEdge { on: IssueKey::new(repo, number), ticked })
}

fn read_box(item: &str) -> Option<(bool, &str)> {
    let (ticked, rest) = if let Some(rest) = item.strip_prefix("[ ]") {
        (false, rest)
    } else {
        (true, item.strip_prefix("[x]").or_else(|| item.strip_prefix("[X]"))?)
    };
    rest.starts_with([' ', '\t']).then_some((ticked, rest))
}

fn leading_issue_number(text: &str) -> Option<u64> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let runs_on = rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let digits = text.get(..text.len() - rest.len())?;
    if runs_on || digits.len() > ISSUE_DIGITS_MAX {
        return None;
    }
    digits.parse().ok().filter(|number| *number > 0)
}

fn keep(edges: &mut Vec<BodyEdge>, edge: BodyEdge) {
    let is_same =
        |known: &&mut BodyEdge| known.on.number == edge.on.number && known.on.repo == edge.on.repo;
    if let Some(known) = edges.iter_mut().find(is_same) {
        known.ticked &= edge.ticked;
    } else if edges.len() < EDGES_MAX {
        edges.push(edge);
    } else if !edge.ticked
        && let Some(position) = edges.iter().rposition(|known| known.ticked)
    {
        edges.remove(position);
        edges.push(edge);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> (String, String) {
        let home = RepoName::parse("acme/app").unwrap();
        let edges = parse_body(&home, body);
        let show = |edges: &[BodyEdge]| {
            let show_one = |edge: &BodyEdge| {
                let name = edge.on.to_string().replace("acme/app", "");
                if edge.ticked { format!("({name})") } else { name }
            };
            edges.iter().map(show_one).collect::<Vec<_>>().join(" ")
        };
        (show(&edges.blocked_by), show(&edges.blocks))
    }

    #[test]
    fn items_that_begin_with_a_reference_are_edges() {
        for (items, expected) in [
            ("- [ ] #123 text", "#123"),
            ("- [x] owner/repo#456 text", "(owner/repo#456)"),
            ("* [X] #1\n+ #2: why\n\t- #3, and #4", "(#1) #2 #3"),
            ("- Acme/App#5\r\n- OTHER/Repo#6\r", "#5 other/repo#6"),
            ("- [ ]#1\n-#2\n- [y] #3\n- [] #4\n- [x]", ""),
            ("- see #1\n- **#2**\n- [#3](https://x)\n1. #4\n#5\n> - #6", ""),
            ("- #0\n- #\n- #-1\n- #+1\n- #1a\n- #2_b\n- #3é\n- a#4\n- a/b/c#5", ""),
            ("- #007\n- #999999999999999\n- #1000000000000000", "#7 #999999999999999"),
            ("- #1\n- [x] #1\n- [x] #2\n- [ ] #2\n- [x] #3\n- [x] #3", "#1 #2 (#3)"),
        ] {
            assert_eq!(read(&format!("## Blocked by\n{items}")).0, expected, "{items:?}");
        }
    }

    #[test]
    fn a_section_runs_from_its_exact_heading_to_the_next_of_level_one_or_two() {
        for (body, expected) in [
            ("## Blocked by\n- #1\n\ntext\n### Part\n- #2\n## Blocks\n- #3", ("#1 #2", "#3")),
            ("- #1\n## Blocked by \n- #2\n# Notes\n- #3", ("#2", "")),
            ("## Blocked by\n- #1\n##\n- #2", ("#1", "")),
            ("## Blocked by\n- #1\n##no heading\n- #2", ("#1 #2", "")),
            ("## Blocked by\n- #1\n\nNotes\n-----\n- #2", ("#1", "")),
            ("## Blocked by\n- #1\n\nNotes\n===\n- #2", ("#1", "")),
            ("## Blocked by\n- #1\nmore of it\n---\n- #2", ("#1 #2", "")),
            ("## Blocked by\n- #1\n\n---\n- #2", ("#1 #2", "")),
            ("## Blocks\r\n- #1\r\n## Blocked by\r\n- #2\r\n", ("#2", "#1")),
            ("## Blocked by\n- #1\n## Other\n- #2\n## Blocked by\n- #3", ("#1 #3", "")),
            ("## blocked by\n- #1\n### Blocked by\n- #2\n# Blocks\n- #3", ("", "")),
            ("## Blocked by:\n- #1\n ## Blocks\n- #2\n##  Blocks\n- #3", ("", "")),
        ] {
            let (blocked_by, blocks) = read(body);
            assert_eq!((blocked_by.as_str(), blocks.as_str()), expected, "{body:?}");
        }
    }

    #[test]
    fn fences_and_comments_are_skipped() {
        for (body, expected) in [
            ("```\n## Blocked by\n- #1\n```\n## Blocked by\n- #2", "#2"),
            ("## Blocked by\n```\n- #1\n# x\n```\n- #2", "#2"),
            ("## Blocked by\n<!-- - #1 -->\n- #2", "#2"),
            ("## Blocked by\n<!--\n- #1\n```\n-->\n- #2", "#2"),
            ("## Blocked by\n- #1 <!-- note -->\n- #2", "#1 #2"),
            ("<!--\n## Blocked by\n- #1", ""),
            ("## Blocked by\n- <!-- x --> #1", ""),
        ] {
            assert_eq!(read(body).0, expected, "{body:?}");
        }
    }

    #[test]
    fn unresolved_edges_are_the_last_to_be_dropped() {
        use std::fmt::Write;
        let mut body = "## Blocked by\n".to_owned();
        for number in 1..=EDGES_MAX + 10 {
            writeln!(body, "- [x] #{number}").unwrap();
        }
        writeln!(body, "- [ ] #5000").unwrap();
        let edges = parse_body(&RepoName::parse("acme/app").unwrap(), &body).blocked_by;
        assert_eq!(edges.len(), EDGES_MAX);
        assert_eq!(edges.iter().filter(|edge| !edge.ticked).count(), 1);
    }
}
