//! An App, where it is installed, and the token for there.

use ralph_core::time::Time;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(crate) struct App {
    pub(crate) slug: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Installation {
    pub(crate) id: u64,
}

#[derive(Deserialize)]
pub(crate) struct InstallationToken {
    pub(crate) token: String,
    #[serde(deserialize_with = "crate::moment::deserialize")]
    pub(crate) expires_at: Time,
    #[serde(default)]
    pub(crate) permissions: Granted,
}

/// The permissions of an installation. It has no others.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Granted {
    #[serde(default)]
    administration: Option<String>,
    #[serde(default)]
    contents: Option<String>,
    #[serde(default)]
    issues: Option<String>,
    #[serde(default)]
    pull_requests: Option<String>,
}

impl Granted {
    /// The permissions that Ralph needs and lacks, in the words of the App's settings.
    pub(crate) fn lacking(&self) -> Vec<&'static str> {
        let needed = [
            (&self.contents, "Contents"),
            (&self.issues, "Issues"),
            (&self.pull_requests, "Pull requests"),
        ];
        needed.into_iter().filter(|(level, _)| !may_write(level)).map(|(_, name)| name).collect()
    }

    pub(crate) fn may_push(&self) -> bool {
        may_write(&self.contents)
    }

    pub(crate) fn is_admin(&self) -> bool {
        may_write(&self.administration)
    }
}

fn may_write(level: &Option<String>) -> bool {
    level.as_deref() == Some("write")
}
