//! A process of a run: starting, running or being ended.

use crate::account::AccountName;
use crate::books::Amount;
use crate::ids::Attempt;
use crate::stall::Suspicion;
use crate::steps::Step;
use crate::stored::is_default;
use crate::time::Time;
use crate::turn_end::Usage;
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
    /// The amount that was reserved for a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<Amount>,
    /// What a turn has used, as far as its program has told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Usage>,
    /// The part of it that is in the books already.
    #[serde(default, skip_serializing_if = "is_default")]
    pub counted: Amount,
    /// True for a turn that is tried although its account is limited.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_probe: bool,
    /// True once its start was confirmed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub has_begun: bool,
    /// It may be about to stall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspicion: Option<Suspicion>,
    /// Its program takes no messages while it works.
    #[serde(default, skip_serializing_if = "is_default")]
    pub takes_no_messages: bool,
}

impl Work {
    pub(crate) const fn starting(
        attempt: Attempt,
        step: Step,
        started: Time,
        deadline: Time,
    ) -> Self {
        let state = WorkState::Starting;
        Self {
            attempt,
            step,
            started,
            deadline,
            state,
            account: None,
            reserved: None,
            used: None,
            counted: Amount { tokens: 0, micro_usd: 0 },
            is_probe: false,
            has_begun: false,
            suspicion: None,
            takes_no_messages: false,
        }
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
