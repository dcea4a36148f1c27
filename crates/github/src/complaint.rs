//! The forge's words about a request that it did not carry out, and our sentences about it.

use http::{Method, Response, StatusCode};
use ralph_core::excerpt::{Excerpt, LINE_BYTES_MAX};
use serde::Deserialize;
use std::borrow::Cow;

/// Enough of a body that is not JSON, such as a proxy's page, to recognise it by.
const PLAIN_BYTES_MAX: usize = 200;
/// Of several errors in one answer the first few say enough.
const ERRORS_SHOWN_MAX: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(crate) status: StatusCode,
    /// The forge's words, as they came.
    pub(crate) message: String,
    /// The thing that should be made exists already.
    pub(crate) says_exists: bool,
    /// The place to which it has moved.
    pub(crate) moved_to: Option<String>,
}

impl Complaint {
    pub(crate) fn of(response: &Response<Vec<u8>>) -> Self {
        let status = response.status();
        let Ok(body) = serde_json::from_slice::<Body>(response.body()) else {
            let start = response.body().get(..PLAIN_BYTES_MAX).unwrap_or(response.body());
            let message = String::from_utf8_lossy(start).into_owned();
            return Self { status, message, says_exists: false, moved_to: None };
        };
        let errors: Vec<_> = body.errors.iter().map(Detail::shown).collect();
        let is_taken = |text: &str| text.to_ascii_lowercase().contains("already exists");
        let says_exists = is_taken(&body.message)
            || body.errors.iter().any(|detail| detail.code() == "already_exists")
            || errors.iter().any(|text| is_taken(text));
        let mut message = body.message;
        for error in errors.iter().take(ERRORS_SHOWN_MAX) {
            message = format!("{message}; {error}");
        }
        Self { status, message, says_exists, moved_to: None }
    }

    /// For a request that is none, and so was never sent.
    pub(crate) const fn unsent() -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            message: String::new(),
            says_exists: false,
            moved_to: None,
        }
    }

    pub(crate) fn says(&self, words: &str) -> bool {
        self.message.to_ascii_lowercase().contains(words)
    }

    /// The request, the status, and the forge's words.
    pub(crate) fn sentence(&self, method: &Method, path: &str) -> String {
        let status = self.status.as_u16();
        if self.message.trim().is_empty() {
            return sentence(method, path, &format!("was answered with {status}"));
        }
        sentence(method, path, &format!("was answered with {status}: {}", self.message))
    }
}

/// One line about one request, fit to be shown and stored.
pub(crate) fn sentence(method: &Method, path: &str, what: &str) -> String {
    let line = format!("{method} {path} {what}").replace(['\r', '\n'], " ");
    Excerpt::of(&line, LINE_BYTES_MAX).into()
}

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: Vec<Detail>,
}

/// GitHub writes an error as an object, an older endpoint as a bare text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Detail {
    Text(String),
    Object {
        #[serde(default)]
        field: Option<String>,
        #[serde(default)]
        code: Option<String>,
        #[serde(default)]
        message: Option<String>,
    },
    Other(serde::de::IgnoredAny),
}

impl Detail {
    fn code(&self) -> &str {
        match self {
            Self::Object { code: Some(code), .. } => code,
            Self::Object { code: None, .. } | Self::Text(_) | Self::Other(_) => "",
        }
    }

    fn shown(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) | Self::Object { message: Some(text), .. } => text.as_str().into(),
            Self::Object { field: Some(field), code: Some(code), .. } => {
                format!("{field} {code}").into()
            }
            Self::Object { field, code, .. } => {
                field.as_deref().or(code.as_deref()).unwrap_or("an error").into()
            }
            Self::Other(_) => "an error".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(status: u16, body: &str) -> Complaint {
        let response = Response::builder().status(status).body(body.as_bytes().to_vec());
        Complaint::of(&response.unwrap())
    }

    #[test]
    fn every_way_of_saying_that_something_exists_is_understood() {
        for body in [
            r#"{"message":"Reference already exists"}"#,
            r#"{"message":"Validation Failed","errors":[{"resource":"Label","code":"already_exists","field":"name"}]}"#,
            r#"{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"A pull request already exists for acme:x."}]}"#,
            r#"{"message":"Validation Failed","errors":["Label already exists"]}"#,
        ] {
            assert!(complaint(422, body).says_exists, "{body}");
        }
        for body in [
            r#"{"message":"Validation Failed","errors":[{"code":"missing_field","field":"title"}]}"#,
            r#"{"message":null,"errors":[7]}"#,
            "already exists, says a proxy's page",
        ] {
            assert!(!complaint(422, body).says_exists, "{body}");
        }
    }

    #[test]
    fn sentences_name_the_request_the_status_and_the_words_on_one_bounded_line_without_secrets() {
        let found = complaint(
            403,
            r#"{"message":"No\nwith ghp_0123456789abcdef0123","errors":[{"field":"name","code":"bad"}]}"#,
        );
        assert_eq!(
            found.sentence(&Method::PUT, "/repos/a/b"),
            "PUT /repos/a/b was answered with 403: No with [redacted]; name bad"
        );
        let long = complaint(500, &"x".repeat(200_000)).sentence(&Method::GET, &"y".repeat(9_000));
        assert!(long.len() <= LINE_BYTES_MAX, "{}", long.len());
        assert_eq!(complaint(502, "").sentence(&Method::GET, "/a"), "GET /a was answered with 502");
    }
}
