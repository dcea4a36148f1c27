//! What an engine shows of itself, and the store that a crash or a freeze takes away from it.

use super::{Engine, EngineError};
use crate::agenda::UnreadResource;
use crate::queue::HeldLane;
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

    /// Lanes in which something was put back and has not got through since: the degraded ones.
    #[must_use]
    pub fn held_lanes(&self) -> Vec<HeldLane> {
        self.queue.held_lanes()
    }

    /// Lanes that were told to wait, and until when.
    pub fn paused_lanes(&self) -> impl Iterator<Item = (&str, Time)> {
        self.queue.paused_lanes()
    }

    /// Reads that were refused, got no answer or were answered in part the last time, and are wanted still.
    pub fn unread(&self) -> impl Iterator<Item = UnreadResource> {
        self.agenda.unread()
    }

    /// Is this read from time to time?
    #[must_use]
    pub fn wants(&self, resource: &Resource) -> bool {
        self.agenda.wants(resource)
    }

    /// What the plan checker found; a sane program leaves it empty.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Changes that were asked for over and over and are held back; a sane program has none.
    #[must_use]
    pub fn floods(&self, now: Time) -> Vec<Flood> {
        self.requests.floods(now).collect()
    }

    /// Turns in which deciding did not come to rest; a sane program has none.
    #[must_use]
    pub const fn restless_turns(&self) -> u32 {
        self.restless
    }

    /// Gives the store back, as a crash would: memory is lost, rows stay.
    #[must_use]
    pub fn into_store(self) -> Option<Store> {
        self.store
    }

    #[must_use]
    pub const fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// Takes the store away, as when a process is frozen and another one opens the database. Without it
    /// every call fails.
    pub const fn lend_store(&mut self) -> Option<Store> {
        self.store.take()
    }

    pub fn return_store(&mut self, store: Store) {
        self.store = Some(store);
    }

    /// Makes this owner's token the valid one again, as a store without a fencing check would. Only the
    /// simulator has a reason to.
    pub fn tamper_with_leases(&mut self) -> Result<(), EngineError> {
        let token = self.proof.token();
        let store = self.store.as_mut().ok_or(EngineError::Broken)?;
        store.tamper_with_leases(token).map_err(EngineError::Store)
    }
}
