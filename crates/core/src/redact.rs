//! Removes secrets and home folders from a text before it is stored, logged or posted. It rather removes too much than
//! too little: a lost word in a log is cheaper than a leaked token.

#[cfg(test)]
mod tests;

use regex::{Captures, Regex, RegexSet};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// The replacement for a secret.
pub const REDACTED: &str = "[redacted]";

/// Most passes. One rule may make a match possible for another that was applied before it, so the rules are applied
/// until nothing changes. Each pass removes something, and two suffice for real texts; the bound keeps the work linear
/// for all others.
const PASSES: usize = 6;

/// Redacts a text; redacting twice changes nothing more. Linear in the length of the text.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut redacted = Cow::Borrowed(text);
    // Most texts contain no secrets, and one search for all patterns is cheaper than one for each.
    if ANY.as_ref().is_some_and(|any| !any.is_match(text)) {
        return redacted;
    }
    for _ in 0..PASSES {
        let before = redacted.clone().into_owned();
        for rule in RULES.iter() {
            if let Some(changed) = rule.apply(&redacted) {
                redacted = Cow::Owned(changed);
            }
        }
        if redacted == before {
            break;
        }
    }
    redacted
}

struct Rule {
    pattern: Regex,
    replacement: Replacement,
}

#[derive(Clone, Copy)]
enum Replacement {
    /// Removes everything but the groups in [`KEPT_BEFORE`] and [`KEPT_AFTER`].
    Secret,
    /// Like `Secret`, but keeps ordinary words: a secret has a digit or mixed case.
    SecretUnlessWord,
    /// Like `Secret`, but keeps prose and paths that merely follow such a name: see [`is_prose`].
    SecretUnlessProse,
    /// Replaces the path of a home folder by `~`.
    Home,
}

impl Rule {
    /// Returns the changed text, or `None` if nothing matches.
    fn apply(&self, text: &str) -> Option<String> {
        let mut output = String::new();
        let mut copied = 0;
        for captures in self.pattern.captures_iter(text) {
            let Some((whole, replacement)) = self.replacement_of(&captures, text) else { continue };
            output.push_str(text.get(copied..whole.start)?);
            output.push_str(&replacement);
            copied = whole.end;
        }
        output.push_str(text.get(copied..).filter(|_| copied > 0)?);
        Some(output)
    }

    fn replacement_of(
        &self,
        captures: &Captures<'_>,
        text: &str,
    ) -> Option<(Range<usize>, String)> {
        let whole = captures.get(0)?.range();
        let group = |name| captures.name(name).map_or("", |found| found.as_str());
        let replacement = match self.replacement {
            Replacement::SecretUnlessWord if is_word(group("secret")) => return None,
            Replacement::SecretUnlessProse
                if is_prose(captures, text.get(..whole.start)?, text.get(whole.end..)?) =>
            {
                return None;
            }
            Replacement::Secret
            | Replacement::SecretUnlessWord
            | Replacement::SecretUnlessProse => {
                format!("{}{REDACTED}{}", KEPT_BEFORE.map(group).concat(), group(KEPT_AFTER))
            }
            Replacement::Home if !is_home(text, &whole)? => return None,
            Replacement::Home => "~".to_owned(),
        };
        Some((whole, replacement))
    }
}

fn is_word(text: &str) -> bool {
    let rest = text.get(1..).unwrap_or_default();
    rest.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'.' | b'_'))
}

/// Types and constants that a compiler or a log shows after a colon and that are no secrets.
const CONSTANTS: [&str; 24] = [
    "string",
    "str",
    "&str",
    "&string",
    "char",
    "bytes",
    "number",
    "int",
    "integer",
    "float",
    "bool",
    "boolean",
    "object",
    "any",
    "unknown",
    "void",
    "none",
    "nil",
    "null",
    "undefined",
    "true",
    "false",
    "()",
    "{",
];

/// True if the text behind the name of a secret is part of a sentence, a constant, a type or a path. Only a value
/// without quotes can be. After a colon an ordinary word is prose if the sentence continues behind it
/// (`pwd: no such file`); alone on its line it may be a password. `PWD` and names that end in `_FILE` or the like hold
/// paths. A parser's tokens are no secrets.
fn is_prose(captures: &Captures<'_>, before: &str, rest: &str) -> bool {
    let group = |name| captures.name(name).map_or("", |found| found.as_str());
    let value = group("bare");
    let name = group("name").to_ascii_lowercase();
    if name == "token" && is_of_parser(captures, before) {
        return true;
    }
    if value.is_empty() {
        return false;
    }
    let of_paths = ["_file", "_path", "_dir", "_folder"];
    let holds_path =
        matches!(name.as_str(), "pwd") || of_paths.iter().any(|end| name.ends_with(end));
    if holds_path && is_path(value) {
        return true;
    }
    let bare = value.trim_end_matches([',', ';', ')', '.']);
    if CONSTANTS.contains(&bare.to_ascii_lowercase().as_str()) {
        return true;
    }
    let is_said = group("sign") == ":" && !group("gap").is_empty() && name != "passphrase";
    let is_type = group("sign") == ":" && is_generic(value);
    is_type || is_said && is_plain_word(value) && sentence_goes_on(&name, rest)
}

