//! Changes that a person with a database tool could make to the store. Only the simulator makes them, to prove that its
//! checkers notice.

use super::{Doing, Store, StoreError};
use ralph_core::ids::IssueKey;
use ralph_core::issue::Issue;

impl Store {
    /// Replaces a state row behind the engine's back.
    pub fn tamper_with_issue(&mut self, key: &IssueKey, issue: &Issue) -> Result<(), StoreError> {
        self.transact(|tx| super::put_issue(tx, key, issue))
    }

    /// Deletes the last fact of the journal.
    pub fn tamper_with_journal(&mut self) -> Result<(), StoreError> {
        let forget = "DELETE FROM fact WHERE seq = (SELECT max(seq) FROM fact)";
        self.connection.execute(forget, ()).doing("forgetting a fact").map(drop)
    }

    /// Deletes leased effects from the outbox.
    pub fn tamper_with_outbox(&mut self) -> Result<(), StoreError> {
        let forget = "DELETE FROM outbox WHERE state = 'claimed'";
        self.connection.execute(forget, ()).doing("forgetting effects").map(drop)
    }

    /// Replaces the fencing token of every lease.
    pub fn tamper_with_leases(&mut self, token: u64) -> Result<(), StoreError> {
        let set = "UPDATE lease SET token = ?1, seal = seal_of(name, owner, ?1, expires)";
        self.connection.execute(set, [token]).doing("changing leases").map(drop)
    }
}
