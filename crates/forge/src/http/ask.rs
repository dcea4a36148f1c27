//! A request as a handler sees it: who asks, when, for what, with which parameters.

use http::header::ACCEPT;
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;

use super::moment::Moment;
use super::problem::Problem;
use super::route::Params;
use crate::git::sha::Sha;
use crate::model::paging::{Direction, Page, StateFilter};
use crate::model::refusal::DetailCode;

pub(super) struct Ask<'a> {
    pub(super) who: &'a str,
    /// Unix seconds.
    pub(super) now: u64,
    pub(super) request: &'a http::Request<Vec<u8>>,
    pub(super) params: Params,
    /// Whether an app asks, as one of its installations.
    pub(super) is_installation: bool,
    query: Vec<(String, String)>,
}

impl<'a> Ask<'a> {
    pub(super) fn new(
        who: &'a str,
        now: u64,
        request: &'a http::Request<Vec<u8>>,
        params: Params,
    ) -> Self {
        let query = parse_query(request.uri().query());
        Self { who, now, request, params, is_installation: false, query }
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
        let found = self.query.iter().find(|(key, _value)| key == name);
        found.map(|(_key, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    pub(super) fn page(&self) -> Page {
        let number = |name| self.query(name).and_then(|text| text.parse().ok()).unwrap_or(0);
        Page { number: number("page"), size: number("per_page") }
    }

    pub(super) fn since(&self, resource: &'static str) -> Result<Option<u64>, Problem> {
        let Some(text) = self.query("since") else { return Ok(None) };
        let moment = Moment::parse(text);
        let invalid = || Problem::invalid(resource, "since", DetailCode::Invalid);
        moment.map(|moment| Some(moment.0)).ok_or_else(invalid)
    }

    pub(super) fn direction(&self, default: Direction) -> Direction {
        match self.query("direction").or_else(|| self.query("order")) {
            Some("asc") => Direction::Ascending,
            Some("desc") => Direction::Descending,
            Some(_) | None => default,
        }
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
        Ok(serde_json::from_slice(body)?)
    }

    /// Whether the client asks for a media type such as `raw`, `diff` or `sha`.
    pub(super) fn accepts(&self, kind: &str) -> bool {
        accept_of(self.request).split(',').any(|part| {
            let name = part.trim().strip_prefix("application/vnd.github.").unwrap_or_default();
            let name = name.strip_prefix("v3.").unwrap_or(name);
            name.split(['+', ';']).next() == Some(kind)
        })
    }
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
