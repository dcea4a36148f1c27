//! Roles of users in a repository, and what they allow.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::accounts::Account;
use super::context::Context;
use super::refusal::Refusal;
use super::repository::{Repository, Visibility};
use super::request::{Operation, operations};

/// The role of a user in a repository, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Permission {
    None,
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl fmt::Display for Permission {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::None => "no",
            Self::Read => "read",
            Self::Triage => "triage",
            Self::Write => "push",
            Self::Maintain => "maintain",
            Self::Admin => "admin",
        })
    }
}

/// The `permission` of the collaborator endpoint, which knows no triage and maintain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldedPermission {
    None,
    Read,
    Write,
    Admin,
}

impl From<Permission> for FoldedPermission {
    fn from(permission: Permission) -> Self {
        match permission {
            Permission::None => Self::None,
            Permission::Read | Permission::Triage => Self::Read,
            Permission::Write | Permission::Maintain => Self::Write,
            Permission::Admin => Self::Admin,
        }
    }
}

/// The rights of one user, in replies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollaboratorPermission {
    pub account: Account,
    /// Folded, so less exact than `role`.
    pub permission: FoldedPermission,
    /// The role, which the five flags of `user.permissions` follow from.
    pub role: Permission,
}

/// The author's relation to the repository, as comments show it. It proves nothing about rights: a
/// collaborator may have no more than read access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Association {
    Owner,
    Collaborator,
    Contributor,
    None,
}

impl Repository {
    pub(super) fn permission_of(&self, login: &str) -> Permission {
        if login.eq_ignore_ascii_case(&self.owner) {
            return Permission::Admin;
        }
        let public = match self.settings.visibility {
            Visibility::Public => Permission::Read,
            Visibility::Private => Permission::None,
        };
        let granted = self.collaborators.get(&login.to_lowercase()).copied();
        granted.unwrap_or(Permission::None).max(public)
    }

    pub(super) fn association_of(&self, login: &str) -> Association {
        let key = login.to_lowercase();
        if login.eq_ignore_ascii_case(&self.owner) {
            Association::Owner
        } else if self.collaborators.get(&key).is_some_and(|role| *role > Permission::None) {
            Association::Collaborator
        } else if self.contributors.contains(&key) {
            Association::Contributor
        } else {
            Association::None
        }
    }
}

operations! {
    GetPermission { login: String }
}

impl Operation for GetPermission {
    type Reply = CollaboratorPermission;

    fn run(self, context: &mut Context<'_>) -> Result<CollaboratorPermission, Refusal> {
        if context.view().permission() < Permission::Write {
            let message = "Must have push access to view collaborator permission.";
            return Err(Refusal::forbidden(message));
        }
        let account = context.forge.account(&self.login).ok_or_else(Refusal::not_found)?;
        let role = context.repo()?.permission_of(&account.login);
        Ok(CollaboratorPermission { account: account.clone(), permission: role.into(), role })
    }
}
