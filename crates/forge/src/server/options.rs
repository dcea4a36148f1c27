//! The options of a server, and the reasons why it does not start.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ralph_contain::GuardProgram;

use crate::keeper::KeptError;
use crate::persist::{FolderError, StoreError};

#[derive(Clone, Debug)]
pub struct Options {
    /// Port 0 takes a free one.
    pub listen: SocketAddr,
    /// None for a private folder that is gone afterwards.
    pub data: Option<PathBuf>,
    /// Login of the person whom repositories belong to.
    pub owner: String,
    /// Login of the machine user, who may write to every repository.
    pub bot: String,
    /// None for a new one; earlier ones stay good.
    pub owner_token: Option<String>,
    pub bot_token: Option<String>,
    /// Offers `PUT /_forge/faults`.
    pub allow_faults: bool,
    /// Lets checks reach the network.
    pub checks_network: bool,
    /// Runs checks even without a sandbox, with all rights of this process.
    pub unsafe_checks: bool,
    /// The program that guards checks.
    pub guard: GuardProgram,
    /// Folders that no check may see, beside the data.
    pub hidden_from_checks: Vec<PathBuf>,
    /// The time that a client has to send the next part of a request before it is cut off.
    pub patience: Duration,
    /// GitHub's primary limit, per user.
    pub requests_per_hour_max: u32,
    /// GitHub's secondary limit, per user; none for no limit.
    pub changes_per_minute_max: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            data: None,
            owner: "owner".to_owned(),
            bot: "ralph-bot".to_owned(),
            owner_token: None,
            bot_token: None,
            allow_faults: false,
            checks_network: false,
            unsafe_checks: false,
            guard: GuardProgram { program: "ralph".into(), arguments: vec!["guard".into()] },
            hidden_from_checks: Vec::new(),
            patience: Duration::from_secs(20),
            requests_per_hour_max: 5000,
            changes_per_minute_max: None,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(
        "{address} is in use by another program; stop it, or listen elsewhere (port 0 takes a free one)"
    )]
    AddressInUse { address: SocketAddr },
    #[error("could not listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error(
        "the {role} and the machine user are both called {login:?}; give them different logins"
    )]
    SameLogin { role: &'static str, login: String },
    #[error("{login:?} is no login; use up to 39 letters, digits and single hyphens")]
    BadLogin { login: String },
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Kept(#[from] KeptError),
    #[error("could not {doing}: {source}")]
    System { doing: &'static str, source: io::Error },
    #[error("git is needed, version 2.39 or newer: {detail}")]
    Git { detail: String },
}

/// GitHub's limit on logins, in characters.
const LOGIN_CHARACTERS_MAX: usize = 39;

pub(crate) fn check_login(login: &str) -> Result<(), ServeError> {
    let good = |character: char| character.is_ascii_alphanumeric() || character == '-';
    let edges = login.starts_with('-') || login.ends_with('-') || login.contains("--");
    if login.is_empty() || login.len() > LOGIN_CHARACTERS_MAX || edges || !login.chars().all(good) {
        return Err(ServeError::BadLogin { login: login.to_owned() });
    }
    Ok(())
}
