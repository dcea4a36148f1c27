//! Conditional requests: asking for an unchanged answer again costs a client nothing.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use foldhash::quality::FixedState;
use http::HeaderMap;
use http::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};

use super::moment::HttpDate;

/// The most answers that are remembered by name. More than a client's watched pages; beyond it all are
/// forgotten, which costs a rendering each and changes no answer.
const REMEMBERED_MAX: usize = 4096;

/// The names of answers given since the last change, so that a repeated question needs no rendering.
#[derive(Clone, Debug, Default)]
pub(super) struct Remembered {
    /// The change that the answers belong to.
    revision: u64,
    etags: BTreeMap<String, String>,
    dated: BTreeMap<String, Dated>,
}

/// An answer given out with a date, which is too coarse to tell two answers of one second apart.
#[derive(Clone, Debug)]
struct Dated {
    /// Unix seconds.
    changed: u64,
    /// None once another answer had the same date.
    etag: Option<String>,
}

impl Remembered {
    pub(super) fn get(&self, revision: u64, question: &str) -> Option<&str> {
        let etags = (revision == self.revision).then_some(&self.etags)?;
        etags.get(question).map(String::as_str)
    }

    /// Returns whether the date alone identifies this answer for the client.
    pub(super) fn is_identified_by_date(&self, question: &str, changed: u64, etag: &str) -> bool {
        let given = self.dated.get(question).filter(|dated| dated.changed == changed);
        given.is_none_or(|dated| dated.etag.as_deref() == Some(etag))
    }

    /// Notes what an answer with a date was.
    pub(super) fn date(&mut self, question: &str, changed: u64, etag: &str) {
        let identified = self.is_identified_by_date(question, changed, etag);
        if self.dated.len() >= REMEMBERED_MAX {
            self.dated.clear();
        }
        let etag = identified.then(|| etag.to_owned());
        self.dated.insert(question.to_owned(), Dated { changed, etag });
    }

    pub(super) fn put(&mut self, revision: u64, question: String, etag: String) {
        if self.revision != revision || self.etags.len() >= REMEMBERED_MAX {
            self.revision = revision;
            self.etags.clear();
        }
        self.etags.insert(question, etag);
    }
}

/// Returns the key of a question: an answer is named per token and `Accept`.
pub(super) fn question(token_hash: &str, accept: &str, uri: &http::Uri) -> String {
    format!("{token_hash}\n{accept}\n{uri}")
}

/// Returns the name of an answer: it changes with the body, the token and what was accepted. Forging a second
/// answer with the same name gains nothing, so a quick hash does.
pub(super) fn etag(token_hash: &str, accept: &str, body: &[u8]) -> String {
    let name = FixedState::default().hash_one((token_hash, accept, body));
    format!("W/\"{name:016x}\"")
}

/// Returns whether the client has this answer already. `If-None-Match` is the last word when it is there.
pub(super) fn is_known(headers: &HeaderMap, etag: &str, last_modified: Option<u64>) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(known) = text(IF_NONE_MATCH) {
        let weak = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        return known.split(',').any(|tag| tag.trim() == "*" || weak(tag) == weak(etag));
    }
    let since = text(IF_MODIFIED_SINCE).and_then(HttpDate::parse);
    since.zip(last_modified).is_some_and(|(since, changed)| changed <= since.0)
}
