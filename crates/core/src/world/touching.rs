//! The subjects beside the changed one that have to be decided again.

use super::{Touched, World};
use crate::ids::{IssueKey, RepoName};
use crate::outage::Outage;

/// Issues decided again because of a change far ahead of them; a longer chain is looked at in the end too,
/// when its own members change.
const TOUCHED_BEHIND_MAX: usize = 1_000;

impl World {
    /// An outage that begins, changes or ends concerns the issues whose turns failed, and admission.
    pub(super) fn touch_outage(&self, before: Option<Outage>, touched: &mut Touched) {
        let after = self.outage();
        if before == after {
            return;
        }
        touched.admission = true;
        for key in before.into_iter().chain(after).flat_map(|outage| outage.issues) {
            touched.repos.insert(key.repo.clone());
            touched.issues.insert(key);
        }
    }

    /// Whoever is on the way through the forge looks at its repository.
    pub(super) fn touch_claimed(&self, name: &RepoName, touched: &mut Touched) {
        let queues = self.queues.get(name).into_iter();
        let concerned = queues.flat_map(|queues| queues.claimed.iter().chain(&queues.in_bot));
        touched.issues.extend(concerned.map(|number| IssueKey::new(name.clone(), *number)));
    }

    /// Everything that waits for this issue, directly or through others.
    pub(super) fn touch_all_behind(&self, key: &IssueKey, touched: &mut Touched) {
        let mut next = vec![key];
        while let Some(key) = next.pop() {
            for dependent in self.behind(key) {
                if touched.issues.len() < TOUCHED_BEHIND_MAX
                    && touched.issues.insert(dependent.clone())
                {
                    next.push(dependent);
                }
            }
        }
    }
}
