//! Who Ralph is on a forge, as that forge last said.

use super::{Doing, Store, StoreError};
use ralph_core::ids::Login;
use rusqlite::OptionalExtension as _;

impl Store {
    /// Who we were on the forge at this address.
    pub fn identity(&self, forge: &str) -> Result<Option<Login>, StoreError> {
        let read = self.connection.prepare_cached("SELECT login FROM identity WHERE forge = ?1");
        let mut read = read.doing("preparing to read who we are")?;
        let login = read.query_row([forge], |row| row.get::<_, String>(0)).optional();
        Ok(login.doing("reading who we are")?.map(|login| Login::new(&login)))
    }

    /// Keeps who we are on the forge at this address, in place of whoever we were.
    pub fn keep_identity(&mut self, forge: &str, login: &Login) -> Result<(), StoreError> {
        let keep = "INSERT INTO identity (forge, login, seal) VALUES (?1, ?2, seal_of(?1, ?2))
                    ON CONFLICT (forge) DO UPDATE SET login = ?2, seal = excluded.seal";
        self.connection.execute(keep, (forge, login.as_str())).doing("keeping who we are").map(drop)
    }
}
