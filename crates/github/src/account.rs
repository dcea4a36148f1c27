//! An account: address, credentials, clock, budget and kept answers, which all handles to one forge under one identity
//! share.

use crate::address::Address;
use crate::app_key::AppKey;
use crate::app_token::AppTokens;
use crate::budget::{Budget, Snapshot};
use crate::cache::Cache;
use crate::fence::Fence;
use crate::known::Known;
use crate::route;
use crate::secret::{BadToken, Secret, bearer};
use http::HeaderValue;
use ralph_core::time::Time;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Returns the time. The client itself reads no clock.
pub type Clock = Arc<dyn Fn() -> Time + Send + Sync>;

pub struct Account {
    pub(crate) address: Address,
    pub(crate) credentials: Credentials,
    fence: Option<Fence>,
    now: Clock,
    /// The time of day, for what the forge holds against its own.
    of_day: Clock,
    budget: Mutex<Budget>,
    cache: Mutex<Cache>,
    known: Mutex<Known>,
    writing: Mutex<()>,
}

/// The proof of our identity.
pub(crate) enum Credentials {
    Token { secret: Secret, header: HeaderValue },
    App(Box<AppTokens>),
}

impl Credentials {
    pub(crate) fn app(&self) -> Option<&AppTokens> {
        match self {
            Self::App(app) => Some(app),
            Self::Token { .. } => None,
        }
    }
}

impl Account {
    /// An account with its own token. The seed is used for jitter only.
    pub fn new(address: Address, token: &Secret, now: Clock, seed: u64) -> Result<Self, BadToken> {
        let header = bearer(token)?;
        let credentials = Credentials::Token { secret: token.clone(), header };
        Ok(Self::with(address, credentials, now, seed))
    }

    /// A GitHub App, in the installation that is named, or in each that a repository has.
    #[must_use]
    pub fn of_app(
        address: Address,
        (key, installation): (AppKey, Option<u64>),
        now: Clock,
        seed: u64,
    ) -> Self {
        let tokens = AppTokens::new(key, installation);
        Self::with(address, Credentials::App(Box::new(tokens)), now, seed)
    }

    /// The same account, which writes nothing outside of the sandbox.
    #[must_use]
    pub fn fenced(self, fence: Option<Fence>) -> Self {
        Self { fence, ..self }
    }

    /// The same account with another clock for what the forge holds against its own: `now` may be a clock for
    /// waiting, which does not follow the time of day at once.
    #[must_use]
    pub fn dated_by(self, of_day: Clock) -> Self {
        Self { of_day, ..self }
    }

    /// The reason why nothing may be written at a path of the API; `None` where it may be.
    pub(crate) fn refusal(&self, path: &str) -> Option<String> {
        self.fence.as_ref()?.refusal(route::repository_of(path).as_ref())
    }

    fn with(address: Address, credentials: Credentials, now: Clock, seed: u64) -> Self {
        Self {
            address,
            credentials,
            fence: None,
            of_day: Arc::clone(&now),
            now,
            budget: Mutex::new(Budget::new(seed)),
            cache: Mutex::default(),
            known: Mutex::default(),
            writing: Mutex::default(),
        }
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

    pub(crate) fn of_day(&self) -> Time {
        (self.of_day)()
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
        let Credentials::Token { secret, header } = &account.credentials else { panic!() };
        assert!(!format!("{account:?}{secret:?}{header:?}").contains("hunter2"));
    }
}
