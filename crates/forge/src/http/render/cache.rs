//! Rendered JSON that is used again: people and repositories stand in every answer, most of them several times, and
//! each has dozens of links; of a list of issues few change from one answer to the next.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::model::accounts::Account;
use crate::model::issue_view::IssueView;
use crate::model::repository_calls::RepositoryView;

/// Issues that are kept. A forge may have any number; beyond this all are forgotten, which costs one rendering each
/// and changes no answer.
const ISSUES_MAX: usize = 1_000;

/// The cache of one site. Links begin with the site's address, so sites cannot share it.
#[derive(Clone, Debug, Default)]
pub(in crate::http) struct RenderCache {
    /// By id. An account never changes.
    people: RefCell<BTreeMap<u64, Arc<RawValue>>>,
    repositories: Known<RepositoryView>,
    issues: Known<IssueView>,
}

/// Views by id, each with its JSON. An entry is used only while its view equals the current one.
type Known<V> = RefCell<BTreeMap<u64, Arc<(V, Box<RawValue>)>>>;

impl RenderCache {
    /// Returns this account as `uncached` writes it.
    pub(super) fn person(
        &self,
        account: &Account,
        uncached: &impl Serialize,
    ) -> serde_json::Result<Arc<RawValue>> {
        if let Some(rendered) = self.people.borrow().get(&account.id) {
            return Ok(Arc::clone(rendered));
        }
        let rendered = Arc::from(to_raw_value(uncached)?);
        self.people.borrow_mut().insert(account.id, Arc::clone(&rendered));
        Ok(rendered)
    }

    /// Returns this repository as `uncached` writes it, which must always be to the same extent.
    pub(super) fn repository(
        &self,
        repository: &RepositoryView,
        uncached: &impl Serialize,
    ) -> serde_json::Result<Arc<(RepositoryView, Box<RawValue>)>> {
        cached(&self.repositories, repository.id, repository, uncached)
    }

    /// Returns this issue as `uncached` writes it, which must always be in the same form.
    pub(super) fn issue(
        &self,
        issue: &IssueView,
        uncached: &impl Serialize,
    ) -> serde_json::Result<Arc<(IssueView, Box<RawValue>)>> {
        if self.issues.borrow().len() >= ISSUES_MAX {
            self.issues.borrow_mut().clear();
        }
        cached(&self.issues, issue.id, issue, uncached)
    }
}

fn cached<V: Clone + PartialEq>(
    known: &Known<V>,
    id: u64,
    view: &V,
    uncached: &impl Serialize,
) -> serde_json::Result<Arc<(V, Box<RawValue>)>> {
    if let Some(rendered) = known.borrow().get(&id).filter(|rendered| rendered.0 == *view) {
        return Ok(Arc::clone(rendered));
    }
    let rendered = Arc::new((view.clone(), to_raw_value(uncached)?));
    known.borrow_mut().insert(id, Arc::clone(&rendered));
    Ok(rendered)
}
