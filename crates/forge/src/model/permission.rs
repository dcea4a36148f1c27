//! Who may do what in a repository.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::accounts::Account;
use super::behaviour::Behaviour;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::repository::{Repository, Visibility};
use super::turn::Turn;

/// The role of someone in a repository, weakest first.
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

/// The permission as the collaborator endpoint says it first: without triage and maintain.
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

/// The answer about one person's rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollaboratorPermission {
    pub account: Account,
    /// Folded: says less than the truth.
    pub permission: FoldedPermission,
    /// The true role, which the five flags of `user.permissions` follow from.
    pub role: Permission,
}

/// What a comment says about its author. It proves nothing about rights: a collaborator may have
/// no more than read access.
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

impl Turn<'_> {
    pub(super) fn collaborator_permission(&self, login: &str) -> Response {
        if self.permission() < Permission::Write {
            let message = "Must have push access to view collaborator permission.";
            return Err(Refusal::forbidden(message));
        }
        let account = self.forge.accounts.get(&login.to_lowercase());
        let account = account.cloned().ok_or_else(Refusal::not_found)?;
        let role = self.repo()?.permission_of(&account.login);
        let permission = match role {
            Permission::Triage if !self.holds(Behaviour::PermissionsAreFolded) => {
                FoldedPermission::Write
            }
            Permission::None
            | Permission::Read
            | Permission::Triage
            | Permission::Write
            | Permission::Maintain
            | Permission::Admin => role.into(),
        };
        Ok(Reply::Permission(CollaboratorPermission { account, permission, role }))
    }
}
