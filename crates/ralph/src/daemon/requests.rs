//! Counts what is sent to the forge, on its way.

use ralph_adapters::http_transport::HttpTransport;
use ralph_github::{NoResponse, Transport};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Requests by method and status; without an answer the status is `none`.
#[derive(Debug, Clone, Default)]
pub(super) struct Requests(Arc<Mutex<BTreeMap<(String, String), u64>>>);

impl Requests {
    pub(super) fn counts(&self) -> BTreeMap<(String, String), u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn count(&self, method: &str, code: &str) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry((method.to_owned(), code.to_owned())).or_default() += 1;
    }
}

/// A transport to the forge that counts its requests.
#[derive(Debug, Clone)]
pub(super) struct CountedTransport {
    pub(super) transport: HttpTransport,
    pub(super) requests: Requests,
}

impl Transport for CountedTransport {
    fn send(
        &mut self,
        request: http::Request<Vec<u8>>,
    ) -> Result<http::Response<Vec<u8>>, NoResponse> {
        let method = request.method().clone();
        let answer = Transport::send(&mut self.transport, request);
        match &answer {
            Ok(response) => self.requests.count(method.as_str(), response.status().as_str()),
            Err(_) => self.requests.count(method.as_str(), "none"),
        }
        answer
    }
}
