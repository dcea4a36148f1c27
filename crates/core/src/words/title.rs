//! Foreign titles where the forge acts on words. The title of a pull request becomes part of a merge's message, where a
//! reference closes an issue, a mention notifies a person and a tag switches checks off.

use crate::defuse::defuse;
use crate::excerpt::Excerpt;

/// The longest title that Ralph writes; GitHub takes 256 characters.
const TITLE_BYTES_MAX: usize = 200;

/// Words in brackets that keep checks from running.
const SKIPS: [&str; 5] = ["skip ci", "ci skip", "no ci", "skip actions", "actions skip"];

/// One clean line that closes nothing, mentions and credits no person, and switches nothing off. `None` if nothing is
/// left of it.
#[must_use]
pub fn harmless_title(title: &str) -> Option<String> {
    let title = Excerpt::of(title, TITLE_BYTES_MAX);
    let line = title.as_str().lines().map(str::trim).find(|line| !line.is_empty())?;
    let mut harmless = String::with_capacity(line.len());
    for (at, letter) in line.char_indices() {
        let (before, after) = (line.get(..at)?, line.get(at + letter.len_utf8()..)?);
        if !acts(letter, before, after) {
            harmless.push(letter);
        } else if matches!(letter, '-' | '/') {
            harmless.push(' ');
        }
    }
    Some(defuse(harmless.trim())).filter(|harmless| !harmless.is_empty())
}

/// True if this letter, at its place, would make the forge do something.
fn acts(letter: char, before: &str, after: &str) -> bool {
    let is_number_next = after.starts_with(|next: char| next.is_ascii_digit());
    let ends_in = |word: &str| {
        let start = before.len().checked_sub(word.len());
        let end = start.and_then(|start| before.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(word))
    };
    match letter {
        '#' => is_number_next,
        '-' => is_number_next && ends_in("gh"),
        '/' => is_number_next && (ends_in("/issues") || ends_in("/pull")),
        '@' => after.starts_with(char::is_alphanumeric),
        // The address of a trailer is enclosed in these.
        '<' | '>' => true,
        '[' => SKIPS.iter().any(|skip| {
            let inside = after.get(..skip.len()).is_some_and(|it| it.eq_ignore_ascii_case(skip));
            inside && after.get(skip.len()..).is_some_and(|rest| rest.starts_with(']'))
        }),
        _other => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_forge_would_act_on_is_taken_out_and_the_rest_stays() {
        for (title, harmless) in [
            ("Add a --json flag", "Add a --json flag"),
            ("C# bindings, and [bug] labels", "C# bindings, and [bug] labels"),
            ("Fixes #1", "Fixes 1"),
            ("closes: acme/widgets#12", "closes: acme/widgets12"),
            ("Resolve GH-7, fixes gh-8", "Resolve GH 7, fixes gh 8"),
            ("fix https://github.com/a/b/issues/3", "fix https://github.com/a/b/issues 3"),
            ("@everyone and a@b.example look", "everyone and ab.example look"),
            ("Co-authored-by: Eve <eve@evil.example>", "Co-authored-by: Eve eveevil.example"),
            ("[skip ci] done [CI Skip]", "skip ci] done CI Skip]"),
            ("Work ***NO_CI*** [skip-ci]", "Work (NO_CI) (skip-ci)"),
            ("skip-checks: true", "skip-checks is true"),
            ("\r\n  second line  ", "second line"),
        ] {
            assert_eq!(harmless_title(title).as_deref(), Some(harmless), "{title:?}");
        }
        for nothing in ["", " \n ", "<>", "\u{202e}"] {
            assert_eq!(harmless_title(nothing), None, "{nothing:?}");
        }
        assert!(harmless_title(&"long ".repeat(500)).is_some_and(|title| title.len() <= 200));
    }
}
