//! Our identity on the forge. It is asked for at each start and kept, so that a start without the forge goes on. Until
//! the forge has said it again nothing is written there, and if it says something else the daemon ends.

use super::tasks::Task;
use super::{Daemon, Event, StartError};
use crate::config::TokenSource;
use crate::daemon_status::{Degraded, DegradedKind};
use ralph_core::effect::{Effect, OrderingKey};
use ralph_core::ids::Login;
use ralph_core::time::{Span, Time};
use ralph_engine::store::{Store, StoreError};
use ralph_engine::{EngineError, Performed};
use ralph_github::{Client, DegradedKind as Trouble, Transport};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The time between two questions to a forge that does not answer.
const ASK_EVERY: Span = Span::from_secs(10);

/// The forge knows us under another name than this home does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this home has worked as {kept} on {forge}, and the credentials are now those of {found}")]
pub(crate) struct OtherIdentity {
    pub(crate) forge: String,
    pub(crate) kept: Login,
    pub(crate) found: Login,
}

/// The reason why a daemon ended without being stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Identity(#[from] OtherIdentity),
}

impl From<StoreError> for RunError {
    fn from(error: StoreError) -> Self {
        Self::Engine(EngineError::Store(error))
    }
}

/// Our identity, as far as it is known.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) login: Login,
    /// Has the forge said so since the start?
    confirmed: Confirmed,
    next_ask: Time,
    /// Asked and not answered yet.
    is_asked: bool,
}

/// Shared with those who write to the forge.
#[derive(Debug, Clone)]
pub(super) struct Confirmed(Arc<AtomicBool>);

impl Confirmed {
    /// Effects that have to wait until our identity is certain.
    pub(super) fn puts_off(&self, effect: &Effect, now: Time) -> Option<Performed> {
        let is_local = matches!(effect.ordering_key(), OrderingKey::Process(_));
        let waits = !is_local && !self.0.load(Ordering::Acquire);
        let why = "the forge has not said yet who we are".to_owned();
        waits.then(|| Performed::Later { until: Some(now.plus(ASK_EVERY)), why })
    }
}

impl Identity {
    /// Asks the forge, and if it does not answer, remembers.
    pub(super) fn learn<T: Transport>(
        client: &mut Client<T>,
        store: &mut Store,
        token: &TokenSource,
        is_new_accepted: bool,
    ) -> Result<Self, StartError> {
        let forge = client.account().address().as_str().to_owned();
        let failed = |error| StartError::Engine(EngineError::Store(error));
        let kept = store.identity(&forge).map_err(failed)?;
        let (login, is_confirmed) = match (client.identity(), kept) {
            (Ok(found), Some(kept)) if found != kept && !is_new_accepted => {
                return Err(StartError::Identity(OtherIdentity { forge, kept, found }));
            }
            (Ok(found), _) => {
                store.keep_identity(&forge, &found).map_err(failed)?;
                (found, true)
            }
            (Err(unread), kept) => {
                let trouble = client.account().snapshot().degraded.map(|found| found.kind);
                match (trouble, kept) {
                    (Some(Trouble::Credentials), _) => {
                        let (address, token, why) = (forge, token.clone(), unread.why);
                        return Err(StartError::Token { address, token, why });
                    }
                    (_, Some(kept)) => (kept, false),
                    (_, None) => {
                        let why = unread.why;
                        let says = format!("the forge at {forge} does not say who we are: {why}");
                        return Err(StartError::Forge(says));
                    }
                }
            }
        };
        let confirmed = Confirmed(Arc::new(AtomicBool::new(is_confirmed)));
        Ok(Self { login, confirmed, next_ask: Time(i64::MIN), is_asked: false })
    }

    pub(super) fn is_confirmed(&self) -> bool {
        self.confirmed.0.load(Ordering::Acquire)
    }

    pub(super) fn confirmed(&self) -> Confirmed {
        self.confirmed.clone()
    }

    /// The time of the next question.
    pub(super) fn next_time(&self) -> Option<Time> {
        (!self.is_confirmed()).then_some(self.next_ask)
    }

    pub(super) fn degraded(&self, forge: &str) -> Option<Degraded> {
        let login = &self.login;
        let why = format!(
            "the forge has not said since the start who we are; nothing is written before it does, and until \
             then we are {login} as before"
        );
        let what = format!("our name at {forge}");
        let reported = || Degraded::new(DegradedKind::Identity, what, why, Some(self.next_ask));
        (!self.is_confirmed()).then(reported)
    }
}

impl Daemon {
    /// Asks again once it is time.
    pub(super) fn ask_who_we_are(&mut self, now: Time) {
        if self.identity.next_time().is_some_and(|next| now >= next) {
            self.identity.next_ask = now.plus(ASK_EVERY);
            // A forge that hangs is not asked twice at once.
            if !std::mem::replace(&mut self.identity.is_asked, true) {
                self.tasks.send(Task::WhoAreWe);
            }
        }
    }

    /// Takes in what the forge said; `None`: it did not answer.
    pub(super) fn identified(&mut self, now: Time, found: Option<Login>) -> Result<(), RunError> {
        self.identity.is_asked = false;
        let Some(found) = found else { return Ok(()) };
        let kept = self.identity.login.clone();
        if found != kept {
            let forge = self.account.address().as_str().to_owned();
            return Err(OtherIdentity { forge, kept, found }.into());
        }
        if !self.identity.is_confirmed() {
            self.identity.confirmed.0.store(true, Ordering::Release);
            self.events.emit(Event::Note(&format!("the forge is back and knows us as {found}")));
            // At the start there was no look at the repositories.
            self.look_everywhere(now);
        }
        Ok(())
    }
}
