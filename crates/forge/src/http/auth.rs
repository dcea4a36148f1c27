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
}

impl Tokens {
    pub(super) fn add(&mut self, login: &str, token: &str) {
        self.0.insert(hash(token), login.to_owned());
    }

    pub(super) fn remove(&mut self, token: &str) {
        self.0.remove(&hash(token));
    }

    /// Reads `token X`, `Bearer X`, and `Basic` with the token as password (as git sends it).
    pub(super) fn bearer(&self, authorization: &str) -> Option<Bearer> {
        let (scheme, credentials) = authorization.trim().split_once(' ')?;
        let credentials = credentials.trim();
        if scheme.eq_ignore_ascii_case("token") || scheme.eq_ignore_ascii_case("bearer") {
            return self.holder(credentials);
        }
        if !scheme.eq_ignore_ascii_case("basic") {
            return None;
        }
        let decoded = STANDARD.decode(credentials).ok()?;
        let decoded = String::from_utf8(decoded).ok()?;
        let (user, password) = decoded.split_once(':')?;
        // A token may stand in either place, as on GitHub; `x-oauth-basic` is then the other.
        self.holder(password).or_else(|| self.holder(user))
    }

    fn holder(&self, token: &str) -> Option<Bearer> {
        let token_hash = hash(token);
        let login = self.0.get(&token_hash)?.clone();
        Some(Bearer { login, token_hash })
    }
}

fn hash(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from_digit(u32::from(four), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
