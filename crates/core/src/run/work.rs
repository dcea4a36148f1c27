//! A process of a run: starting, running or being ended.

use crate::account::AccountName;
use crate::ids::Attempt;
use crate::stall::Suspicion;
use crate::steps::Step;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// A process that is starting, running or being ended. It holds a slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    pub attempt: Attempt,
    pub step: Step,
    pub started: Time,
    pub deadline: Time,
    pub state: WorkState,
    /// The account of a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountName>,
    /// It may be about to stall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspicion: Option<Suspicion>,
}

impl Work {
    pub(crate) const fn starting(
        attempt: Attempt,
        step: Step,
        started: Time,
        deadline: Time,
    ) -> Self {
        let state = WorkState::Starting;
        Self { attempt, step, started, deadline, state, account: None, suspicion: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkState {
    /// Its start is desired, not yet confirmed.
    Starting,
    Underway,
    /// Its end is desired; the slot is free once that is confirmed.
    Ending(EndReason),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// It exceeded its deadline: a failed try.
    TimedOut,
    /// A person stopped or paused the issue: no failure.
    Held,
}
