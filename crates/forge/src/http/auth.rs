//! Tokens: who a request comes from. Only their hashes are kept.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Logins by the hash of their tokens.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Tokens(BTreeMap<String, String>);

/// Who asks, and with which token.
#[derive(Clone, Debug)]
pub(super) struct Bearer {
    pub(super) login: String,
    pub(super) token_hash: String,
    /// The account whose repositories an installation's token is good for; `None` for a person's.
    pub(super) installed_at: Option<String>,
}

/// Who credentials stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub login: String,
    /// The account whose repositories an installation's token is good for; `None` for a person's.
    pub installed_at: Option<String>,
}

impl Tokens {
    pub(super) fn add(&mut self, login: &str, token: &str) {
        self.0.insert(hash(token), login.to_owned());
    }

    pub(super) fn remove(&mut self, token: &str) {
        self.0.remove(&hash(token));
    }

    pub(super) fn holder(&self, token: &str) -> Option<Bearer> {
        let token_hash = hash(token);
        let login = self.0.get(&token_hash)?.clone();
        Some(Bearer { login, token_hash, installed_at: None })
    }
}

/// The tokens that may be meant by `token X`, `Bearer X`, and `Basic` with the token as password (as git sends
/// it).
pub(super) fn candidates(authorization: &str) -> Vec<String> {
    let Some((scheme, credentials)) = authorization.trim().split_once(' ') else {
        return Vec::new();
    };
    let credentials = credentials.trim();
    if scheme.eq_ignore_ascii_case("token") || scheme.eq_ignore_ascii_case("bearer") {
        return vec![credentials.to_owned()];
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return Vec::new();
    }
    let decoded = STANDARD.decode(credentials).ok().and_then(|text| String::from_utf8(text).ok());
    let pair = decoded.as_deref().and_then(|text| text.split_once(':'));
    // A token may stand in either place, as on GitHub; `x-oauth-basic` is then the other.
    pair.map_or_else(Vec::new, |(user, password)| vec![password.to_owned(), user.to_owned()])
}

pub(super) fn hash(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from_digit(u32::from(four), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
