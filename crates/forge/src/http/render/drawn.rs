//! What was written before and is the same again: people and repositories stand in every answer, most of them
//! several times, and each has dozens of links; of a list of issues few change from one answer to the next.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::model::accounts::Account;
use crate::model::issue_view::IssueView;
use crate::model::repository_calls::RepositoryView;

/// Issues that are kept. A forge may have any number; beyond this all are forgotten, which costs a drawing each
/// and changes no answer.
const ISSUES_MAX: usize = 1_000;

/// Kept per site, because links begin with its address.
#[derive(Clone, Debug, Default)]
pub(in crate::http) struct Drawn {
    /// By id. An account never changes.
    people: RefCell<BTreeMap<u64, Arc<RawValue>>>,
    repositories: Known<RepositoryView>,
    issues: Known<IssueView>,
}

/// Views by id, each with what was drawn of it: of one that looks otherwise now it is not taken.
type Known<V> = RefCell<BTreeMap<u64, Arc<(V, Box<RawValue>)>>>;

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
    ) -> serde_json::Result<Arc<(RepositoryView, Box<RawValue>)>> {
        drawn(&self.repositories, repository.id, repository, draw)
    }

    /// This issue as `draw` writes it, which must always be in the same form.
    pub(super) fn issue(
        &self,
        issue: &IssueView,
        draw: &impl Serialize,
    ) -> serde_json::Result<Arc<(IssueView, Box<RawValue>)>> {
        if self.issues.borrow().len() >= ISSUES_MAX {
            self.issues.borrow_mut().clear();
        }
        drawn(&self.issues, issue.id, issue, draw)
    }
}

fn drawn<V: Clone + PartialEq>(
    known: &Known<V>,
    id: u64,
    view: &V,
    draw: &impl Serialize,
) -> serde_json::Result<Arc<(V, Box<RawValue>)>> {
    if let Some(drawn) = known.borrow().get(&id).filter(|drawn| drawn.0 == *view) {
        return Ok(Arc::clone(drawn));
    }
    let drawn = Arc::new((view.clone(), to_raw_value(draw)?));
    known.borrow_mut().insert(id, Arc::clone(&drawn));
    Ok(drawn)
}
