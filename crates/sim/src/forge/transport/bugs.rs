//! Bugs of a client, planted on its way to the forge: it asks for something else than it was told to, asks
//! again where it must not, or takes an answer for another one.

use super::Carried;
use crate::bugs::Bug;
use crate::machine::task::RequestEnd;
use crate::people::STEERING;
use crate::world::{DEFAULT_BRANCH, MAINTAINER, SimWorld};
use http::header::IF_NONE_MATCH;
use http::{Method, Request, Response, StatusCode};
use ralph_core::hidden_marker;
use ralph_github::NoResponse;
use serde_json::Value;

impl Bug {
    /// Carries a request as a client with this bug would.
    pub(super) fn carry(self, world: &mut SimWorld, mut request: Request<Vec<u8>>) -> Carried {
        self.rewrite(&mut request);
        let carried = world.carry(&request);
        let carried = match (self, world.machine.task.end) {
            (Self::RetryCommentAfterTimeout, Some(RequestEnd::Unclear)) if is_comment(&request) => {
                world.carry(&request)
            }
            (Self::FollowUpTwice, _) if is_post(&request, "/issues") => world.carry(&request),
            (Self::LabelWrittenTwice, Some(RequestEnd::Unclear)) if is_label(&request) => {
                label_again(world, &request)
            }
            _other => carried,
        };
        self.misread(world.forge.login, &request, carried)
    }

    /// Rewrites the request.
    fn rewrite(self, request: &mut Request<Vec<u8>>) {
        let queued = "ralph:status:queued";
        match self {
            Self::ForeignLabel if is_label(request) => {
                edit(request, |body| set(body, &["labels", "0"], "in progress"));
            }
            Self::WritesElsewhere if is_label(request) => {
                let uri = request
                    .uri()
                    .to_string()
                    .replace("/repos/acme/widgets/", "/repos/acme/elsewhere/");
                if let Ok(uri) = uri.parse() {
                    *request.uri_mut() = uri;
                }
            }
            Self::BlockedLabel if is_label(request) => edit(request, |body| {
                if body.pointer("/labels/0").is_some_and(|name| name == queued) {
                    set(body, &["labels", "0"], "ralph:blocked");
                }
            }),
            Self::CommentWithoutMarker if is_comment(request) => edit(request, |body| {
                let text = body.get("body").and_then(Value::as_str).unwrap_or_default();
                let bare = text.split_once('\n').unwrap_or_default().1.to_owned();
                set(body, &["body"], &bare);
            }),
            Self::PullToDefaultBranch if is_post(request, "/pulls") => {
                edit(request, |body| set(body, &["base"], DEFAULT_BRANCH));
            }
            Self::MergeWithoutHead if request.uri().path().ends_with("/merge") => {
                edit(request, |body| {
                    body.as_object_mut().and_then(|body| body.remove("sha"));
                });
            }
            _others => {}
        }
    }

    /// Misreads the answer.
    fn misread(self, login: &str, request: &Request<Vec<u8>>, carried: Carried) -> Carried {
        let path = request.uri().path();
        let is_read = request.method() == Method::GET;
        match (self, carried) {
            (Self::LostCountsAsUnsent, Err(NoResponse::NoAnswer { why })) => {
                Err(NoResponse::NotSent { why })
            }
            (Self::ServerErrorIsRefusal, Ok(response))
                if !is_read && response.status().is_server_error() =>
            {
                Ok(plain(StatusCode::UNPROCESSABLE_ENTITY))
            }
            (Self::LimitIsRefusal, Ok(response))
                if !is_read && response.status() == StatusCode::FORBIDDEN =>
            {
                Ok(plain(StatusCode::FORBIDDEN))
            }
            (Self::KeptAnswerStays, Ok(response))
                if response.status() == StatusCode::OK
                    && request.headers().contains_key(IF_NONE_MATCH) =>
            {
                let mut unchanged = Response::new(Vec::new());
                *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
                Ok(unchanged)
            }
            (Self::StrangerMayCommand, Ok(mut response)) if path.ends_with("/permission") => {
                change(response.body_mut(), |body| {
                    if let Some(triage) = body.pointer_mut("/user/permissions/triage") {
                        *triage = true.into();
                    }
                });
                Ok(response)
            }
            (Self::StrangerSteers, Ok(mut response)) if is_read && path.ends_with("/comments") => {
                change(response.body_mut(), believe_strangers);
                Ok(response)
            }
            (Self::AnyMarkerIsOurs, Ok(mut response)) if is_read && path.ends_with("/comments") => {
                change(response.body_mut(), |body| claim_marked(body, login));
                Ok(response)
            }
            (Self::EditedWordsCount, Ok(mut response))
                if is_read && path.ends_with("/comments") =>
            {
                change(response.body_mut(), forget_edits);
                Ok(response)
            }
            (Self::DoneWithoutEvidence, Ok(_)) if path.contains("/compare/") => {
                Ok(Response::new(b"{\"behind_by\":0}".to_vec()))
            }
            (_others, carried) => carried,
        }
    }
}

