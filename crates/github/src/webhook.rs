//! Deliveries from the forge: is it really the forge, and what should be looked at sooner?
//!
//! A delivery is never believed, only taken as a hint to read. So one that comes twice, late, out of order
//! or was recorded and replayed makes us ask again at worst, and an unchanged answer costs nothing.

mod hints;

pub use hints::hints;

use crate::secret::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The beginning of the signature header.
const SCHEME: &str = "sha256=";

/// Returns whether `header`, the value of `X-Hub-Signature-256`, signs this body. Takes the same time wherever a
/// wrong signature differs. An empty secret signs nothing.
#[must_use]
pub fn verify(secret: &Secret, header: &str, body: &[u8]) -> bool {
    let key = secret.expose().as_bytes();
    let Some(signature) = header.strip_prefix(SCHEME).and_then(bytes_of_hex) else { return false };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return false };
    mac.update(body);
    mac.verify_slice(&signature).is_ok() && !key.is_empty()
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From GitHub's documentation on validating deliveries.
    #[test]
    fn the_documented_example_is_valid_and_nothing_near_it() {
        let secret = Secret::new("It's a Secret to Everybody");
        let good = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        assert!(verify(&secret, good, b"Hello, World!"));
        assert!(verify(&secret, &good.replace("ea0eb2", "EA0EB2"), b"Hello, World!"));
        for header in [
            "",
            "sha256=",
            "sha256=75",
            "sha256=7",
            "sha256=zz",
            "sha256=é",
            &good.replace("sha256", "sha1"),
            &good.replace("75710", "75711"),
            &format!("{good}00"),
            &format!("{good}0"),
        ] {
            assert!(!verify(&secret, header, b"Hello, World!"), "{header}");
        }
        assert!(!verify(&secret, good, b"Hello, World"));
        assert!(!verify(&Secret::new("another"), good, b"Hello, World!"));
    }

    #[test]
    fn without_a_secret_nothing_is_valid() {
        let of_empty_key =
            "sha256=b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
        assert!(!verify(&Secret::new(""), of_empty_key, b""));
    }
}
