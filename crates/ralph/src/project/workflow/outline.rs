//! The outline of a workflow: keys, values and items by their indentation. This is the part of YAML that workflows
//! use for triggers and jobs; what it cannot express is taken as text and leads to no finding.

/// Levels below which nothing is looked at, so that no file can make the reader work without end.
const DEPTH_MAX: usize = 32;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// Empty for an item of a list.
    pub(super) key: String,
    pub(super) value: String,
    below: Vec<Self>,
}

impl Node {
    pub(super) fn parse(text: &str) -> Self {
        let lines: Vec<_> = text.lines().filter_map(line).collect();
        Self { below: nodes(&mut lines.as_slice(), 0), ..Self::default() }
    }

    pub(super) fn child(&self, key: &str) -> Option<&Self> {
        self.below.iter().find(|node| node.key == key)
    }

    pub(super) fn children(&self) -> impl Iterator<Item = &Self> {
        self.below.iter()
    }

    /// The filter for paths of an event.
    pub(super) fn paths(&self) -> Option<&Self> {
        self.child("paths").or_else(|| self.child("paths-ignore"))
    }

    /// A value, a list in brackets, or items below.
    pub(super) fn items(&self) -> Vec<String> {
        let inside = self.value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let items: Vec<_> = match inside {
            Some(inside) => inside.split(',').map(plain).collect(),
            None if self.value.is_empty() => {
                let items = self.below.iter().filter(|node| node.key.is_empty());
                items.map(|node| node.value.clone()).collect()
            }
            None => vec![self.value.clone()],
        };
        items.into_iter().filter(|item| !item.is_empty()).collect()
    }
}

/// The indentation of a line and its content; `None` for blank lines and comments.
fn line(text: &str) -> Option<(usize, &str)> {
    let content = text.trim();
    let content = content.split_once(" #").map_or(content, |(before, _)| before.trim_end());
    let is_nothing = content.is_empty() || content.starts_with('#') || content == "---";
    let indent = text.len() - text.trim_start().len();
    // An item may stand in the column of its key.
    let indent = 2 * indent + usize::from(content.starts_with('-'));
    (!is_nothing).then_some((indent, content))
}

/// The nodes at one level, with those below each.
fn nodes(lines: &mut &[(usize, &str)], depth: usize) -> Vec<Node> {
    let mut all = Vec::new();
    let Some((level, _)) = lines.first().copied() else { return all };
    while let Some(((indent, content), rest)) = lines.split_first() {
        if *indent < level {
            break;
        }
        *lines = rest;
        let mut node = node(content);
        if lines.first().is_some_and(|(next, _)| next > indent) && depth < DEPTH_MAX {
            node.below = nodes(lines, depth + 1);
        }
        all.push(node);
    }
    all
}

fn node(content: &str) -> Node {
    if let Some(item) = content.strip_prefix('-') {
        return Node { value: plain(item), ..Node::default() };
    }
    match content.split_once(':') {
        Some((key, value)) if value.is_empty() || value.starts_with(' ') => {
            Node { key: plain(key), value: plain(value), below: Vec::new() }
        }
        Some(_) | None => Node { value: plain(content), ..Node::default() },
    }
}

fn plain(text: &str) -> String {
    let text = text.trim();
    let quoted = |mark| text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    quoted('"').or_else(|| quoted('\'')).unwrap_or(text).to_owned()
}
