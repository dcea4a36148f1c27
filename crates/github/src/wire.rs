//! GitHub's JSON, as far as we use it. Unknown fields are ignored, fields that may be null are
//! optional, words that are new are values like others. Nothing of this leaves the crate.

pub(crate) mod app;
pub(crate) mod check;
pub(crate) mod issue;
pub(crate) mod protection;
pub(crate) mod pull;
pub(crate) mod repository;
pub(crate) mod request;
pub(crate) mod timeline;

use ralph_core::ids::Login;
use serde::{Deserialize, Deserializer};

/// The user that stands for a deleted account, as on GitHub.
const GHOST: &str = "ghost";

#[derive(Debug, Deserialize)]
pub(crate) struct User {
    pub(crate) login: String,
}

/// For a field that holds an account, or null.
fn login<'de, D: Deserializer<'de>>(from: D) -> Result<Login, D::Error> {
    let user = Option::<User>::deserialize(from)?;
    Ok(user.map_or_else(ghost, |user| Login::new(&user.login)))
}

fn ghost() -> Login {
    Login::new(GHOST)
}

/// For a list that may be null.
fn list<'de, D: Deserializer<'de>, I: Deserialize<'de>>(from: D) -> Result<Vec<I>, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}
