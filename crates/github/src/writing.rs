//! Writing: one change at a time for the whole account, and what is known of it afterwards.

use crate::budget::Purpose;
use crate::client::{Client, Exchanged, Outgoing};
use crate::complaint::sentence;
use crate::transport::Transport;
use http::{Method, Response};
use ralph_engine::ports::{Answer, Refusal, RefusalKind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A change to ask for.
pub(crate) struct Change<'a, B> {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) purpose: Purpose,
    /// `None`: the request has no body.
    pub(crate) body: Option<&'a B>,
}

/// For a change that has no body.
pub(crate) const NO_BODY: Option<&()> = None;

impl<T: Transport> Client<T> {
    /// Asks for a change whose answer tells nothing more.
    pub(crate) fn change<B: Serialize>(&mut self, change: &Change<'_, B>) -> Answer<()> {
        match self.send_change(change) {
            Answer::Happened(_response) => Answer::Happened(()),
            Answer::Refused(refusal) => Answer::Refused(refusal),
            Answer::Later { until, why } => Answer::Later { until, why },
            Answer::Unknown { why } => Answer::Unknown { why },
        }
    }

    /// Asks for a change and reads what came of it. It happened even if that cannot be read, but then there
    /// is nothing to go on with: it has to be looked up.
    pub(crate) fn change_for<B: Serialize, V: DeserializeOwned>(
        &mut self,
        change: &Change<'_, B>,
    ) -> Answer<V> {
        let response = match self.send_change(change) {
            Answer::Happened(response) => response,
            Answer::Refused(refusal) => return Answer::Refused(refusal),
            Answer::Later { until, why } => return Answer::Later { until, why },
            Answer::Unknown { why } => return Answer::Unknown { why },
        };
        match serde_json::from_slice(response.body()) {
            Ok(value) => Answer::Happened(value),
            Err(source) => {
                let what = format!("was answered with something unexpected: {source}");
                Answer::Unknown { why: sentence(&change.method, &change.path, &what) }
            }
        }
    }

    fn send_change<B: Serialize>(&mut self, change: &Change<'_, B>) -> Answer<Response<Vec<u8>>> {
        let account = Arc::clone(&self.account);
        let body = match change.body.map(serde_json::to_vec).transpose() {
            Ok(body) => body.unwrap_or_default(),
            Err(source) => {
                let what = format!("cannot be written down: {source}");
                let message = sentence(&change.method, &change.path, &what);
                return Answer::refused(RefusalKind::Other, &message);
            }
        };
        let url = account.address.of(&change.path);
        let (method, purpose) = (change.method.clone(), change.purpose);
        let _one_at_a_time = account.writing();
        match self.exchange(Outgoing { method, url: &url, purpose, tag: None, body }) {
            Exchanged::Answered(response) => Answer::Happened(response),
            Exchanged::Refused { kind, why, .. } => Answer::Refused(Refusal { kind, message: why }),
            Exchanged::Later { until, why } => Answer::Later { until, why },
            Exchanged::Unknown { why } => Answer::Unknown { why },
            Exchanged::Unchanged => {
                let why = sentence(&change.method, &change.path, "was answered with 304");
                Answer::Unknown { why }
            }
        }
    }
}
