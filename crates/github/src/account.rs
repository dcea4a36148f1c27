//! What all handles to one forge under one token share: address, credentials, clock, budget and kept answers.

use crate::address::Address;
use crate::budget::{Budget, Snapshot};
use crate::cache::Cache;
use crate::known::Known;
use crate::secret::Secret;
use http::HeaderValue;
use ralph_core::time::Time;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tells the time. The client reads no clock of its own.
pub type Clock = Arc<dyn Fn() -> Time + Send + Sync>;

pub struct Account {
    pub(crate) address: Address,
    pub(crate) authorization: HeaderValue,
    now: Clock,
    budget: Mutex<Budget>,
    cache: Mutex<Cache>,
    known: Mutex<Known>,
    writing: Mutex<()>,
}

impl Account {
    /// The seed is for jitter alone.
    pub fn new(address: Address, token: &Secret, now: Clock, seed: u64) -> Result<Self, BadToken> {
        let is_token = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        let token = Some(token.expose()).filter(is_token).ok_or(BadToken)?;
        let bearer = HeaderValue::try_from(format!("Bearer {token}"));
        let mut authorization = bearer.map_err(|_source| BadToken)?;
        authorization.set_sensitive(true);
        Ok(Self {
            address,
            authorization,
            now,
            budget: Mutex::new(Budget::new(seed)),
            cache: Mutex::default(),
            known: Mutex::default(),
            writing: Mutex::default(),
        })
    }

    /// The budget and what is degraded, for people.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.budget().snapshot(self.now())
    }

    #[must_use]
    pub const fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) fn now(&self) -> Time {
        (self.now)()
    }

    pub(crate) fn budget(&self) -> MutexGuard<'_, Budget> {
        locked(&self.budget)
    }

    pub(crate) fn cache(&self) -> MutexGuard<'_, Cache> {
        locked(&self.cache)
    }

    pub(crate) fn known(&self) -> MutexGuard<'_, Known> {
        locked(&self.known)
    }

    /// Held for the whole of a write, so that there is one at a time.
    pub(crate) fn writing(&self) -> MutexGuard<'_, ()> {
        locked(&self.writing)
    }
}

/// A thread that panicked left at worst an outdated entry; the tags and the forge's headers set that right.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Account({})", self.address.as_str())
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn account(token: &str) -> Result<Account, BadToken> {
        let address = Address::parse("https://api.github.com").unwrap();
        Account::new(address, &Secret::new(token), Arc::new(|| Time(0)), 1)
    }

    #[test]
    fn a_token_that_cannot_be_sent_is_refused_without_being_shown() {
        for token in ["", " \n", "two words", "ghp_\u{7}", "schlüssel", "a\r\nb: c"] {
            assert_eq!(account(token).err(), Some(BadToken), "{token:?}");
        }
        let account = account("hunter2\n").unwrap();
        assert!(!format!("{account:?}{:?}", account.authorization).contains("hunter2"));
    }
}
