//! Ralph's identity on a forge, as that forge last stated it.

use super::{Doing, Store, StoreError};
use ralph_core::ids::Login;
use rusqlite::OptionalExtension as _;

impl Store {
    /// Our last known login on the forge at this address.
    pub fn identity(&self, forge: &str) -> Result<Option<Login>, StoreError> {
        let read = self.connection.prepare_cached("SELECT login FROM identity WHERE forge = ?1");
        let mut read = read.doing("preparing to read who we are")?;
        let login = read.query_row([forge], |row| row.get::<_, String>(0)).optional();
        Ok(login.doing("reading who we are")?.map(|login| Login::new(&login)))
    }

    /// Stores our login on the forge at this address, replacing an earlier one.
    pub fn keep_identity(&mut self, forge: &str, login: &Login) -> Result<(), StoreError> {
        let keep = "INSERT INTO identity (forge, login, seal) VALUES (?1, ?2, seal_of(?1, ?2))
                    ON CONFLICT (forge) DO UPDATE SET login = ?2, seal = excluded.seal";
        self.connection.execute(keep, (forge, login.as_str())).doing("keeping who we are").map(drop)
    }

    /// The name of this store. A new store draws a random one, which no other store has.
    pub fn instance(&mut self) -> Result<String, StoreError> {
        let doing = "naming this store";
        let draw = "INSERT INTO instance (one, id, seal)
                    SELECT 1, id, seal_of(1, id) FROM (SELECT lower(hex(randomblob(8))) AS id)
                    WHERE NOT EXISTS (SELECT 1 FROM instance)";
        self.connection.execute(draw, ()).doing(doing)?;
        let read = self.connection.query_row("SELECT id FROM instance", (), |row| row.get(0));
        read.doing(doing)
    }

    /// Draws a random name for one start, which no other start has.
    pub fn draw_name(&self) -> Result<String, StoreError> {
        let draw = "SELECT lower(hex(randomblob(8)))";
        let drawn = self.connection.query_row(draw, (), |row| row.get(0));
        drawn.doing("drawing a name")
    }
}
