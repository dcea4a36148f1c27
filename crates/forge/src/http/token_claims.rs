//! An app's claim to be itself: a JSON Web Token, signed with its private key and good for minutes.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::apps::{App, Apps};
use super::problem::Problem;

/// GitHub takes no claim that ends later than this from now.
const LIFETIME_SECONDS_MAX: u64 = 600;

#[derive(Deserialize)]
struct Header {
    alg: String,
}

#[derive(Deserialize)]
struct Payload {
    iat: Option<u64>,
    exp: Option<u64>,
    iss: Option<Issuer>,
}

/// Clients write the app's id as either.
#[derive(Deserialize)]
#[serde(untagged)]
enum Issuer {
    Number(u64),
    Text(String),
}

/// Returns the app that signed the claims.
pub(super) fn verify<'a>(claim: &str, now: u64, apps: &'a Apps) -> Result<&'a App, Problem> {
    let unreadable = || Problem::new(401, "A JSON web token could not be decoded");
    let (signed, signature) = claim.rsplit_once('.').ok_or_else(unreadable)?;
    let (header, payload) = signed.split_once('.').ok_or_else(unreadable)?;
    let header: Header = decode(header).ok_or_else(unreadable)?;
    let payload: Payload = decode(payload).ok_or_else(unreadable)?;
    let id = match payload.iss {
        Some(Issuer::Number(id)) => Some(id),
        Some(Issuer::Text(text)) => text.parse().ok(),
        None => None,
    };
    let app = id.and_then(|id| apps.app(id));
    let app = app.ok_or_else(|| Problem::new(404, "Integration not found"))?;
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_bad| unreadable())?;
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &app.public_key);
    let is_signed = header.alg == "RS256" && key.verify(signed.as_bytes(), &signature).is_ok();
    if !is_signed {
        return Err(unreadable());
    }
    in_time(now, payload.iat, payload.exp)?;
    Ok(app)
}

fn in_time(now: u64, iat: Option<u64>, exp: Option<u64>) -> Result<(), Problem> {
    let words = if iat.is_none_or(|iat| iat > now) {
        "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
    } else if exp.is_none_or(|exp| exp <= now) {
        "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the \
         assertion expires"
    } else if exp.is_some_and(|exp| exp > now + LIFETIME_SECONDS_MAX) {
        "'Expiration time' claim ('exp') is too far in the future"
    } else {
        return Ok(());
    };
    Err(Problem::new(401, words))
}

fn decode<T: DeserializeOwned>(part: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}