/// Takes the label off and sets it again.
fn label_again(world: &mut SimWorld, request: &Request<Vec<u8>>) -> Carried {
    let body: Value = serde_json::from_slice(request.body()).unwrap_or_default();
    let name = body.pointer("/labels/0").and_then(Value::as_str).unwrap_or_default();
    let mut off = request.clone();
    *off.method_mut() = Method::DELETE;
    off.body_mut().clear();
    if let Ok(uri) = format!("{}/{name}", request.uri()).parse() {
        *off.uri_mut() = uri;
    }
    let taken_off = world.carry(&off);
    if world.machine.task.end == Some(RequestEnd::Done) { world.carry(request) } else { taken_off }
}

/// Puts our name under every comment with a marker.
fn claim_marked(comments: &mut Value, login: &str) {
    for comment in comments.as_array_mut().into_iter().flatten() {
        let text = comment.get("body").and_then(Value::as_str).unwrap_or_default();
        if hidden_marker::find(text).is_some() {
            set(comment, &["user", "login"], login);
        }
    }
}

/// Ascribes words that steer to a maintainer.
fn believe_strangers(comments: &mut Value) {
    for comment in comments.as_array_mut().into_iter().flatten() {
        let text = comment.get("body").and_then(Value::as_str).unwrap_or_default();
        if text.starts_with(STEERING) {
            set(comment, &["user", "login"], MAINTAINER);
        }
    }
}

/// As if every comment had always been as it is.
fn forget_edits(comments: &mut Value) {
    for comment in comments.as_array_mut().into_iter().flatten() {
        let created = comment.get("created_at").and_then(Value::as_str).unwrap_or_default();
        let created = created.to_owned();
        set(comment, &["updated_at"], &created);
    }
}

fn is_post(request: &Request<Vec<u8>>, to: &str) -> bool {
    request.method() == Method::POST && request.uri().path().ends_with(to)
}

fn is_comment(request: &Request<Vec<u8>>) -> bool {
    is_post(request, "/comments")
}

/// A label put on an issue, as opposed to one made.
fn is_label(request: &Request<Vec<u8>>) -> bool {
    is_post(request, "/labels") && request.uri().path().contains("/issues/")
}

fn edit(request: &mut Request<Vec<u8>>, how: impl FnOnce(&mut Value)) {
    change(request.body_mut(), how);
}

/// Changes a body that is JSON; any other stays as it is.
fn change(body: &mut Vec<u8>, how: impl FnOnce(&mut Value)) {
    if let Ok(mut value) = serde_json::from_slice(body) {
        how(&mut value);
        *body = value.to_string().into_bytes();
    }
}

fn set(body: &mut Value, place: &[&str], text: &str) {
    let pointer: String = place.iter().map(|part| format!("/{part}")).collect();
    if let Some(value) = body.pointer_mut(&pointer) {
        *value = text.into();
    }
}

/// An answer that tells nothing but its status.
fn plain(status: StatusCode) -> Response<Vec<u8>> {
    let mut response = Response::new(Vec::new());
    *response.status_mut() = status;
    response
}
