//! Answers that the forge's own rules do not give: limits, errors of the server, refused credentials.

use crate::prng::Prng;
use http::header::RETRY_AFTER;
use http::{HeaderValue, Response, StatusCode};

fn saying(status: StatusCode, message: &str) -> Response<Vec<u8>> {
    let mut response = Response::new(format!("{{\"message\":\"{message}\"}}").into_bytes());
    *response.status_mut() = status;
    response
}

/// Both statuses mean the same.
fn limit_status(prng: &mut Prng) -> StatusCode {
    if prng.chance(700) { StatusCode::FORBIDDEN } else { StatusCode::TOO_MANY_REQUESTS }
}

/// The hour's requests are used up; `reset` in Unix seconds, if the forge says.
pub(super) fn primary_limit(prng: &mut Prng, reset: Option<u64>) -> Response<Vec<u8>> {
    let mut response = saying(limit_status(prng), "API rate limit exceeded for user ID 1.");
    if let Some(reset) = reset {
        let headers = response.headers_mut();
        headers.insert("x-ratelimit-limit", HeaderValue::from(crate::world::PLENTY));
        headers.insert("x-ratelimit-remaining", HeaderValue::from(0));
        headers.insert("x-ratelimit-reset", HeaderValue::from(reset));
    }
    response
}

/// Too much at once; with the seconds to wait, if the forge says.
pub(super) fn secondary_limit(prng: &mut Prng, wait: Option<u64>) -> Response<Vec<u8>> {
    let words = "You have exceeded a secondary rate limit. Please wait a few minutes.";
    let mut response = saying(limit_status(prng), words);
    if let Some(seconds) = wait {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

pub(super) fn bad_credentials() -> Response<Vec<u8>> {
    saying(StatusCode::UNAUTHORIZED, "Bad credentials")
}

pub(super) fn may_not_label() -> Response<Vec<u8>> {
    saying(StatusCode::FORBIDDEN, "Resource not accessible by integration")
}

pub(super) fn conversation_is_locked() -> Response<Vec<u8>> {
    saying(StatusCode::FORBIDDEN, "Unable to create comment because issue is locked.")
}

/// From the forge itself or from something before it.
pub(super) fn server_error(prng: &mut Prng) -> Response<Vec<u8>> {
    let statuses = [
        StatusCode::INTERNAL_SERVER_ERROR,
        StatusCode::BAD_GATEWAY,
        StatusCode::SERVICE_UNAVAILABLE,
        StatusCode::GATEWAY_TIMEOUT,
    ];
    let status = prng.pick(&statuses).copied().unwrap_or(StatusCode::BAD_GATEWAY);
    let mut response = saying(status, "Server Error");
    if prng.chance(500) {
        *response.body_mut() = PROXY_PAGE.to_vec();
    }
    response
}

/// The page of a proxy before the forge.
pub(super) const PROXY_PAGE: &[u8] = b"<html><body><h1>Please hold on</h1></body></html>";
