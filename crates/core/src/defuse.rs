//! Defuses words that a forge acts on in texts that others wrote: words that close issues, and tags that keep checks
//! from running. All text stays readable.

use crate::closing::KEYWORDS;

/// Inserted between a closing word and the reference behind it: the forge acts only if they are adjacent.
const BETWEEN: &str = "issue ";
/// Longest text in brackets that is examined.
const TAG_BYTES_MAX: usize = 60;
/// Words by which a tag in brackets switches something off.
const OFF: [&str; 2] = ["skip", "no"];
/// Things that such a tag switches off, on GitHub and elsewhere.
const SWITCHES: [&str; 17] = [
    "ci",
    "cd",
    "actions",
    "action",
    "checks",
    "check",
    "build",
    "builds",
    "pipeline",
    "pipelines",
    "workflow",
    "workflows",
    "travis",
    "circleci",
    "appveyor",
    "azurepipelines",
    "buildkite",
];
/// The tag of Azure Pipelines.
const NO_CI: &str = "***no_ci***";
/// Trailers that GitHub reads.
const TRAILERS: [&str; 2] = ["skip-checks", "request-checks"];

/// Returns the text with nothing left that closes an issue or switches checks off. Text without such words and defused
/// text come back unchanged.
#[must_use]
pub fn defuse(text: &str) -> String {
    without_trailers(&without_tags(&without_closings(text)))
}

/// Like [`defuse`], but keeps lines that are exactly one of `own`: Ralph wrote them.
#[must_use]
pub fn defuse_but(text: &str, own: &[String]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut foreign = String::new();
    for line in text.split_inclusive('\n') {
        if own.iter().any(|own| own == line.trim_end_matches(['\n', '\r'])) {
            kept.push_str(&defuse(&foreign));
            foreign.clear();
            kept.push_str(line);
        } else {
            foreign.push_str(line);
        }
    }
    kept.push_str(&defuse(&foreign));
    kept
}

fn without_closings(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    let mut rest = text;
    let mut last: Option<char> = None;
    while let Some(first) = rest.chars().next() {
        let keyword = keyword_at(rest, last);
        let reference = keyword.and_then(|keyword| reference_behind(rest, keyword));
        let taken = reference.unwrap_or(first.len_utf8());
        let (part, behind) = rest.split_at_checked(taken).unwrap_or((rest, ""));
        harmless.push_str(part);
        if reference.is_some() {
            if part.ends_with(char::is_alphanumeric) {
                harmless.push(' ');
            }
            harmless.push_str(BETWEEN);
        }
        last = part.chars().next_back();
        rest = behind;
    }
    harmless
}

/// Returns the length of the closing word that the text begins with, if it is a whole word.
fn keyword_at(text: &str, before: Option<char>) -> Option<usize> {
    if before.is_some_and(is_word) {
        return None;
    }
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let word = text.get(..end)?;
    let is_whole = !text.get(end..)?.starts_with(is_word);
    let is_keyword = KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word));
    (is_whole && is_keyword).then_some(end)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the position of a reference directly behind the closing word.
fn reference_behind(text: &str, keyword: usize) -> Option<usize> {
    let behind = text.get(keyword..)?;
    let reference = behind.trim_start_matches(is_between);
    let is_apart = reference.len() < behind.len();
    let is_reference = reference.starts_with('#') && begins_with_digit(reference.get(1..)?)
        || is_apart && is_reference(reference);
    is_reference.then(|| text.len() - reference.len())
}

/// True for characters that may separate a closing word from its reference; rather too many than too few.
fn is_between(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, ':' | '(' | '[' | '{' | '<' | '"' | '\'' | '*' | '_' | '~' | '`' | '\\')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}')
}

fn begins_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// `#7`, `GH-7`, `owner/name#7`, or the address of an issue or a pull request.
fn is_reference(text: &str) -> bool {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let token = text.get(..end).unwrap_or_default().to_ascii_lowercase();
    let has_number_behind = |mark: &str| {
        token
            .match_indices(mark)
            .any(|(at, mark)| token.get(at + mark.len()..).is_some_and(begins_with_digit))
    };
    let is_short = token.strip_prefix("gh-").is_some_and(begins_with_digit);
    is_short || ["#", "/issues/", "/pull/", "/pulls/"].iter().any(|mark| has_number_behind(mark))
}

/// Turns tags in brackets into remarks in parentheses, which no forge acts on.
fn without_tags(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['[', '*']) {
        let (before, tag) = rest.split_at_checked(at).unwrap_or((rest, ""));
        harmless.push_str(before);
        let taken = match tag_in(tag) {
            Some((inner, taken)) => {
                harmless.push('(');
                harmless.push_str(inner);
                harmless.push(')');
                taken
            }
            None => {
                harmless.extend(tag.chars().next());
                1
            }
        };
        rest = tag.get(taken..).unwrap_or_default();
    }
    harmless.push_str(rest);
    harmless
}

