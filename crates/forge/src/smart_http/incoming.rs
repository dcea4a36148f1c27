//! A request's body piece by piece, unpacked on the way when it comes compressed.

use std::io::{self, Write};
use std::time::Duration;

use axum::body::{Body, Bytes};
use flate2::write::GzDecoder;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use http_body_util::BodyExt;

use crate::clock::Deadline;

/// So much has to come before the patience with a client is new. Otherwise one that sends a byte now
/// and then could stay for days.
const PROGRESS_BYTES: usize = 16 * 1024;

#[derive(Debug)]
pub(crate) struct Incoming {
    body: Body,
    unpacking: Option<GzDecoder<Vec<u8>>>,
    /// The time that a client has for each part.
    patience: Duration,
    /// The rest of that time, and the bytes of the part that have come.
    left: Duration,
    progress_bytes: usize,
}

impl Incoming {
    pub(crate) fn new(headers: &HeaderMap, body: Body, patience: Duration) -> Self {
        let is_packed = headers.get(CONTENT_ENCODING).is_some_and(|coding| {
            coding.as_bytes().eq_ignore_ascii_case(b"gzip")
                || coding.as_bytes().eq_ignore_ascii_case(b"x-gzip")
        });
        let unpacking = is_packed.then(|| GzDecoder::new(Vec::new()));
        Self { body, unpacking, patience, left: patience, progress_bytes: 0 }
    }

    /// The next piece, which may be empty; none at the end.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Bytes>> {
        // What git needs for what has come is not the client's time.
        let deadline = Deadline::after(self.left);
        let frame = tokio::time::timeout(self.left, self.body.frame()).await;
        self.left = deadline.left();
        let Some(frame) = frame? else { return self.last() };
        let Ok(data) = frame.map_err(io::Error::other)?.into_data() else {
            return Ok(Some(Bytes::new()));
        };
        self.progress_bytes += data.len();
        if self.progress_bytes >= PROGRESS_BYTES {
            (self.left, self.progress_bytes) = (self.patience, 0);
        }
        let Some(unpacking) = &mut self.unpacking else { return Ok(Some(data)) };
        unpacking.write_all(&data)?;
        Ok(Some(std::mem::take(unpacking.get_mut()).into()))
    }

    fn last(&mut self) -> io::Result<Option<Bytes>> {
        let Some(unpacking) = self.unpacking.take() else { return Ok(None) };
        Ok(Some(unpacking.finish()?.into()))
    }
}
