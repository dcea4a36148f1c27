//! The reach of an actor's rights: an installation's token is good in one account only.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Forge;
use super::permission::Permission;
use super::repository::Repository;

/// The repositories in which a request has the rights of its actor. Elsewhere it is a stranger's,
/// whatever else the actor may do with another token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reach {
    pub(crate) account: String,
    /// Names of repositories there; all of them when none is named.
    pub(crate) only: Option<BTreeSet<String>>,
}

impl Reach {
    fn holds(&self, owner: &str, name: &str) -> bool {
        let is_named =
            |only: &BTreeSet<String>| only.iter().any(|one| one.eq_ignore_ascii_case(name));
        owner.eq_ignore_ascii_case(&self.account) && self.only.as_ref().is_none_or(is_named)
    }
}

impl Forge {
    /// Bounds what is asked from now on; `None` takes the bounds away.
    pub(crate) fn set_reach(&mut self, reach: Option<Reach>) {
        self.reach = reach;
    }

    /// Returns the permission of an actor in a repository, within the reach of its token.
    pub(super) fn permission_in(&self, repository: &Repository, login: &str) -> Permission {
        repository.permission_of(if self.reaches(repository) { login } else { "" })
    }

    pub(super) fn reaches(&self, repository: &Repository) -> bool {
        self.reach.as_ref().is_none_or(|reach| reach.holds(&repository.owner, &repository.name))
    }
}
