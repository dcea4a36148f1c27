//! Tokens: who a request comes from. Only their hashes are kept.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::model::reach::Reach;

/// Tokens by their hash.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "StoredTokens")]
pub(super) struct Tokens {
    good: BTreeMap<String, Token>,
    /// Hashes of tokens that will never be good again.
    revoked: BTreeSet<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Token {
    login: String,
    /// The purpose it was made for, in words.
    purpose: String,
    /// Unix milliseconds; 0 when unknown.
    made_at: u64,
}

/// Tokens as they are stored now, or as they were before they could be listed: login by hash.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredTokens {
    Now { good: BTreeMap<String, Token>, revoked: BTreeSet<String> },
    Before(BTreeMap<String, String>),
}

impl From<StoredTokens> for Tokens {
    fn from(stored: StoredTokens) -> Self {
        match stored {
            StoredTokens::Now { good, revoked } => Self { good, revoked },
            StoredTokens::Before(logins) => {
                let token = |login| Token { login, purpose: String::new(), made_at: 0 };
                let good = logins.into_iter().map(|(hash, login)| (hash, token(login)));
                Self { good: good.collect(), revoked: BTreeSet::new() }
            }
        }
    }
}

/// A token as it is listed: everything but the token itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedToken {
    /// The beginning of its hash, which `revoke` takes.
    pub id: String,
    pub login: String,
    /// The purpose it was made for, in words.
    pub purpose: String,
    /// Unix milliseconds; 0 when unknown.
    pub made_at: u64,
}

/// Enough digits of a hash to tell tokens apart.
const ID_DIGITS: usize = 12;

/// The holder of a token, and the token's hash.
#[derive(Clone, Debug)]
pub(super) struct Bearer {
    pub(super) login: String,
    pub(super) token_hash: String,
    /// The account whose repositories an installation's token is good for; `None` for a person's.
    pub(super) installed_at: Option<String>,
    /// Names of the repositories there that it is good for; all when none is named.
    pub(super) only: Option<BTreeSet<String>>,
}

/// The account that credentials stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub login: String,
    /// The account whose repositories an installation's token is good for; `None` for a person's.
    pub installed_at: Option<String>,
    /// Names of the repositories there that it is good for; all when none is named.
    pub only: Option<BTreeSet<String>>,
}

impl Caller {
    /// Returns the accounts and repositories that the caller's rights are bound to.
    pub(crate) fn reach(&self) -> Option<Reach> {
        let account = self.installed_at.clone()?;
        Some(Reach { account, only: self.only.clone() })
    }
}

impl Tokens {
    /// Lets a token be good, unless it was revoked.
    pub(super) fn add(&mut self, login: &str, token: &str, (purpose, made_at): (&str, u64)) {
        let hash = hash(token);
        if !self.revoked.contains(&hash) {
            let (login, purpose) = (login.to_owned(), purpose.to_owned());
            self.good.insert(hash, Token { login, purpose, made_at });
        }
    }

    pub(super) fn remove(&mut self, token: &str) {
        self.good.remove(&hash(token));
    }

    pub(super) fn is_revoked(&self, token: &str) -> bool {
        self.revoked.contains(&hash(token))
    }

    pub(super) fn list(&self) -> Vec<ListedToken> {
        let listed = self.good.iter().map(|(hash, token)| ListedToken {
            id: hash.get(..ID_DIGITS).unwrap_or(hash).to_owned(),
            login: token.login.clone(),
            purpose: token.purpose.clone(),
            made_at: token.made_at,
        });
        let mut listed: Vec<ListedToken> = listed.collect();
        listed.sort_by(|one, other| {
            (&one.login, one.made_at, &one.id).cmp(&(&other.login, other.made_at, &other.id))
        });
        listed
    }

    /// Revokes the token with this id, the token itself, or all of a person; how many.
    pub(super) fn revoke(&mut self, which: &str) -> usize {
        let whole = hash(which);
        let is_meant = |hash: &String, token: &Token| {
            let is_id = which.len() >= ID_DIGITS && hash.starts_with(which);
            is_id || *hash == whole || token.login.eq_ignore_ascii_case(which)
        };
        let meant = self.good.iter().filter(|(hash, token)| is_meant(hash, token));
        let meant: Vec<String> = meant.map(|(hash, _token)| hash.clone()).collect();
        self.good.retain(|hash, _token| !meant.contains(hash));
        let count = meant.len();
        self.revoked.extend(meant);
        count
    }

    pub(super) fn holder(&self, token: &str) -> Option<Bearer> {
        let token_hash = hash(token);
        let login = self.good.get(&token_hash)?.login.clone();
        Some(Bearer { login, token_hash, installed_at: None, only: None })
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
