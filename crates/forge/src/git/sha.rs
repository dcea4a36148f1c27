//! Names of git objects: 40 hexadecimal digits derived from what they name.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// The name of a commit or a tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha([u8; 20]);

impl Sha {
    /// Names the given parts; each is hashed with its length, so that moving a byte from one part
    /// to the next changes the name.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let mut bytes = [0; 20];
        for (to, from) in bytes.iter_mut().zip(hasher.finalize()) {
            *to = from;
        }
        Self(bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In one piece: shas are what answers are full of.
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let mut text = [0; 40];
        for (to, digit) in text.iter_mut().zip(digits) {
            *to = digit + if digit < 10 { b'0' } else { b'a' - 10 };
        }
        formatter.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Sha {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The text is not 40 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadSha;

impl fmt::Display for BadSha {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a sha is 40 hexadecimal digits")
    }
}

impl std::error::Error for BadSha {}

impl FromStr for Sha {
    type Err = BadSha;

    fn from_str(text: &str) -> Result<Self, BadSha> {
        if text.len() != 40 {
            return Err(BadSha);
        }
        let mut digits = text.chars().map(|character| character.to_digit(16));
        let mut bytes = [0; 20];
        for byte in &mut bytes {
            let (Some(Some(high)), Some(Some(low))) = (digits.next(), digits.next()) else {
                return Err(BadSha);
            };
            *byte = u8::try_from(high * 16 + low).map_err(|_overflow| BadSha)?;
        }
        Ok(Self(bytes))
    }
}
