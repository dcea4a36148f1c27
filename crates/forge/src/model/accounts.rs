//! People, bots and organisations.

/// Someone with a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub id: u64,
    pub login: String,
    pub kind: AccountKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountKind {
    User,
    Bot,
    /// Owns repositories, but cannot act or be notified.
    Organization,
}
