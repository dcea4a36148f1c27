//! The file in which an agent may describe its turn beside its answer. It is optional and bounded, and nothing that
//! matters depends on it.

use crate::private_files::read_untrusted;
use ralph_core::turn_end::Usage;
use ralph_core::words::harmless_title;
use serde::Deserialize;
use std::path::Path;

const FILE_BYTES_MAX: u64 = 64 * 1024;
/// Longer than any session id of a known agent.
const SESSION_BYTES_MAX: usize = 200;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TurnResult {
    pub(super) session: Option<String>,
    pub(super) usage: Option<Usage>,
    pub(super) title: Option<String>,
}

#[derive(Deserialize)]
struct Wire {
    session: Option<serde_json::Value>,
    tokens: Option<serde_json::Value>,
    title: Option<serde_json::Value>,
}

/// Reads the file, and leaves out every part that is not valid.
pub(super) fn read(path: &Path) -> TurnResult {
    let wire = read_untrusted(path, FILE_BYTES_MAX)
        .and_then(|bytes| serde_json::from_slice::<Wire>(&bytes).ok());
    let Some(Wire { session, tokens, title }) = wire else { return TurnResult::default() };
    let count = |name: &str| tokens.as_ref()?.get(name)?.as_u64();
    TurnResult {
        session: session.as_ref().and_then(|it| it.as_str()).filter(is_session).map(str::to_owned),
        usage: match (count("input"), count("output")) {
            (None, None) => None,
            (input, output) => Some(Usage {
                input: input.unwrap_or_default(),
                cached: count("cached").unwrap_or_default(),
                output: output.unwrap_or_default(),
                micro_usd: None,
            }),
        },
        title: title.as_ref().and_then(|it| it.as_str()).and_then(harmless_title),
    }
}

/// A session id comes back as an environment variable: printable, and not endless.
pub(super) fn is_session(text: &&str) -> bool {
    !text.is_empty()
        && text.len() <= SESSION_BYTES_MAX
        && text.bytes().all(|b| b.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> TurnResult {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn what_is_well_formed_is_taken_and_the_rest_left_out() {
        let whole =
            r#"{"session":"s-1","tokens":{"input":3,"output":4},"title":"Fixes #1\nB","x":1}"#;
        let expected = TurnResult {
            session: Some("s-1".to_owned()),
            usage: Some(Usage { input: 3, output: 4, ..Usage::default() }),
            title: Some("Fixes 1".to_owned()),
        };
        assert_eq!(read_text(whole), expected);
        for text in [
            "",
            "[]",
            "{",
            r#"{"session":"a b","tokens":{"input":-1}}"#,
            r#"{"session":7,"tokens":"many","title":" \n"}"#,
            &format!(r#"{{"title":"x","session":"{}"}}"#, "s".repeat(70_000)),
        ] {
            assert_eq!(read_text(text), TurnResult::default(), "{text:.60}");
        }
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::write(&real, r#"{"session":"s"}"#).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(read(&link), TurnResult::default());
        assert_ne!(read(&real), TurnResult::default());
    }
}