/// Returns the words of the tag that the text begins with, and its length with brackets.
fn tag_in(text: &str) -> Option<(&str, usize)> {
    let stars = text.get(..NO_CI.len());
    if stars.is_some_and(|tag| tag.eq_ignore_ascii_case(NO_CI)) {
        return Some((text.get(3..NO_CI.len() - 3)?, NO_CI.len()));
    }
    let inner = text.strip_prefix('[')?;
    let end = inner.find(']').filter(|end| *end <= TAG_BYTES_MAX)?;
    let inner = inner.get(..end).filter(|inner| !inner.contains('['))?;
    let words = inner.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    let is_tag = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [off, what] => {
            OFF.contains(off) && SWITCHES.contains(what)
                || *what == "skip" && SWITCHES.contains(off)
        }
        _other => false,
    };
    is_tag.then_some((inner, end + 2))
}

fn without_trailers(text: &str) -> String {
    let is_trailer = |line: &str| {
        let Some((name, value)) = line.split_once(':') else { return false };
        let is_known = TRAILERS.iter().any(|known| name.trim().eq_ignore_ascii_case(known));
        is_known && value.trim().eq_ignore_ascii_case("true")
    };
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| match line.split_once(':').filter(|_| is_trailer(line)) {
            Some((name, value)) => format!("{name} is {}", value.trim_start_matches([' ', '\t'])),
            None => line.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closing_word_no_longer_stands_right_before_a_reference() {
        for (text, harmless) in [
            ("Closes #2", "Closes issue #2"),
            ("fix: #2, FIXED other/repo#1", "fix: issue #2, FIXED issue other/repo#1"),
            ("Resolves GH-7; resolved gh-8", "Resolves issue GH-7; resolved issue gh-8"),
            (
                "close https://github.com/a/b/issues/3",
                "close issue https://github.com/a/b/issues/3",
            ),
            ("fixes: github.com/a/b/pull/3", "fixes: issue github.com/a/b/pull/3"),
            ("(closed #2)\nfixes\t#3", "(closed issue #2)\nfixes\tissue #3"),
            ("Closes\n#2", "Closes\nissue #2"),
            ("closes [#2](x) and fixes **#3**", "closes [issue #2](x) and fixes **issue #3**"),
            ("fixes#2", "fixes issue #2"),
            ("Fixes #1, fixes #2", "Fixes issue #1, fixes issue #2"),
            ("closes \u{200b}#2", "closes \u{200b}issue #2"),
        ] {
            assert_eq!(defuse(text), harmless, "{text:?}");
        }
    }

    #[test]
    fn tags_and_trailers_that_switch_checks_off_become_remarks() {
        for (text, harmless) in [
            ("Work [skip ci]", "Work (skip ci)"),
            (
                "[CI SKIP] [no ci] [Skip Actions] [actions skip]",
                "(CI SKIP) (no ci) (Skip Actions) (actions skip)",
            ),
            ("[skip-ci] [ci-skip] [ skip  ci ]", "(skip-ci) (ci-skip) ( skip  ci )"),
            ("***NO_CI*** and ***no_ci***", "(NO_CI) and (no_ci)"),
            ("Work\n\n\nskip-checks: true\n", "Work\n\n\nskip-checks is true\n"),
            ("Work\n\nSkip-Checks:true", "Work\n\nSkip-Checks is true"),
            ("[[skip ci]]", "[(skip ci)]"),
        ] {
            assert_eq!(defuse(text), harmless, "{text:?}");
        }
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for text in [
            "",
            "prefixes #2 and hotfix2 #3",
            "Fix the parser for #2",
            "fixed. #2 is next",
            "See #2, acme/app#3 and https://github.com/a/b/issues/3",
            "[skip] [ci] [no issue] [bug] * a *** b",
            "skip-checks: false\nskip checks: true",
            "closes the door\r\n",
            "日本語 #2 🎉",
        ] {
            assert_eq!(defuse(text), text, "{text:?}");
        }
    }

    #[test]
    fn what_was_defused_stays_as_it_is() {
        for text in
            ["Closes #2 [skip ci]\n\nskip-checks: true", "fixes fixes #2", "[skip [skip ci] ci]"]
        {
            let once = defuse(text);
            assert_eq!(defuse(&once), once, "{text:?}");
        }
    }

    #[test]
    fn lines_of_ralphs_own_stay() {
        let own = ["Fixes #7".to_owned()];
        let text = "Fixes #7\n\nFixes #8 [skip ci]\r\nFixes #7, fixes #9\nFixes #7";
        let kept =
            "Fixes #7\n\nFixes issue #8 (skip ci)\r\nFixes issue #7, fixes issue #9\nFixes #7";
        assert_eq!(defuse_but(text, &own), kept);
    }
}
