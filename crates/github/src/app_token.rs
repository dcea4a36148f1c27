//! Tokens of an App's installations: which one is for a repository, when a new one is due, and that only one
//! of us fetches it. A token ends after an hour, or whenever the forge takes it back.

use crate::app_key::AppKey;
use crate::secret::Secret;
use crate::wire::app::Granted;
use http::HeaderValue;
use ralph_core::ids::RepoName;
use ralph_core::time::{Span, Time};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// The share of its life that a token has left when the next one is fetched: one fifth.
const RENEWAL_SHARE: i64 = 5;
/// No forge promises more; a token that seems to last longer was dated by a clock that differs from ours.
const LIFE_MAX: Span = Span::from_mins(60);
/// After an early renewal that failed, the token at hand is used this long before the next try.
const RENEWAL_PAUSE: Span = Span::from_secs(60);

/// A token that an installation was given.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) secret: Secret,
    pub(crate) header: HeaderValue,
    pub(crate) granted: Granted,
    due: Time,
    ends: Time,
}

impl Held {
    pub(crate) fn new(
        (secret, header): (Secret, HeaderValue),
        granted: Granted,
        (now, ends): (Time, Time),
    ) -> Self {
        let life = ends.since(now).min(LIFE_MAX);
        let ends = now.plus(life);
        Self { secret, header, granted, due: ends.minus(Span(life.0 / RENEWAL_SHARE)), ends }
    }

    fn is_good(&self, now: Time) -> bool {
        now < self.ends
    }
}

/// The known installations of an App.
#[derive(Debug)]
pub(crate) struct AppTokens {
    pub(crate) key: AppKey,
    /// The operator's choice, which needs no looking up.
    chosen: Option<u64>,
    known: Mutex<Known>,
    renewing: Mutex<()>,
}

#[derive(Debug, Default)]
struct Known {
    /// By owner: an App is installed once for an account.
    installations: BTreeMap<String, u64>,
    tokens: BTreeMap<u64, Held>,
    early_again: Option<Time>,
}

/// The next step to get a token.
pub(crate) enum Turn<'a> {
    Use(Held),
    /// Fetch one; no other handle does at the same time. Until it is here the old one serves, if it is still valid.
    Fetch {
        alone: MutexGuard<'a, ()>,
        old: Option<Held>,
    },
}

impl AppTokens {
    pub(crate) fn new(key: AppKey, chosen: Option<u64>) -> Self {
        Self { key, chosen, known: Mutex::default(), renewing: Mutex::default() }
    }

    pub(crate) fn turn(&self, repo: &RepoName, now: Time) -> Turn<'_> {
        let Some(held) = self.held(repo, now) else {
            let alone = self.renewing.lock().unwrap_or_else(PoisonError::into_inner);
            // Another handle may have fetched it while this one waited.
            return match self.held(repo, now) {
                Some(held) => Turn::Use(held),
                None => Turn::Fetch { alone, old: None },
            };
        };
        let is_early = self.known().early_again.is_some_and(|again| now < again);
        if now < held.due || is_early {
            return Turn::Use(held);
        }
        match self.renewing.try_lock() {
            Ok(alone) => Turn::Fetch { alone, old: Some(held) },
            Err(TryLockError::Poisoned(alone)) => {
                Turn::Fetch { alone: alone.into_inner(), old: Some(held) }
            }
            Err(TryLockError::WouldBlock) => Turn::Use(held),
        }
    }

    /// A token that is good now.
    fn held(&self, repo: &RepoName, now: Time) -> Option<Held> {
        let id = self.installation(repo)?;
        self.known().tokens.get(&id).filter(|held| held.is_good(now)).cloned()
    }

    pub(crate) fn installation(&self, repo: &RepoName) -> Option<u64> {
        self.chosen.or_else(|| self.known().installations.get(repo.owner()).copied())
    }

    pub(crate) fn found(&self, repo: &RepoName, installation: u64) {
        self.known().installations.insert(repo.owner().to_owned(), installation);
    }

    /// The forge no longer knows the installation, so it is looked up again.
    pub(crate) fn lost(&self, repo: &RepoName) {
        self.known().installations.remove(repo.owner());
    }

    pub(crate) fn fetched(&self, installation: u64, held: Held) {
        let mut known = self.known();
        known.tokens.insert(installation, held);
        known.early_again = None;
    }

    pub(crate) fn failed_early(&self, now: Time) {
        self.known().early_again = Some(now.plus(RENEWAL_PAUSE));
    }

    /// The forge takes this token no longer. A newer one stays.
    pub(crate) fn refused(&self, header: &HeaderValue) {
        self.known().tokens.retain(|_, held| held.header != header);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
