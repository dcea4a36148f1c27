//! A decision that loses sight of where a run works.

use super::decisions::mistaken;
use ralph_core::decide::Plan;
use ralph_core::issue::Phase;
use ralph_core::policy::Policy;
use ralph_core::time::Time;
use ralph_core::world::{Touched, World};

/// A run has a place only once its workspace is there.
pub(super) fn forgets_its_slot(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    mistaken(w, t, now, p, |issue| {
        let Some(managed) = issue.managed.as_deref_mut() else { return };
        let has_none = managed.run.as_ref().is_some_and(|run| run.workspace.is_none());
        if has_none && matches!(managed.phase, Phase::Running { .. }) {
            managed.worktrees.clear();
        }
    })
}
