//! The endpoint for an operator's commands to a running server.

use axum::body::Body;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use sha2::{Digest, Sha256};

use super::endpoint::{Endpoint, ask_for_token, plain, stopping};
use crate::control::{ControlAnswer, ControlError, ControlRequest, stage};

pub(super) const PATH: &str = "/_forge/control";

/// A command is a line.
const BODY_BYTES_MAX: usize = 64 * 1024;

pub(super) async fn answer(endpoint: &Endpoint, request: Request<Body>) -> Response<Body> {
    let given = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes);
    let wanted = format!("Bearer {}", endpoint.control_token);
    // Digests are compared, so that the time it takes says nothing about the token.
    if Sha256::digest(given.unwrap_or_default()) != Sha256::digest(wanted) {
        return ask_for_token();
    }
    let body = Limited::new(request.into_body(), BODY_BYTES_MAX).collect();
    let Ok(body) = tokio::time::timeout(endpoint.patience, body).await else {
        return plain(StatusCode::REQUEST_TIMEOUT, "The body took too long to come.\n");
    };
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    let request: ControlRequest = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(error) => return plain(StatusCode::BAD_REQUEST, format!("{error}\n")),
    };
    let answer = match carry_out(endpoint, request).await {
        Some(answer) => answer.unwrap_or_else(|error| ControlAnswer::Refused(error.to_string())),
        None => return stopping(),
    };
    let mut response = Response::new(Body::from(serde_json::to_vec(&answer).unwrap_or_default()));
    let json = HeaderValue::from_static("application/json; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// None when the server stops.
async fn carry_out(
    endpoint: &Endpoint,
    request: ControlRequest,
) -> Option<Result<ControlAnswer, ControlError>> {
    let staged = match &request {
        ControlRequest::AddUser { .. }
        | ControlRequest::AddApp(_)
        | ControlRequest::ListTokens
        | ControlRequest::RevokeTokens { .. } => None,
        ControlRequest::Import { source, .. } => {
            let (source, room) = (source.clone(), endpoint.import_room.clone());
            let staged = tokio::task::spawn_blocking(move || stage(&source, &room)).await.ok()?;
            match staged {
                Ok(staged) => Some(staged),
                Err(error) => return Some(Err(error)),
            }
        }
    };
    endpoint.keeper.ask(move |kept| kept.control(&request, staged)).await.ok()
}
