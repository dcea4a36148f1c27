//! The failures of a provider, and the HTTP answers in which each of them says so.

mod anthropic;
mod google;
mod openai;

use crate::wire::Wire;
use serde_json::Value;

/// A way in which a request ends without a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The credentials are not accepted.
    LoginRefused,
    /// The account has used what it may use. Subscriptions say until when, in seconds since 1970; prepaid accounts do
    /// not.
    UsageLimit {
        resets_at: Option<u64>,
    },
    /// Too many requests for the moment.
    RateLimit {
        retry_after_s: u32,
    },
    Overloaded,
    UnknownModel,
    /// The conversation is longer than the model reads.
    ContextFull,
    /// The answer begins and never continues.
    Hang,
    /// The connection is closed in the middle of an answer.
    Close,
    /// The answer is not in any format.
    Garbage,
}

/// An answer with its status, further headers and JSON body.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Value,
}

impl Failure {
    /// The answer of a provider; nothing for failures of the connection, which have no such answer.
    pub(crate) fn refusal(&self, wire: Wire, model: &str, now_s: u64) -> Option<Refusal> {
        match self {
            Self::Hang | Self::Close | Self::Garbage => None,
            Self::LoginRefused
            | Self::UsageLimit { .. }
            | Self::RateLimit { .. }
            | Self::Overloaded
            | Self::UnknownModel
            | Self::ContextFull => Some(match wire {
                Wire::Messages => anthropic::refusal(self, model),
                Wire::Responses | Wire::Chat => openai::refusal(self, model, now_s),
                Wire::Gemini => google::refusal(self, model, now_s),
            }),
        }
    }
}

impl Refusal {
    pub(crate) const fn new(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}
