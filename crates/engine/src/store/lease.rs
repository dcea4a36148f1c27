//! Leases with fencing: one writer per database, one owner per claimed issue. A writer that lost its lease fails at its
//! next transaction and can change nothing.

use super::Transaction;
use super::{Doing, Store, StoreError};
use ralph_core::ids::IssueKey;
use ralph_core::time::{Span, Time};
use rusqlite::OptionalExtension as _;

/// The time for which a lease lasts without being renewed.
pub const LEASE_TTL: Span = Span::from_secs(60);

const WRITER: &str = "writer";

/// Proof of holding the writer's lease. Taking the lease is the only way to get one.
#[derive(Debug)]
pub struct WriterProof {
    owner: String,
    token: u64,
    expires: Time,
}

impl WriterProof {
    #[must_use]
    pub const fn token(&self) -> u64 {
        self.token
    }

    /// The time until which this writer may act without renewing.
    #[must_use]
    pub const fn expires(&self) -> Time {
        self.expires
    }
}

/// Knowledge about the former holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takeover {
    /// The operating system's lock was free, so the process that held the lease has ended.
    HolderIsGone,
    /// Unknown: its lease has to expire first.
    AfterExpiry,
}

#[derive(Debug, thiserror::Error)]
#[error("this state store is held by {owner} until {expires}; stop it, or wait until then")]
pub struct LeaseHeld {
    pub owner: String,
    pub expires: Time,
}

#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    #[error(transparent)]
    Held(#[from] LeaseHeld),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// True if the last writer's lease was valid at this time. A running daemon renews it continually.
    pub fn was_alive(&self, at: Time) -> Result<bool, StoreError> {
        let read = "SELECT expires FROM lease WHERE name = ?1";
        let expires = self.connection.query_row(read, [WRITER], |row| row.get::<_, i64>(0));
        let expires = expires.optional().doing("reading the writer's lease")?;
        Ok(expires.is_none_or(|expires| Time(expires) >= at))
    }

    /// Takes the writer's lease with a higher token than any before.
    pub fn take_writer_lease(
        &mut self,
        owner: &str,
        now: Time,
        takeover: Takeover,
    ) -> Result<WriterProof, TakeError> {
        let tx = Transaction::begin(&mut self.connection).doing("beginning a transaction")?;
        let known = tx
            .query_row("SELECT owner, token, expires FROM lease WHERE name = ?1", [WRITER], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, u64>(1)?, Time(row.get(2)?)))
            })
            .optional()
            .doing("reading the writer's lease")?;
        if let Some((holder, _, expires)) = &known
            && takeover == Takeover::AfterExpiry
            && *expires > now
        {
            return Err(LeaseHeld { owner: holder.clone(), expires: *expires }.into());
        }
        let token = known.map_or(0, |(_, token, _)| token) + 1;
        let proof = WriterProof { owner: owner.to_owned(), token, expires: now.plus(LEASE_TTL) };
        put(&tx, WRITER, &proof)?;
        // Claims belong to the database, so its writer holds them.
        tx.execute(
            "UPDATE lease SET owner = ?1, token = ?2, expires = ?3, seal = seal_of(name, ?1, ?2, ?3)
             WHERE name <> ?4",
            (owner, token, proof.expires.0, WRITER),
        )
        .doing("taking over claims")?;
        tx.commit().doing("taking the writer's lease")?;
        Ok(proof)
    }
}

fn put(tx: &Transaction<'_>, name: &str, proof: &WriterProof) -> Result<(), StoreError> {
    let mut put = tx
        .prepare_cached(
            "INSERT INTO lease (name, owner, token, expires, seal)
             VALUES (?1, ?2, ?3, ?4, seal_of(?1, ?2, ?3, ?4))
             ON CONFLICT (name)
             DO UPDATE SET owner = ?2, token = ?3, expires = ?4, seal = excluded.seal",
        )
        .doing("preparing to write a lease")?;
    let row = (name, &proof.owner, proof.token, proof.expires.0);
    put.execute(row).doing("writing a lease").map(drop)
}

/// Fails if another process has taken the lease; renews it when a third of it is used up.
pub(crate) fn verify(
    tx: &Transaction<'_>,
    now: Time,
    proof: &mut WriterProof,
) -> Result<(), StoreError> {
    let read = tx.prepare_cached("SELECT token FROM lease WHERE name = ?1");
    let mut read = read.doing("preparing to check the writer's lease")?;
    let theirs: u64 =
        read.query_row([WRITER], |row| row.get(0)).doing("checking the writer's lease")?;
    if theirs != proof.token {
        return Err(StoreError::Fenced { ours: proof.token, theirs });
    }
    let third = Span(LEASE_TTL.0 / 3);
    if proof.expires.minus(LEASE_TTL).plus(third) <= now {
        proof.expires = now.plus(LEASE_TTL);
        let renew = "UPDATE lease SET expires = ?1, seal = seal_of(name, owner, token, ?1)
                     WHERE token = ?2";
        let mut renew = tx.prepare_cached(renew).doing("preparing to renew leases")?;
        renew.execute((proof.expires.0, proof.token)).doing("renewing leases")?;
    }
    Ok(())
}

pub(crate) fn claim(
    tx: &Transaction<'_>,
    issue: &IssueKey,
    proof: &WriterProof,
) -> Result<(), StoreError> {
    put(tx, &issue.to_string(), proof)
}

pub(crate) fn release(tx: &Transaction<'_>, issue: &IssueKey) -> Result<(), StoreError> {
    let gone = tx.prepare_cached("DELETE FROM lease WHERE name = ?1");
    let mut gone = gone.doing("preparing to release a claim")?;
    gone.execute([issue.to_string()]).doing("releasing a claim").map(drop)
}
