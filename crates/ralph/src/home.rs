//! Ralph's home folder, and the places in it.

use std::path::{Path, PathBuf};

/// The folder below the user's own when nothing else is said.
pub const FOLDER: &str = ".ralph";

/// `RALPH_HOME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
}

impl Home {
    #[must_use]
    pub const fn at(path: PathBuf) -> Self {
        Self { path }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The operator's configuration.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.path.join("config.toml")
    }

    /// The state store.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.path.join("state.sqlite")
    }

    /// The file that the store's writer holds locked; the store makes it.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.path.join("state.lock")
    }

    /// The managed root of all worktrees.
    #[must_use]
    pub fn worktrees(&self) -> PathBuf {
        self.path.join("worktrees")
    }

    /// Ralph's own clones.
    #[must_use]
    pub fn repos(&self) -> PathBuf {
        self.path.join("repos")
    }

    /// Transcripts, prompts and artifacts, a folder per run.
    #[must_use]
    pub fn runs(&self) -> PathBuf {
        self.path.join("runs")
    }

    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.path.join("logs")
    }

    /// A daemon's report of itself.
    #[must_use]
    pub fn daemon_status(&self) -> PathBuf {
        self.path.join("daemon.json")
    }

    /// The socket at which a daemon is notified of entries in its inbox.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.path.join(SOCKET)
    }
}

/// The socket's name within the home.
pub const SOCKET: &str = "daemon.sock";
