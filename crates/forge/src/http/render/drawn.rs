//! What was written before and is the same again: people and repositories stand in every answer, most of them
//! several times, and each has dozens of links.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::model::accounts::Account;
use crate::model::repository_calls::RepositoryView;

/// Kept per site, because links begin with its address.
#[derive(Clone, Debug, Default)]
pub(in crate::http) struct Drawn {
    /// By id. An account never changes.
    people: RefCell<BTreeMap<u64, Arc<RawValue>>>,
    /// By id, with what was drawn.
    repositories: RefCell<BTreeMap<u64, (RepositoryView, Arc<RawValue>)>>,
}

impl Drawn {
    /// This account as `draw` writes it.
    pub(super) fn person(
        &self,
        account: &Account,
        draw: &impl Serialize,
    ) -> serde_json::Result<Arc<RawValue>> {
        if let Some(drawn) = self.people.borrow().get(&account.id) {
            return Ok(Arc::clone(drawn));
        }
        let drawn = Arc::from(to_raw_value(draw)?);
        self.people.borrow_mut().insert(account.id, Arc::clone(&drawn));
        Ok(drawn)
    }

    /// This repository as `draw` writes it, which must always be to the same extent.
    pub(super) fn repository(
        &self,
        repository: &RepositoryView,
        draw: &impl Serialize,
    ) -> serde_json::Result<Arc<RawValue>> {
        if let Some((known, drawn)) = self.repositories.borrow().get(&repository.id)
            && known == repository
        {
            return Ok(Arc::clone(drawn));
        }
        let drawn = Arc::from(to_raw_value(draw)?);
        let kept = (repository.clone(), Arc::clone(&drawn));
        self.repositories.borrow_mut().insert(repository.id, kept);
        Ok(drawn)
    }
}
