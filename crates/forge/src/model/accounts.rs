//! People, bots and organisations.

use serde::{Deserialize, Serialize};

/// Someone with a login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub id: u64,
    pub login: String,
    pub kind: AccountKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccountKind {
    User,
    Bot,
    /// Owns repositories, but cannot act or be notified.
    Organization,
}
