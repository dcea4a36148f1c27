//! Writing: one change at a time for the whole account, none outside of the sandbox, and what is known of it
//! afterwards.

use crate::budget::Purpose;
use crate::client::{Client, Declined, Outgoing, Reply};
use crate::complaint::sentence;
use crate::route;
use crate::transport::Transport;
use http::{Method, Response};
use ralph_engine::ports::{Answer, Refusal, RefusalKind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

impl<T: Transport> Client<T> {
    /// Asks for a change whose answer tells nothing more.
    pub(crate) fn change<B: Serialize>(
        &mut self,
        method: &Method,
        path: &str,
        purpose: Purpose,
        body: &B,
    ) -> Answer<()> {
        then(self.send_json(method, path, purpose, body), |_response| Answer::Happened(()))
    }

    /// Asks for a change and reads what came of it. It happened even if that cannot be read, but then there
    /// is nothing to go on with: it has to be looked up.
    pub(crate) fn change_for<B: Serialize, V: DeserializeOwned>(
        &mut self,
        method: &Method,
        path: &str,
        purpose: Purpose,
        body: &B,
    ) -> Answer<V> {
        then(self.send_json(method, path, purpose, body), |response| {
            match serde_json::from_slice(response.body()) {
                Ok(value) => Answer::Happened(value),
                Err(source) => {
                    let what = format!("was answered with something unexpected: {source}");
                    Answer::Unknown { why: sentence(method, path, &what) }
                }
            }
        })
    }

    pub(crate) fn delete(&mut self, path: &str, purpose: Purpose) -> Answer<()> {
        let answer = self.send_change(&Method::DELETE, path, purpose, Vec::new());
        then(answer, |_response| Answer::Happened(()))
    }

    fn send_json<B: Serialize>(
        &mut self,
        method: &Method,
        path: &str,
        purpose: Purpose,
        body: &B,
    ) -> Answer<Response<Vec<u8>>> {
        match serde_json::to_vec(body) {
            Ok(body) => self.send_change(method, path, purpose, body),
            Err(source) => {
                let what = format!("cannot be written down: {source}");
                Answer::refused(RefusalKind::Other, &sentence(method, path, &what))
            }
        }
    }

    fn send_change(
        &mut self,
        method: &Method,
        path: &str,
        purpose: Purpose,
        body: Vec<u8>,
    ) -> Answer<Response<Vec<u8>>> {
        let account = Arc::clone(&self.account);
        if let Some(why) = account.refusal(path) {
            return Answer::refused(RefusalKind::Other, &sentence(method, path, &why));
        }
        let url = account.address.of(path);
        let _one_at_a_time = account.writing();
        let method = method.clone();
        let (about, tag) = (route::repository_of(path), None);
        let about = about.as_ref();
        match self.exchange(&Outgoing { method, url: &url, about, purpose, tag, body }) {
            Answer::Happened(Reply::Fresh(response)) => Answer::Happened(response),
            Answer::Happened(Reply::Unchanged) => {
                let why = format!("a change below {path} was answered with 304");
                Answer::Unknown { why }
            }
            Answer::Refused(Declined { kind, why, .. }) => {
                Answer::Refused(Refusal { kind, message: why })
            }
            Answer::Later { until, why } => Answer::Later { until, why },
            Answer::Unknown { why } => Answer::Unknown { why },
        }
    }
}

/// Goes on with what happened.
pub(crate) fn then<V, W>(answer: Answer<V>, happened: impl FnOnce(V) -> Answer<W>) -> Answer<W> {
    match answer {
        Answer::Happened(value) => happened(value),
        Answer::Refused(refusal) => Answer::Refused(refusal),
        Answer::Later { until, why } => Answer::Later { until, why },
        Answer::Unknown { why } => Answer::Unknown { why },
    }
}
