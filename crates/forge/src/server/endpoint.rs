//! The endpoint for all requests: git's, the pages for people, and everything else for the REST layer.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};

use super::{control_endpoint, git_endpoint, run_page};
use crate::http::Answered;
use crate::keeper::Keeper;
use crate::smart_http::address::Address;

/// The longest body of a request to the REST API; GitHub's texts end far below.
const BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

pub(super) struct Endpoint {
    pub(super) keeper: Keeper,
    /// For the commands of the operator.
    pub(super) control_token: String,
    pub(super) import_room: PathBuf,
    /// The time that a client has to send the next part of a request.
    pub(super) patience: Duration,
}

pub(super) fn router(endpoint: Arc<Endpoint>) -> Router {
    Router::new().fallback(answer).with_state(endpoint)
}

async fn answer(State(endpoint): State<Arc<Endpoint>>, request: Request<Body>) -> Response<Body> {
    let (path, query) = (request.uri().path(), request.uri().query());
    if let Some(address) = Address::of(path, query) {
        return git(&endpoint, address, request).await;
    }
    if let Some(run) = run_page::address(path).filter(|_run| request.method() == Method::GET) {
        let (head, _no_body) = request.into_parts();
        return run_page::answer(&endpoint, run, &head.headers).await;
    }
    if path == control_endpoint::PATH && request.method() == Method::POST {
        return control_endpoint::answer(&endpoint, request).await;
    }
    rest(&endpoint, request).await
}

/// Git's requests meet faults on order as well.
async fn git(endpoint: &Endpoint, address: Address, request: Request<Body>) -> Response<Body> {
    let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
    let Ok(struck) = endpoint.keeper.ask(move |kept| kept.strike(&method, &path)).await else {
        return stopping();
    };
    let Some(struck) = struck else {
        return git_endpoint::answer(endpoint, address, request).await;
    };
    tokio::time::sleep(struck.delay).await;
    let response = match struck.status {
        Some(status) => plain(status, "A fault on order\n"),
        None => git_endpoint::answer(endpoint, address, request).await,
    };
    if struck.drop_response { lost() } else { response }
}

async fn rest(endpoint: &Endpoint, request: Request<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, BODY_BYTES_MAX).collect();
    let Ok(body) = tokio::time::timeout(endpoint.patience, body).await else {
        return plain(StatusCode::REQUEST_TIMEOUT, "The body took too long to come.\n");
    };
    let Ok(body) = body else {
        return plain(StatusCode::PAYLOAD_TOO_LARGE, "The body is too long or broke off.\n");
    };
    let request = Request::from_parts(head, body.to_bytes().to_vec());
    match endpoint.keeper.ask(move |kept| kept.respond(&request)).await {
        Ok(answered) => deliver(answered).await,
        Err(_stopped) => stopping(),
    }
}

/// Carries out what a fault on order wants of the connection.
async fn deliver(answered: Answered) -> Response<Body> {
    if !answered.delay.is_zero() {
        tokio::time::sleep(answered.delay).await;
    }
    if answered.drop_response {
        return lost();
    }
    answered.response.map(Body::from)
}

/// An answer that breaks off before its first byte, which closes the connection.
fn lost() -> Response<Body> {
    let broken = std::io::Error::other("a fault on order");
    Response::new(Body::from_stream(tokio_util::io::ReaderStream::new(Lost(Some(broken)))))
}

struct Lost(Option<std::io::Error>);

impl tokio::io::AsyncRead for Lost {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        _context: &mut std::task::Context<'_>,
        _buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        std::task::Poll::Ready(self.0.take().map_or(Ok(()), Err))
    }
}

pub(super) fn stopping() -> Response<Body> {
    plain(StatusCode::SERVICE_UNAVAILABLE, "The forge is stopping.\n")
}

pub(super) fn ask_for_token() -> Response<Body> {
    let mut response = plain(StatusCode::UNAUTHORIZED, "Give a login and a token as password.\n");
    let challenge = HeaderValue::from_static("Basic realm=\"GitHub\"");
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    response
}

pub(super) fn plain(status: StatusCode, text: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Body::from(text.into()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
