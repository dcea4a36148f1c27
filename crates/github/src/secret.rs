//! A token or a webhook secret. It cannot be printed by accident.

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
