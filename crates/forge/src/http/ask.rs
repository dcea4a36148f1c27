//! A request as a handler sees it: who asks, when, for what, with which parameters.

use std::cell::RefCell;
use std::collections::BTreeSet;

use http::header::ACCEPT;
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;

use super::media::Media;
use super::moment::Moment;
use super::problem::Problem;
use super::route::Params;
use crate::git::sha::Sha;
use crate::model::paging::{Direction, Page, StateFilter};
use crate::model::refusal::DetailCode;

/// A NUL character in JSON. Git ends a text there, so none may have it.
const NUL: &[u8] = b"\\u0000";

pub(super) struct Ask<'a> {
    pub(super) who: &'a str,
    /// Unix seconds.
    pub(super) now: u64,
    pub(super) request: &'a http::Request<Vec<u8>>,
    pub(super) params: Params,
    /// Set when an app asks, as one of its installations.
    pub(super) is_installation: bool,
    /// The form of the answer.
    pub(super) media: Media,
    query: Vec<(String, String)>,
    /// Parameters that were looked at.
    read: RefCell<BTreeSet<String>>,
}

impl<'a> Ask<'a> {
    pub(super) fn new(
        who: &'a str,
        now: u64,
        request: &'a http::Request<Vec<u8>>,
        params: Params,
    ) -> Self {
        let query = parse_query(request.uri().query());
        let (is_installation, media) = (false, Media::Json);
        Self { who, now, request, params, is_installation, media, query, read: RefCell::default() }
    }

    /// A parameter that was never looked at.
    pub(super) fn unread(&self) -> Option<String> {
        let read = self.read.borrow();
        let mut names = self.query.iter().map(|(name, _value)| name);
        names.find(|name| !read.contains(*name)).cloned()
    }

    /// A parameter that comes twice and does not say the same.
    pub(super) fn contradiction(&self) -> Option<&str> {
        let mut rest = self.query.iter();
        while let Some((name, value)) = rest.next() {
            let says_otherwise = |(other, said): &&(String, String)| other == name && said != value;
            if rest.clone().any(|other| says_otherwise(&other)) {
                return Some(name);
            }
        }
        None
    }

    /// Takes a look back.
    pub(super) fn forget(&self, name: &str) {
        self.read.borrow_mut().remove(name);
    }

    /// `owner/name`.
    pub(super) fn repo(&self) -> String {
        format!("{}/{}", self.param("owner"), self.param("repo"))
    }

    pub(super) fn param(&self, name: &str) -> &str {
        let found = self.params.iter().find(|(key, _value)| *key == name);
        found.map_or("", |(_key, value)| value)
    }

    /// A number in the path; what is no number is no resource.
    pub(super) fn number(&self, name: &str) -> Result<u64, Problem> {
        self.param(name).parse().map_err(|_not_a_number| Problem::not_found())
    }

    pub(super) fn query(&self, name: &str) -> Option<&str> {
        if !self.query.is_empty() {
            self.read.borrow_mut().insert(name.to_owned());
        }
        let found = self.query.iter().find(|(key, _value)| key == name);
        found.map(|(_key, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    pub(super) fn page(&self) -> Page {
        let number = |name| self.query(name).and_then(|text| text.parse().ok()).unwrap_or(0);
        Page { number: number("page"), size: number("per_page") }
    }

    pub(super) fn since(&self) -> Result<Option<u64>, Problem> {
        self.moment("since")
    }

    pub(super) fn moment(&self, name: &str) -> Result<Option<u64>, Problem> {
        let Some(text) = self.query(name) else { return Ok(None) };
        let moment = Moment::parse(text);
        let invalid = || {
            let words = format!("The parameter `{name}` is no time such as 2020-01-31T12:00:00Z.");
            Problem::unprocessable(words)
        };
        moment.map(|moment| Some(moment.0)).ok_or_else(invalid)
    }

    /// A parameter that takes one of these values.
    pub(super) fn choice(&self, name: &str, values: &[&str]) -> Result<Option<&str>, Problem> {
        let value = self.query(name);
        match value.filter(|value| !values.contains(value)) {
            None => Ok(value),
            Some(value) => {
                let known = values.join("`, `");
                let words = format!("The parameter `{name}` is `{value}`; it takes `{known}`.");
                Err(Problem::unprocessable(words))
            }
        }
    }

    pub(super) fn direction(&self, default: Direction) -> Result<Direction, Problem> {
        self.direction_named("direction", default)
    }

    pub(super) fn direction_named(
        &self,
        name: &str,
        default: Direction,
    ) -> Result<Direction, Problem> {
        Ok(match self.choice(name, &["asc", "desc"])? {
            Some("asc") => Direction::Ascending,
            Some(_desc) => Direction::Descending,
            None => default,
        })
    }

    pub(super) fn state(&self, resource: &'static str) -> Result<StateFilter, Problem> {
        match self.query("state") {
            None | Some("open") => Ok(StateFilter::Open),
            Some("closed") => Ok(StateFilter::Closed),
            Some("all") => Ok(StateFilter::All),
            Some(_) => Err(Problem::invalid(resource, "state", DetailCode::Invalid)),
        }
    }

    /// Values separated by commas.
    pub(super) fn query_list(&self, name: &str) -> Vec<String> {
        let values = self.query(name).into_iter().flat_map(|text| text.split(','));
        values.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()).collect()
    }

    pub(super) fn json<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let body = self.request.body();
        let body = if body.is_empty() { b"{}".as_slice() } else { body };
        if has_nul(body) {
            let words = "The body has a NUL character, which no text may have.";
            return Err(Problem::unprocessable(words));
        }
        Ok(serde_json::from_slice(body)?)
    }
}

/// Returns whether a text in JSON has a NUL character: `\u0000` after an even number of backslashes. As a
/// byte of its own it is no JSON.
fn has_nul(body: &[u8]) -> bool {
    let mut is_escaped = false;
    body.windows(NUL.len()).any(|part| {
        let is_nul = !is_escaped && part == NUL;
        is_escaped = !is_escaped && part.starts_with(b"\\");
        is_nul
    })
}

pub(super) fn accept_of(request: &http::Request<Vec<u8>>) -> &str {
    request.headers().get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// A sha that a body or path names.
pub(super) fn parse_sha(resource: &'static str, text: &str) -> Result<Sha, Problem> {
    text.parse().map_err(|_bad| Problem::invalid(resource, "sha", DetailCode::Invalid))
}

fn parse_query(query: Option<&str>) -> Vec<(String, String)> {
    let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key), decode(value))
        })
        .collect()
}

fn decode(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}
