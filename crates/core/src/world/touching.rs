//! The other subjects that have to be decided again after a change.

use super::{Touched, World};
use crate::account::AccountHold;
use crate::ids::{IssueKey, RepoName};
use crate::outage::Outage;

/// Most issues decided again because of a change far ahead of them; the rest of a longer chain follows when its own
/// members change.
const TOUCHED_BEHIND_MAX: usize = 1_000;

impl World {
    /// Touches the issues whose turns failed, and admission, if an outage begins, changes or ends.
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

    /// Touches admission and the repositories whose turns failed, if an account is held otherwise than before.
    pub(super) fn touch_held(&self, before: &[AccountHold], touched: &mut Touched) {
        if self.held_accounts() == before {
            return;
        }
        touched.admission = true;
        let failing =
            self.repos.iter().filter(|(_, it)| it.turns.accounts.failing().next().is_some());
        touched.repos.extend(failing.map(|(name, _)| name.clone()));
    }

    /// Touches the claimed issues and those in the bot branch, which depend on their repository.
    pub(super) fn touch_claimed(&self, name: &RepoName, touched: &mut Touched) {
        let queues = self.queues.get(name).into_iter();
        let concerned = queues.flat_map(|queues| queues.claimed.iter().chain(&queues.in_bot));
        touched.issues.extend(concerned.map(|number| IssueKey::new(name.clone(), *number)));
    }

    /// Touches everything that waits for this issue, directly or through others.
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