/// True for messages of parsers (`unexpected token : in JSON`, `token: ';'`): a plain word or a few symbols behind
/// `token`.
fn is_of_parser(captures: &Captures<'_>, before: &str) -> bool {
    let end = |name| captures.name(name).map_or(0, |found| found.end());
    let whole = captures.get(0).map_or("", |found| found.as_str());
    let start = captures.get(0).map_or(0, |found| found.start());
    let value = whole.get(end("before").saturating_sub(start)..).unwrap_or_default();
    let is_sign = value.len() <= SIGN_BYTES_MAX && !value.contains(char::is_alphanumeric);
    let before = before.trim_end_matches(' ');
    let at = before.len().saturating_sub(UNEXPECTED.len());
    let is_unexpected = before.get(at..).is_some_and(|it| it.eq_ignore_ascii_case(UNEXPECTED));
    // An assigned value is a secret, unless it is too short for one.
    let is_said = captures.name("sign").is_some_and(|sign| sign.as_str() == ":");
    let is_word = is_plain_word(value) && (is_said || value.len() <= SHORT_BYTES_MAX);
    is_sign || is_unexpected && is_word
}

/// The word before `token` in messages of parsers.
const UNEXPECTED: &str = "unexpected";

/// The longest word that is too short for a secret.
const SHORT_BYTES_MAX: usize = 3;

/// The longest symbol of a language, with its quotes.
const SIGN_BYTES_MAX: usize = 5;

/// True for a type with a parameter, as in `Option<String>`.
fn is_generic(value: &str) -> bool {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | ':');
    let Some((name, parameter)) = value.split_once('<') else { return false };
    let is_capital = name.starts_with(|first: char| first.is_ascii_uppercase());
    is_capital && name.chars().all(is_name) && parameter.starts_with(char::is_alphabetic)
}

fn is_path(value: &str) -> bool {
    let drive = value.get(1..3).is_some_and(|after| matches!(after, ":\\" | ":/"));
    drive
        || ["/", "~", "./", "../", "$"].iter().any(|start| value.starts_with(start))
        || value == "."
}

/// True for letters alone, of which at most the first is a capital.
fn is_plain_word(text: &str) -> bool {
    let text = text.trim_end_matches([',', ';']);
    let mut letters = text.chars();
    letters.next().is_some_and(char::is_alphabetic)
        && letters.all(|letter| letter.is_lowercase() || matches!(letter, '\'' | '’' | '-'))
}

/// True if another word follows on the same line that is not itself a name with a value. Parsers put symbols and
/// brackets behind theirs.
fn sentence_goes_on(name: &str, rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default();
    let next = line.trim_start_matches([' ', '\t']);
    let word = next.trim_start_matches(['(', '`', '\'', '"']);
    let end = word.find(|letter: char| !letter.is_alphabetic()).unwrap_or(word.len());
    let (word, behind) = word.split_at(end);
    let behind = behind.trim_start_matches(['`', '\'', '"']);
    let is_name =
        behind.starts_with([':', '=', '_']) || behind.starts_with(|c: char| c.is_ascii_digit());
    if next.starts_with(['(', '`', '\'', '"']) && name == "token" && !is_name {
        return next.len() < line.len();
    }
    next.len() < line.len()
        && !word.is_empty()
        && word.chars().skip(1).all(char::is_lowercase)
        && !is_name
}

/// True if the match is a path from the root, which it is not in `src/home/page.ts` or `../home/x`. Next to a bracket
/// it is none either, so that a redacted neighbour changes nothing.
fn is_home(text: &str, whole: &Range<usize>) -> Option<bool> {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let before = text.get(..whole.start)?.chars().next_back();
    let after = text.get(whole.end..)?.chars().next();
    let is_root = text.get(whole.clone())? == "/root";
    let starts = before.is_none_or(|c| !joins(c) && !matches!(c, '~' | ']'));
    let ends = !is_root || after.is_none_or(|c| !joins(c) && c != '[');
    Some(starts && ends)
}

