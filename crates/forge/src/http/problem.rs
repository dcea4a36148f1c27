//! Answers that say no, as GitHub words and shapes them.

use serde::{Serialize, Serializer};

use super::render::object;
use crate::model::refusal::{Detail, DetailCode, Refusal};

const DOCUMENTATION: &str = "https://docs.github.com/rest";

/// The reason why a request is refused.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) status: u16,
    message: String,
    detail: Option<Detail>,
}

impl Problem {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), detail: None }
    }

    pub(super) fn not_found() -> Self {
        Self::new(404, "Not Found")
    }

    pub(super) fn unprocessable(message: impl Into<String>) -> Self {
        Self::new(422, message)
    }

    /// The model answered something else than the call asks for.
    pub(super) fn mismatch() -> Self {
        Self::new(500, "Server Error")
    }

    pub(super) fn invalid(resource: &'static str, field: &'static str, code: DetailCode) -> Self {
        let detail = Detail { resource, field: Some(field), code };
        Self { detail: Some(detail), ..Self::new(422, "Validation Failed") }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let Refusal { status, message, detail } = refusal;
        Self { status, message, detail }
    }
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        if !error.is_data() {
            return Self::new(400, "Problems parsing JSON");
        }
        let words = error.to_string();
        let missing = words.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
        let message = match missing {
            Some(field) => format!("Invalid request.\n\n\"{field}\" wasn't supplied."),
            None => format!("Invalid request.\n\n{words}"),
        };
        Self::new(422, message)
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let status = format_args!("{}", self.status);
        match &self.detail {
            None => object!(serializer, {
                "message": self.message,
                "documentation_url": DOCUMENTATION,
                "status": status,
            }),
            Some(detail) => object!(serializer, {
                "message": self.message,
                "errors": [DetailJson(detail)],
                "documentation_url": DOCUMENTATION,
                "status": status,
            }),
        }
    }
}

struct DetailJson<'a>(&'a Detail);

impl Serialize for DetailJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Detail { resource, field, code } = self.0;
        let (code, message) = match code {
            DetailCode::Missing => ("missing", None),
            DetailCode::MissingField => ("missing_field", None),
            DetailCode::Invalid => ("invalid", None),
            DetailCode::AlreadyExists => ("already_exists", None),
            DetailCode::Custom(words) => ("custom", Some(words)),
        };
        match (field, message) {
            (Some(field), _) => {
                object!(serializer, { "resource": resource, "field": field, "code": code })
            }
            (None, message) => {
                object!(serializer, { "resource": resource, "code": code, "message": message.map_or("", String::as_str) })
            }
        }
    }
}
