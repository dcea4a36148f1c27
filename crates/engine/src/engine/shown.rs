//! Read access to an engine's state, and to the store that a crash or a freeze takes away from it.

use super::{Engine, EngineError};
use crate::agenda::UnreadResource;
use crate::queue::HeldKey;
use crate::requests::Flood;
use crate::store::{Row, Store};
use ralph_core::check::Fault;
use ralph_core::fact::Subject;
use ralph_core::policy::Policy;
use ralph_core::standing::Standing;
use ralph_core::time::Time;
use ralph_core::watch::Resource;
use ralph_core::world::World;

impl Engine {
    #[must_use]
    pub const fn world(&self) -> &World {
        &self.world
    }

    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    #[must_use]
    pub const fn token(&self) -> u64 {
        self.proof.token()
    }

    pub fn outbox(&self) -> impl Iterator<Item = &Row> {
        self.queue.rows()
    }

    /// An effect that is not settled yet.
    #[must_use]
    pub fn row(&self, id: i64) -> Option<&Row> {
        self.queue.get(id)
    }

    pub fn standings(&self) -> impl Iterator<Item = (&Subject, &Standing)> {
        self.standings.iter()
    }

    /// Degraded ordering keys: an effect was put back and none has succeeded since.
    #[must_use]
    pub fn held_keys(&self) -> Vec<HeldKey> {
        self.queue.held_keys()
    }

    /// Ordering keys that have to wait, with the time until which.
    pub fn paused_keys(&self) -> impl Iterator<Item = (&str, Time)> {
        self.queue.paused_keys()
    }

    /// Watched resources whose last read was refused, got no answer or was incomplete.
    pub fn unread(&self) -> impl Iterator<Item = UnreadResource> {
        self.agenda.unread()
    }

    /// True if the resource is being watched.
    #[must_use]
    pub fn wants(&self, resource: &Resource) -> bool {
        self.agenda.wants(resource)
    }

    /// Faults that the checker found in decisions; a sane program has none.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Changes that are held back because they were requested over and over; a sane program has none.
    #[must_use]
    pub fn floods(&self, now: Time) -> Vec<Flood> {
        self.requests.floods(now).collect()
    }

    /// Number of transactions whose decisions did not converge; a sane program has none.
    #[must_use]
    pub const fn restless_turns(&self) -> u32 {
        self.restless
    }

    /// Returns the store, as after a crash: memory is lost, rows stay.
    #[must_use]
    pub fn into_store(self) -> Option<Store> {
        self.store
    }

    #[must_use]
    pub const fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// Takes the store away, as when a process is frozen and another one opens the database. Without it every call
    /// fails.
    pub const fn lend_store(&mut self) -> Option<Store> {
        self.store.take()
    }

    pub fn return_store(&mut self, store: Store) {
        self.store = Some(store);
    }

    /// Makes this owner's token valid again, as a store without a fencing check would. Only the simulator does this.
    pub fn tamper_with_leases(&mut self) -> Result<(), EngineError> {
        let token = self.proof.token();
        let store = self.store.as_mut().ok_or(EngineError::Broken)?;
        store.tamper_with_leases(token).map_err(EngineError::Store)
    }
}