/// The groups before a secret: its name, then the opening quote. The closing quote is never matched.
const KEPT_BEFORE: [&str; 4] = ["before", "escaped", "double", "single"];
const KEPT_AFTER: &str = "after";

/// The first line of a private key.
pub(crate) const PRIVATE_KEY_BEGINS: &str = "-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----";

/// Tokens that are recognised by their prefix, and JSON web tokens. Text attached to one is removed with it, so that
/// its removal moves nothing to the beginning of a word.
pub(crate) const TOKEN_SHAPES: &str = r"(?x)
    (?: gh[pousr]_[A-Za-z0-9]{10,} | github_pat_[A-Za-z0-9_]{10,} | glpat-[A-Za-z0-9_-]{10,}
        | npm_[A-Za-z0-9]{20,} | xox[a-z]-[A-Za-z0-9-]{8,} | xapp-[A-Za-z0-9-]{8,}
        | AIza[0-9A-Za-z_-]{20,} | (?-u:\b)(?:AKIA|ASIA)[0-9A-Z]{12,}
        | (?-u:\b)(?:sk|rk|pk)[-_][A-Za-z0-9_-]{16,}
        | (?-u:\b)eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)? )
    [A-Za-z0-9_-]*";

/// In the order of application: secrets of a distinct shape come before those that are recognised only by the name in
/// front of them.
const PATTERNS: [(&str, Replacement); 9] = [
    // Home folders, which name the person they belong to.
    (
        r"/(?:home|Users)/\w(?:[\w.-]*\w)?|/root|(?i:(?-u:\b)[a-z]:[\\/]{1,2}Users[\\/]{1,2})\w(?:[\w.-]*\w)?",
        Replacement::Home,
    ),
    // A private key, or the rest of the text if its end is missing.
    (
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\z)",
        Replacement::Secret,
    ),
    // Credentials in an address. A user name alone is secret only in web addresses: `ssh://git@` is not.
    (r#"(?<before>(?i:https?)://)[^\s/@"'<>]+(?<after>@)"#, Replacement::Secret),
    (
        r#"(?<before>[A-Za-z][A-Za-z0-9+.-]{0,30}://)[^\s/@:"'<>]*:[^\s/@"'<>]+(?<after>@)"#,
        Replacement::Secret,
    ),
    // Authorization headers, and the bare scheme with its token.
    (
        r#"(?i)(?<before>authorization[\\"'\]]{0,4}[ \t]*[:=][ \t]*[\\"']{0,4}(?:(?:bearer|basic|token|digest|negotiate)[ \t]+)?)[^\s"'\\]+"#,
        Replacement::Secret,
    ),
    (
        r"(?i)(?<before>(?-u:\b)(?:bearer|basic)[ \t]+)(?<secret>[a-z0-9+/._~=-]{8,})",
        Replacement::SecretUnlessWord,
    ),
    (TOKEN_SHAPES, Replacement::Secret),
    // `--name value`. It comes before the next rule, which reads on to see whether a sentence follows.
    (
        r#"(?i)(?<before>--[a-z-]{0,30}(?:token|password|secret|api-?key)[ \t]+)[^\s"'-][^\s"']*"#,
        Replacement::Secret,
    ),
    // `name=value` and `name: value`, in the notation of shells, JSON, YAML and addresses. A value ends at its closing
    // quote, or without quotes at a blank or an ampersand.
    (
        r#"(?xi)
        (?<before>
            (?<name> (?:token | passw(?:or)?d | passphrase | pwd | secret | credential
                | (?:api|access|private|secret|signing|encryption)[_-]?key)
            (?:_[a-z0-9_]{0,40})? ) [\\"'\]]{0,4}
            [\x20\t]* (?<sign> =>|:=|[:=]) (?<gap> [\x20\t]*)
        )
        (?: (?<escaped>\\+["']) (?:\\+[^"'\\\n]|[^"'\\\n])*
            | (?<double>") (?:\\.|[^"\\\n])*
            | (?<single>') [^'\n]*
            | (?<bare> [^\s"'&][^\s"&]*) )"#,
        Replacement::SecretUnlessProse,
    ),
];

/// Empty if a pattern does not compile; a test proves that all do.
static ANY: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| RegexSet::new(PATTERNS.map(|(pattern, _)| pattern)).ok());

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let compile = |&(pattern, replacement): &(&str, Replacement)| {
        Some(Rule { pattern: Regex::new(pattern).ok()?, replacement })
    };
    PATTERNS.iter().filter_map(compile).collect()
});
