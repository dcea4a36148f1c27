//! A token or a webhook secret. It cannot be printed by accident.

use http::HeaderValue;
use std::fmt;

#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Surrounding white space goes, because files and shells like to add a line end.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The secret itself, for the one place that sends it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// The secret as `Authorization` carries it.
pub(crate) fn bearer(token: &Secret) -> Result<HeaderValue, BadToken> {
    let is_token = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
    let token = Some(token.expose()).filter(is_token).ok_or(BadToken)?;
    let bearer = HeaderValue::try_from(format!("Bearer {token}"));
    let mut bearer = bearer.map_err(|_source| BadToken)?;
    bearer.set_sensitive(true);
    Ok(bearer)
}

/// A token that cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadToken;

impl fmt::Display for BadToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the forge's token is empty or holds a blank or a character that is not ASCII; put the token \
             alone, as GitHub shows it once, into the variable that forge.token_env names",
        )
    }
}

impl std::error::Error for BadToken {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ralph_core::redact::REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_in_its_debug_text() {
        let shown = format!("{:?}", Some(Secret::new(" hunter2\n")));
        assert_eq!(shown, "Some([redacted])");
        assert_eq!(Secret::new(" hunter2\n").expose(), "hunter2");
    }
}
