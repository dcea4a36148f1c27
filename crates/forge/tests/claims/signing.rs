//! An App's key, and claims that are signed with it. Not all tests need all of it.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value, json};

fn key() -> RsaKeyPair {
    let text = include_str!("app-key.pem");
    let body: String = text.lines().filter(|line| !line.starts_with("-----")).collect();
    RsaKeyPair::from_der(&STANDARD.decode(body).expect("base64")).expect("a key")
}

pub(crate) fn public_key() -> Vec<u8> {
    key().public_key().as_ref().to_vec()
}

/// A claim as GitHub asks for it, made at this second.
pub(crate) fn of(app: u64, now: u64) -> String {
    let payload = json!({"iat": now, "exp": now + 600, "iss": app.to_string()});
    signed(&json!({"alg": "RS256", "typ": "JWT"}), &payload)
}

pub(crate) fn signed(header: &Value, payload: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(header), part(payload));
    let key = key();
    let mut signature = vec![0; key.public().modulus_len()];
    let chance = SystemRandom::new();
    key.sign(&RSA_PKCS1_SHA256, &chance, text.as_bytes(), &mut signature).expect("a signature");
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// A claim of this moment.
#[expect(clippy::disallowed_methods, reason = "a claim is about the server's own clock")]
pub(crate) fn now(app: u64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    of(app, now.expect("after 1970").as_secs())
}
