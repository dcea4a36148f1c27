//! The seam to the network: one request in, one response out, or the reason why there is none.

use http::{Request, Response};
use std::fmt;

/// Carries one request to the forge. It follows no redirect, repeats nothing, and bounds time and size.
pub trait Transport {
    fn send(&mut self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, NoResponse>;
}

/// The reason why there is no response. It decides whether a write may have happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoResponse {
    /// The forge has seen nothing of the request, as when no connection could be made.
    NotSent { why: String },
    /// The request, or a part of it, went out, and no complete answer came back.
    NoAnswer { why: String },
}

impl fmt::Display for NoResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSent { why } => write!(f, "was not sent: {why}"),
            Self::NoAnswer { why } => write!(f, "got no answer: {why}"),
        }
    }
}

impl std::error::Error for NoResponse {}
