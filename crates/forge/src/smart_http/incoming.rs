//! A request's body piece by piece, unpacked on the way when it comes compressed.

use std::io::{self, Write};
use std::time::Duration;

use axum::body::{Body, Bytes};
use flate2::write::GzDecoder;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use http_body_util::BodyExt;

#[derive(Debug)]
pub(crate) struct Incoming {
    body: Body,
    unpacking: Option<GzDecoder<Vec<u8>>>,
    /// How long each piece may take to come.
    patience: Duration,
}

impl Incoming {
    pub(crate) fn new(headers: &HeaderMap, body: Body, patience: Duration) -> Self {
        let is_packed = headers.get(CONTENT_ENCODING).is_some_and(|coding| {
            coding.as_bytes().eq_ignore_ascii_case(b"gzip")
                || coding.as_bytes().eq_ignore_ascii_case(b"x-gzip")
        });
        Self { body, unpacking: is_packed.then(|| GzDecoder::new(Vec::new())), patience }
    }

    /// The next piece, which may be empty; none at the end.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Bytes>> {
        let frame = tokio::time::timeout(self.patience, self.body.frame()).await;
        let Some(frame) = frame? else { return self.last() };
        let Ok(data) = frame.map_err(io::Error::other)?.into_data() else {
            return Ok(Some(Bytes::new()));
        };
        let Some(unpacking) = &mut self.unpacking else { return Ok(Some(data)) };
        unpacking.write_all(&data)?;
        Ok(Some(std::mem::take(unpacking.get_mut()).into()))
    }

    fn last(&mut self) -> io::Result<Option<Bytes>> {
        let Some(unpacking) = self.unpacking.take() else { return Ok(None) };
        Ok(Some(unpacking.finish()?.into()))
    }
}
