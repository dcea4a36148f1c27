//! Content that a change must not bring in: Ralph's own state, secrets, files beyond the size limit. The same functions
//! scan the changes of real and of simulated agents.

use crate::redact::{PRIVATE_KEY_BEGINS, TOKEN_SHAPES};
use crate::words::is_prompt;
use regex::bytes::{Captures, Regex};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

/// GitHub refuses a push with a larger file in it.
pub const FILE_BYTES_MAX: u64 = 100 * 1024 * 1024;

/// Bytes of a file that are scanned at once.
const WINDOW_BYTES: usize = 1024 * 1024;
/// Bytes of a window that are scanned again with the next one: longer than any token and than the first lines of a key.
const OVERLAP_BYTES: usize = 8 * 1024;
/// Bytes at the beginning of a file that are enough to tell what it is.
const BEGINNING_BYTES: usize = 64 * 1024;

/// The first bytes of every SQLite file, and the offset of its application id.
const SQLITE: &[u8] = b"SQLite format 3\0";
const SQLITE_APPLICATION: std::ops::Range<usize> = 68..72;
/// The application ids of Ralph's store and of the embedded forge's.
const OUR_APPLICATIONS: [&[u8]; 2] = [b"RLPH", b"RFRG"];
/// Files beside the store that have no such id in them.
const OUR_NAMES: [&str; 3] = ["state.lock", "state.sqlite-wal", "state.sqlite-shm"];
/// The name of the file in which an agent reports its session, and the fields it may have.
const RESULT_NAME: &str = "result.json";
const RESULT_KEYS: [&str; 3] = ["session", "tokens", "title"];

/// The reason why something may not be part of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Forbidden {
    /// Ralph's store, its lock or its journal.
    State,
    Prompt,
    Result,
    Token,
    PrivateKey,
    /// A link to a commit of another repository that does not resolve.
    Submodule,
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::State => "is Ralph's own state",
            Self::Prompt => "is a prompt of Ralph's",
            Self::Result => "is the result file of a turn",
            Self::Token => "contains what looks like a token",
            Self::PrivateKey => "contains a private key",
            Self::Submodule => {
                "is a submodule whose commit Ralph cannot find, or that `.gitmodules` gives no \
                 address; leave it as it is in the base, a person has to add or move it"
            }
        })
    }
}

/// A secret that was found: its kind, and the text by which it is found elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Secret {
    pub is: Forbidden,
    pub text: Vec<u8>,
}

/// The findings in one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    /// The kind of the file, if it is Ralph's.
    pub is: Option<Forbidden>,
    /// Secrets in the file; they may be in the base already.
    pub secrets: BTreeSet<Secret>,
}

/// Returns the kind of a file that is Ralph's by its name alone.
#[must_use]
pub fn forbidden_name(path: &str) -> Option<Forbidden> {
    OUR_NAMES.contains(&name_of(path)).then_some(Forbidden::State)
}

/// A scan of one file, piece by piece.
#[derive(Debug)]
pub struct Scan<'a> {
    path: &'a str,
    beginning: Vec<u8>,
    window: Vec<u8>,
    secrets: BTreeSet<Secret>,
}

impl<'a> Scan<'a> {
    #[must_use]
    pub const fn of(path: &'a str) -> Self {
        Self { path, beginning: Vec::new(), window: Vec::new(), secrets: BTreeSet::new() }
    }

    pub fn take(&mut self, bytes: &[u8]) {
        let room = BEGINNING_BYTES.saturating_sub(self.beginning.len()).min(bytes.len());
        self.beginning.extend(bytes.iter().take(room));
        for piece in bytes.chunks(WINDOW_BYTES) {
            self.window.extend_from_slice(piece);
            if self.window.len() >= WINDOW_BYTES {
                self.secrets.extend(secrets_in(&self.window));
                self.window.drain(..self.window.len() - OVERLAP_BYTES);
            }
        }
    }

    #[must_use]
    pub fn finish(mut self) -> Findings {
        self.secrets.extend(secrets_in(&self.window));
        let is = is_state(&self.beginning).or_else(|| is_of_a_turn(self.path, &self.beginning));
        Findings { is, secrets: self.secrets }
    }
}

/// Scans a text that is available as a whole.
#[must_use]
pub fn scan(path: &str, text: &str) -> Findings {
    let mut scan = Scan::of(path);
    scan.take(text.as_bytes());
    scan.finish()
}

fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn is_state(beginning: &[u8]) -> Option<Forbidden> {
    let application = beginning.get(SQLITE_APPLICATION)?;
    let is_ours = beginning.starts_with(SQLITE) && OUR_APPLICATIONS.contains(&application);
    is_ours.then_some(Forbidden::State)
}

fn is_of_a_turn(path: &str, beginning: &[u8]) -> Option<Forbidden> {
    if is_prompt(&String::from_utf8_lossy(beginning)) {
        return Some(Forbidden::Prompt);
    }
    if name_of(path) != RESULT_NAME {
        return None;
    }
    let value: serde_json::Value = serde_json::from_slice(beginning).ok()?;
    let keys = value.as_object()?;
    let is_result = keys.contains_key("session") || keys.contains_key("tokens");
    let has_no_other = keys.keys().all(|key| RESULT_KEYS.contains(&key.as_str()));
    (is_result && has_no_other).then_some(Forbidden::Result)
}

