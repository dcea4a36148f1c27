//! The result of a handler, before headers are put around it.

use http::StatusCode;
use serde::Serialize;

use super::media::Media;
use super::problem::Problem;
use super::texts;
use crate::model::paging::Listing;

/// A body and what its headers follow from.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
    pub(super) content_type: &'static str,
    /// Unix seconds; single resources only.
    pub(super) last_modified: Option<u64>,
    pub(super) pages: Option<Pages>,
    pub(super) location: Option<String>,
    /// Reading it changed what the next reading will say.
    pub(super) provisional: bool,
}

/// The position of the answer in a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pages {
    pub(super) current: usize,
    pub(super) last: usize,
}

/// Room for most bodies, so that one does not have to move while it is written.
const BODY_BYTES_USUAL: usize = 32 * 1024;

const JSON: &str = "application/json; charset=utf-8";

impl Answer {
    /// With its texts shown as a media type wants them.
    pub(super) fn shown_as(mut self, media: Media) -> Self {
        if self.status.is_success() {
            self.body = texts::show(media, self.body);
        }
        self
    }

    pub(super) fn json(status: StatusCode, body: &impl Serialize) -> Result<Self, Problem> {
        let mut bytes = Vec::with_capacity(BODY_BYTES_USUAL);
        serde_json::to_writer(&mut bytes, body).map_err(|_error| Problem::mismatch())?;
        Ok(Self::bytes(status, bytes, JSON))
    }

    pub(super) fn ok(body: &impl Serialize) -> Result<Self, Problem> {
        Self::json(StatusCode::OK, body)
    }

    pub(super) fn created(body: &impl Serialize) -> Result<Self, Problem> {
        Self::json(StatusCode::CREATED, body)
    }

    /// `{}`.
    pub(super) fn empty_object(status: StatusCode) -> Self {
        Self::bytes(status, b"{}".to_vec(), JSON)
    }

    pub(super) fn no_content() -> Self {
        Self::bytes(StatusCode::NO_CONTENT, Vec::new(), JSON)
    }

    pub(super) fn bytes(status: StatusCode, body: Vec<u8>, content_type: &'static str) -> Self {
        Self {
            status,
            body,
            content_type,
            last_modified: None,
            pages: None,
            location: None,
            provisional: false,
        }
    }

    pub(super) fn modified(mut self, at: u64) -> Self {
        self.last_modified = Some(at);
        self
    }

    pub(super) fn at(mut self, location: String) -> Self {
        self.location = Some(location);
        self
    }

    pub(super) fn paged<T>(mut self, listing: &Listing<T>) -> Self {
        self.pages = Some(Pages { current: listing.page.number, last: listing.last_page() });
        self
    }
}

impl From<&Problem> for Answer {
    fn from(problem: &Problem) -> Self {
        let status = StatusCode::from_u16(problem.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(problem).unwrap_or_default();
        Self::bytes(status, body, JSON)
    }
}
