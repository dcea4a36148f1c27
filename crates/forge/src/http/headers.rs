//! The headers of every answer.

use http::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, LAST_MODIFIED, LINK, LOCATION, VARY,
};
use http::{HeaderMap, HeaderValue};

use super::answer::Answer;
use super::limits::Allowance;
use super::moment::HttpDate;
use super::paging::link;

/// Sets a header; a text that is none is left out.
pub(super) fn put(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}

/// Adds the headers that follow from the answer itself.
pub(super) fn describe(headers: &mut HeaderMap, base: &str, uri: &http::Uri, answer: &Answer) {
    if !answer.body.is_empty() {
        put(headers, CONTENT_TYPE, answer.content_type);
    }
    if let Some(at) = answer.last_modified {
        put(headers, LAST_MODIFIED, &HttpDate(at).to_string());
    }
    if let Some(links) = answer.pages.and_then(|pages| link(base, uri, pages)) {
        put(headers, LINK, &links);
    }
    if let Some(location) = &answer.location {
        put(headers, LOCATION, location);
    }
}

pub(super) fn name(headers: &mut HeaderMap, etag: &str) {
    put(headers, ETAG, etag);
    put(headers, CACHE_CONTROL, "private, max-age=60, s-maxage=60");
    put(headers, VARY, "Accept, Authorization, Cookie, X-GitHub-OTP");
}

/// Adds the headers that every answer has.
pub(super) fn always(headers: &mut HeaderMap, request_id: &str) {
    let fixed = [
        ("x-github-media-type", "github.v3; format=json"),
        ("x-github-api-version-selected", "2022-11-28"),
        ("x-content-type-options", "nosniff"),
    ];
    for (key, value) in fixed {
        headers.insert(HeaderName::from_static(key), HeaderValue::from_static(value));
    }
    put(headers, HeaderName::from_static("x-github-request-id"), request_id);
}

/// Adds the scopes of a person's token; `gh auth status` asks for `read:org`, though there are no organisations here.
pub(super) fn scopes(headers: &mut HeaderMap) {
    let scopes = "admin:repo_hook, gist, read:org, repo, workflow";
    headers.insert(HeaderName::from_static("x-oauth-scopes"), HeaderValue::from_static(scopes));
    let none = HeaderValue::from_static("");
    headers.insert(HeaderName::from_static("x-accepted-oauth-scopes"), none);
}

pub(super) fn allow(headers: &mut HeaderMap, allowance: Allowance) {
    let numbers = [
        ("x-ratelimit-limit", u64::from(allowance.limit)),
        ("x-ratelimit-remaining", u64::from(allowance.remaining())),
        ("x-ratelimit-used", u64::from(allowance.used)),
        ("x-ratelimit-reset", allowance.reset),
    ];
    for (key, number) in numbers {
        headers.insert(HeaderName::from_static(key), HeaderValue::from(number));
    }
    let resource = HeaderName::from_static("x-ratelimit-resource");
    headers.insert(resource, HeaderValue::from_static("core"));
}
