//! A GitHub App's private key, and the claims that are signed with it.

use crate::secret::Secret;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use ralph_core::time::{Span, Time};
use ring::rand::SystemRandom;
use ring::signature::{KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::json;
use std::fmt;

/// GitHub takes no claim that was made in its future, and clocks differ.
const BACKDATED: Span = Span::from_secs(60);
/// GitHub's limit is ten minutes from its own now; less leaves room for a clock that is ahead.
const CLAIM_LIFE: Span = Span::from_mins(9);

const PKCS1: &str = "RSA PRIVATE KEY";
const PKCS8: &str = "PRIVATE KEY";

/// An App and its key. The key cannot be printed.
pub struct AppKey {
    app: u64,
    pair: RsaKeyPair,
}

impl AppKey {
    /// Reads a key as GitHub hands it out: PEM, with PKCS#1 or PKCS#8 inside.
    pub fn read(app: u64, pem: &Secret) -> Result<Self, BadKey> {
        if pem.expose().contains("ENCRYPTED") {
            return Err(BadKey::Encrypted);
        }
        let pair = match (block(pem.expose(), PKCS1), block(pem.expose(), PKCS8)) {
            (Some(der), _) => RsaKeyPair::from_der(&der),
            (None, Some(der)) => RsaKeyPair::from_pkcs8(&der),
            (None, None) => return Err(BadKey::NotPem),
        };
        let pair = pair.map_err(|rejected| BadKey::NotRsa { why: rejected.to_string() })?;
        Ok(Self { app, pair })
    }

    /// The public key with which a forge checks token claims, in PKCS#1's form.
    #[must_use]
    pub fn public_key(&self) -> &[u8] {
        self.pair.public_key().as_ref()
    }

    /// A JSON Web Token that says who we are, good for minutes.
    pub(crate) fn claim(&self, now: Time) -> Result<Secret, Unsigned> {
        let made = now.minus(BACKDATED);
        let seconds = |at: Time| at.0.div_euclid(1_000);
        let header = json!({ "alg": "RS256", "typ": "JWT" });
        let ends = seconds(now.plus(CLAIM_LIFE));
        let payload = json!({ "iat": seconds(made), "exp": ends, "iss": self.app.to_string() });
        let part = |value: &serde_json::Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&header), part(&payload));
        let mut signature = vec![0; self.pair.public().modulus_len()];
        // The scheme draws no random numbers; other schemes of this function do.
        let chance = SystemRandom::new();
        let signing = self.pair.sign(&RSA_PKCS1_SHA256, &chance, signed.as_bytes(), &mut signature);
        signing.map_err(|_unspecified| Unsigned)?;
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature);
        Ok(Secret::new(&format!("{signed}.{signature}")))
    }
}

/// The text between a block's first and last line.
fn block(pem: &str, name: &str) -> Option<Vec<u8>> {
    let (_before, rest) = pem.split_once(&format!("-----BEGIN {name}-----"))?;
    let (body, _after) = rest.split_once(&format!("-----END {name}-----"))?;
    let body: String = body.split_ascii_whitespace().collect();
    BASE64_STANDARD.decode(body).ok()
}

impl fmt::Debug for AppKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AppKey(App {}, {})", self.app, ralph_core::redact::REDACTED)
    }
}

/// The library that signs gave no reason, as is its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unsigned;

/// A text that is no private key of an App.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadKey {
    NotPem,
    Encrypted,
    NotRsa { why: String },
}

impl fmt::Display for BadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let next =
            "generate a private key in the App's settings and use the file as it is downloaded";
        match self {
            Self::NotPem => write!(f, "it is not a private key in PEM form; {next}"),
            Self::Encrypted => write!(f, "it is protected by a passphrase; {next}"),
            Self::NotRsa { why } => {
                write!(f, "it is not an RSA key of at least 2048 bits ({why}); {next}")
            }
        }
    }
}

impl std::error::Error for BadKey {}

#[cfg(test)]
mod tests {
    use super::*;

    const PEM: &str = include_str!("../../forge/tests/claims/app-key.pem");

    #[test]
    fn a_key_is_read_as_github_hands_it_out_and_never_shown() {
        let key = AppKey::read(7, &Secret::new(PEM)).unwrap();
        assert_eq!(format!("{key:?}"), "AppKey(App 7, [redacted])");
        let again = AppKey::read(7, &Secret::new(&PEM.replace('\n', "\r\n"))).unwrap();
        assert_eq!(again.public_key(), key.public_key());
    }

    #[test]
    fn what_is_no_key_is_told_apart_and_not_repeated() {
        let public = "-----BEGIN PUBLIC KEY-----\nc2VjcmV0\n-----END PUBLIC KEY-----";
        let encrypted =
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nc2VjcmV0\n-----END ENCRYPTED PRIVATE KEY-----";
        let short = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----";
        for (text, expected) in [
            ("ghp_token", "not a private key in PEM form"),
            (public, "not a private key in PEM form"),
            (encrypted, "passphrase"),
            (short, "not an RSA key"),
        ] {
            let says = AppKey::read(7, &Secret::new(text)).unwrap_err().to_string();
            assert!(says.contains(expected) && !says.contains("c2VjcmV0"), "{says}");
        }
    }

    #[test]
    fn a_claim_begins_in_the_past_and_ends_within_ten_minutes() {
        let now = Time(1_700_000_000_500);
        let claim = AppKey::read(7, &Secret::new(PEM)).unwrap().claim(now).unwrap();
        let payload = claim.expose().split('.').nth(1).unwrap();
        let payload = BASE64_URL_SAFE_NO_PAD.decode(payload).unwrap();
        let payload: serde_json::Value = serde_json::from_slice(&payload).unwrap();
        let expected = json!({ "iat": 1_699_999_940, "exp": 1_700_000_540, "iss": "7" });
        assert_eq!(payload, expected);
    }
}
