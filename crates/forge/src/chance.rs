//! The one place where the forge uses chance: secrets that cannot be guessed.

use std::io;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Enough that guessing is hopeless.
const SECRET_BYTES: usize = 20;

/// A token in the form of GitHub's.
pub(crate) fn token() -> io::Result<String> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(written(&bytes))
}

/// Returns the token that can always be made again from the secret: for this login, after this many
/// that were revoked.
pub(crate) fn token_of(secret: &str, login: &str, revoked: u32) -> String {
    let words = format!("{}\0{revoked}", login.to_lowercase());
    // A key of any length is good.
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
    let digest = mac.map(|mac| mac.chain_update(words).finalize().into_bytes());
    written(digest.unwrap_or_default().get(..SECRET_BYTES).unwrap_or_default())
}

fn written(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("ghp_{digits}")
}