/// Finds tokens of known shapes and private keys. A token that only shows the shape, such as `ghp_xxxxxxxxxxxx`, is no
/// secret.
fn secrets_in(bytes: &[u8]) -> impl Iterator<Item = Secret> {
    let found = |pattern: &'static Option<Regex>| {
        pattern.iter().flat_map(move |pattern| pattern.captures_iter(bytes))
    };
    let secret = |is: Forbidden| {
        move |captures: Captures<'_>| {
            let text = captures.name("secret").or_else(|| captures.get(0))?.as_bytes().to_vec();
            Some(Secret { is, text })
        }
    };
    let tokens = found(&TOKENS).filter_map(secret(Forbidden::Token));
    let tokens = tokens.filter(|token| is_varied(&token.text) && is_no_identifier(&token.text));
    tokens.chain(found(&PRIVATE_KEYS).filter_map(secret(Forbidden::PrivateKey)))
}

/// A token with fewer different characters than this only shows a shape and is no secret.
const DIFFERENT_MIN: usize = 10;

fn is_varied(token: &[u8]) -> bool {
    token.iter().collect::<BTreeSet<_>>().len() >= DIFFERENT_MIN
}

/// A word of this length with a digit and a letter in it was not made up by a person.
const RANDOM_WORD_BYTES: usize = 16;

/// Excludes names of functions that begin with `sk_` too.
fn is_no_identifier(token: &[u8]) -> bool {
    let is_ambiguous = [b"sk", b"rk", b"pk"].iter().any(|it| token.starts_with(*it));
    let is_random = |word: &[u8]| {
        word.len() >= RANDOM_WORD_BYTES
            && word.iter().any(u8::is_ascii_digit)
            && word.iter().any(u8::is_ascii_alphabetic)
    };
    !is_ambiguous || token.split(|byte| matches!(byte, b'-' | b'_')).any(is_random)
}

/// Empty if the pattern does not compile; a test proves that both do.
static TOKENS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(TOKEN_SHAPES).ok());

/// The first line of a key and what follows it, so that code which searches for the first line does not match. Lines
/// may be separated as in source code, and headers may come first.
static PRIVATE_KEYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let lines =
        r#"(?-u:(?:\s|\\[nr]|["'+,])*(?:[A-Za-z-]+:[^\n]*\n\s*)*(?<secret>[A-Za-z0-9+/]{16,}))"#;
    Regex::new(&format!("{PRIVATE_KEY_BEGINS}{lines}")).ok()
});

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "-----BEGIN RSA PRIVATE KEY-----";

    fn found(path: &str, text: &str) -> Vec<Forbidden> {
        let Findings { is, secrets } = scan(path, text);
        is.into_iter().chain(secrets.into_iter().map(|secret| secret.is)).collect()
    }

    #[test]
    fn both_patterns_compile() {
        assert!(TOKENS.is_some() && PRIVATE_KEYS.is_some());
    }

    #[test]
    fn tokens_and_keys_are_found_and_what_merely_looks_alike_is_not() {
        let body = "0123456789abcdefABCDEF0123456789abcd";
        for (text, expected) in [
            (format!("token = \"ghp_{body}\""), vec![Forbidden::Token]),
            (format!("github_pat_{body}"), vec![Forbidden::Token]),
            (format!("sk-{body}"), vec![Forbidden::Token]),
            ("AKIAIOSFODNN7EXAMPLE".to_owned(), vec![Forbidden::Token]),
            (format!("{KEY}\nMIIEpAIBAAKCAQEA0123\n"), vec![Forbidden::PrivateKey]),
            (format!("\"{KEY}\\nMIIEpAIBAAKCAQEA0123\\n\""), vec![Forbidden::PrivateKey]),
            (
                format!("{KEY}\nProc-Type: 4,ENCRYPTED\n\nMIIEpAIBAAKCAQEA0123\n"),
                vec![Forbidden::PrivateKey],
            ),
            (format!("if text.contains(\"{KEY}\") {{ refuse(text) }}"), vec![]),
            ("export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxx".to_owned(), vec![]),
            ("sk_stream_wait_memory_2(sk)".to_owned(), vec![]),
            ("let password = read();".to_owned(), vec![]),
        ] {
            assert_eq!(found("a.txt", &text), expected, "{text}");
        }
    }

    #[test]
    fn a_secret_is_found_wherever_it_stands_in_a_large_file() {
        let token = "ghp_0123456789abcdefABCDEF0123456789abcd";
        for before in [0, 5, WINDOW_BYTES - 20, WINDOW_BYTES, 3 * WINDOW_BYTES - 1] {
            for chunk in [1_000, 65_536, 8 * WINDOW_BYTES] {
                let text = format!("{}\n{token}\n{}", "a\n".repeat(before / 2), "b\n".repeat(900));
                let mut scan = Scan::of("a.txt");
                text.as_bytes().chunks(chunk).for_each(|bytes| scan.take(bytes));
                let secrets = scan.finish().secrets;
                assert!(secrets.iter().any(|it| it.text == token.as_bytes()), "{before} {chunk}");
            }
        }
    }

    #[test]
    fn ralphs_own_files_are_known_by_name_or_content() {
        for (path, expected) in [
            ("state.lock", true),
            ("a/state.sqlite-wal", true),
            ("Cargo.lock", false),
            ("src/state.rs", false),
        ] {
            assert_eq!(forbidden_name(path).is_some(), expected, "{path}");
        }
        let mut store = "SQLite format 3\0".to_owned() + &"\0".repeat(52);
        let (ours, other) = (format!("{store}RLPH"), format!("{store}abcd"));
        assert_eq!(found("x.db", &ours), [Forbidden::State]);
        assert_eq!(found("x.db", &other), []);
        store.clear();
        let result = r#"{"session":"s","tokens":{"input":1,"output":2}}"#;
        assert_eq!(found("out/result.json", result), [Forbidden::Result]);
        assert_eq!(found("out/other.json", result), []);
        assert_eq!(found("result.json", r#"{"session":"s","passed":3}"#), []);
    }
}
