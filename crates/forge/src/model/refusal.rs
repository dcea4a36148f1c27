//! The reason why a request was refused, in GitHub's numbers and words.

use std::fmt;

use crate::git::fault::GitFault;

/// A refused request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// 401, 403, 404, 405, 409, 410 or 422; 500 when git on disk failed, 503 where it is damaged.
    pub status: u16,
    pub message: String,
    /// The invalid part, on some answers of status 422.
    pub detail: Option<Detail>,
}

/// The invalid part of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    pub resource: &'static str,
    pub field: Option<&'static str>,
    pub code: DetailCode,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DetailCode {
    Missing,
    MissingField,
    Invalid,
    AlreadyExists,
    /// Said in words.
    Custom(String),
}

impl Refusal {
    fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), detail: None }
    }

    pub(super) fn bad_credentials() -> Self {
        Self::new(401, "Bad credentials")
    }

    pub(super) fn not_found() -> Self {
        Self::new(404, "Not Found")
    }

    pub(super) fn absent(message: impl Into<String>) -> Self {
        Self::new(404, message)
    }

    pub(super) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(403, message)
    }

    pub(super) fn not_mergeable(message: impl Into<String>) -> Self {
        Self::new(405, message)
    }

    pub(super) fn conflict(message: impl Into<String>) -> Self {
        Self::new(409, message)
    }

    pub(super) fn gone(message: impl Into<String>) -> Self {
        Self::new(410, message)
    }

    pub(super) fn unprocessable(message: impl Into<String>) -> Self {
        Self::new(422, message)
    }

    pub(super) fn set_aside(why: &str) -> Self {
        Self::new(503, format!("This repository was set aside: {why}"))
    }

    pub(super) fn invalid(resource: &'static str, field: &'static str, code: DetailCode) -> Self {
        let detail = Detail { resource, field: Some(field), code };
        Self { detail: Some(detail), ..Self::new(422, "Validation Failed") }
    }

    pub(super) fn custom(resource: &'static str, words: impl Into<String>) -> Self {
        let detail = Detail { resource, field: None, code: DetailCode::Custom(words.into()) };
        Self { detail: Some(detail), ..Self::new(422, "Validation Failed") }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.status, self.message)?;
        let Some(detail) = &self.detail else { return Ok(()) };
        match &detail.code {
            DetailCode::Custom(words) => write!(formatter, ": {words}"),
            DetailCode::Missing => write!(formatter, ": {} does not exist", detail.subject()),
            DetailCode::MissingField => write!(formatter, ": {} is missing", detail.subject()),
            DetailCode::Invalid => write!(formatter, ": {} is invalid", detail.subject()),
            DetailCode::AlreadyExists => write!(formatter, ": {} already exists", detail.subject()),
        }
    }
}

impl std::error::Error for Refusal {}

impl Detail {
    fn subject(&self) -> String {
        match self.field {
            Some(field) => format!("{} {field}", self.resource),
            None => self.resource.to_owned(),
        }
    }
}

impl From<GitFault> for Refusal {
    fn from(fault: GitFault) -> Self {
        match &fault {
            GitFault::UnknownCommit(sha) => {
                Self::unprocessable(format!("No commit found for SHA: {sha}"))
            }
            GitFault::Broken { .. } => Self::new(500, format!("Server Error: {fault}")),
        }
    }
}
