//! Finds issues named in a text, and which of them a closing keyword stands before.

/// `#n` or `owner/repo#n` in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// `owner/name`; none for the repository the text is in.
    pub(super) repo: Option<String>,
    pub(super) number: u64,
    pub(super) closes: bool,
}

const CLOSING_KEYWORDS: [&str; 9] =
    ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"];

/// References in a commit message, in order.
pub(super) fn in_plain_text(text: &str) -> Vec<Reference> {
    text.match_indices('#').filter_map(|(at, _hash)| reference_at(text, at)).collect()
}

/// References in a body or comment: what is in code or in an HTML comment is not one.
pub(super) fn in_markdown(text: &str) -> Vec<Reference> {
    if text.contains('#') { in_plain_text(&visible(text)) } else { Vec::new() }
}

fn reference_at(text: &str, hash: usize) -> Option<Reference> {
    let (before, after) = text.split_at_checked(hash)?;
    let after = after.strip_prefix('#')?;
    let digits = after.find(|next: char| !next.is_ascii_digit()).unwrap_or(after.len());
    let (digits, rest) = after.split_at_checked(digits)?;
    if rest.starts_with(|next: char| next.is_alphanumeric() || next == '_') {
        return None;
    }
    let number = digits.parse().ok().filter(|number| *number > 0)?;
    let in_name = |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
    let start = before.trim_end_matches(in_name).len();
    let (before, name) = before.split_at_checked(start)?;
    if before.ends_with(|last: char| last.is_alphanumeric() || last == '#' || last == '&') {
        return None;
    }
    let repo = match name {
        "" | "." => None,
        name => Some(name.split_once('/').filter(|(owner, repo)| is_name(owner) && is_name(repo))?),
    };
    let repo = repo.map(|(owner, repo)| format!("{owner}/{repo}"));
    Some(Reference { repo, number, closes: ends_in_keyword(before) })
}

fn is_name(part: &str) -> bool {
    !part.is_empty() && !part.contains('/')
}

/// One keyword closes one issue, so it has to stand directly before the reference.
fn ends_in_keyword(before: &str) -> bool {
    let Some(spaced) = before.strip_suffix(|last: char| last == ' ' || last == '\t') else {
        return false;
    };
    let spaced = spaced.trim_end_matches([' ', '\t']);
    let words = spaced.strip_suffix(':').unwrap_or(spaced);
    let start = words.trim_end_matches(|last: char| last.is_ascii_alphabetic()).len();
    let Some((earlier, word)) = words.split_at_checked(start) else { return false };
    let whole = !earlier.ends_with(|last: char| last.is_alphanumeric() || "_-".contains(last));
    whole && CLOSING_KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// The text without fenced blocks, code spans and HTML comments.
fn visible(markdown: &str) -> String {
    let mut visible = String::with_capacity(markdown.len());
    let mut fence: Option<&str> = None;
    for line in without_html_comments(markdown).split_inclusive('\n') {
        let start = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|marker| start.starts_with(marker));
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if open == marker => fence = None,
            (Some(_open), _other) => {}
            (None, None) => push_without_code_spans(&mut visible, line),
        }
    }
    visible
}

fn without_html_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_hidden, after)| after);
    }
    kept.push_str(rest);
    kept
}

/// An opening backtick without a closing one on its line is an ordinary character.
fn push_without_code_spans(visible: &mut String, line: &str) {
    let mut rest = line;
    while let Some((before, span)) = rest.split_once('`') {
        let Some((_code, after)) = span.split_once('`') else { break };
        visible.push_str(before);
        visible.push('`');
        rest = after;
    }
    visible.push_str(rest);
}
