//! Applies the entry into a lane: the attempt is counted, and its run learns what to repair.

use super::moved::enter;
use crate::bound::Bound;
use crate::ids::IssueKey;
use crate::issue::{Managed, Phase};
use crate::lane::{Entry, How, LaneAttempt};
use crate::run::Run;
use crate::steps::Step;
use crate::time::Time;

pub(super) fn entered(now: Time, key: &IssueKey, managed: &mut Managed, entry: &Entry) {
    let Entry { lane, how, trigger, told } = entry;
    let (lane, how) = (*lane, *how);
    let Some(run) = managed.run.as_mut() else { return };
    match how {
        How::Resume => {
            run.feedback = Some(told.clone());
            run.spent.add(Bound::RESUMES);
        }
        How::Spawn => *run = Run::in_lane(key, lane, run, told, now),
    }
    let attempt =
        LaneAttempt { run: run.id, at: now, how, trigger: trigger.clone(), is_green: false };
    managed.lanes.enter(lane, attempt);
    if how == How::Spawn {
        enter(now, managed, Phase::Running { step: Step::Workspace });
    }
}
