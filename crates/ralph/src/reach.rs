//! How the configured forge is reached: its address and the token, put together for a client.

use crate::config::{ForgeConfig, Secret};
use crate::wall_clock;
use ralph_adapters::http_transport::HttpSettings;
use ralph_github::{Account, Address, BadAddress, BadToken};
use std::sync::Arc;

/// What keeps us from even trying.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReachError {
    #[error(transparent)]
    Address(#[from] BadAddress),
    #[error(transparent)]
    Token(#[from] BadToken),
}

pub(crate) fn account(forge: &ForgeConfig, token: &Secret) -> Result<Account, ReachError> {
    let address = Address::parse(&forge.url)?;
    let token = ralph_github::Secret::new(token.reveal());
    let now = wall_clock::now();
    // Two processes that start in the same moment must not try again in the same moment.
    let seed = u64::from(std::process::id()) ^ u64::try_from(now.0).unwrap_or_default();
    Ok(Account::new(address, &token, Arc::new(wall_clock::now), seed)?)
}

pub(crate) fn http_settings() -> HttpSettings {
    let user_agent = format!("ralph/{}", env!("CARGO_PKG_VERSION"));
    HttpSettings { user_agent, ..HttpSettings::default() }
}
