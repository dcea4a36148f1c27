//! One life from its seed: what to play, and what came of it.

use crate::bugs::Bug;
use crate::ledger::Violation;
pub use crate::liveness::Ends;
use crate::simulator::Simulator;
use crate::weather::Fault;
use ralph_engine::EngineError;
use ralph_engine::store::Store;
use std::collections::BTreeMap;

/// What to play.
#[derive(Debug, Clone)]
pub struct Options {
    pub seed: u64,
    pub issues: u64,
    /// No faults and no meddling.
    pub is_calm: bool,
    /// Keep every line of the trace.
    pub is_traced: bool,
    pub bug: Option<Bug>,
}

impl Options {
    #[must_use]
    pub const fn of_seed(seed: u64) -> Self {
        Self { seed, issues: 8, is_calm: false, is_traced: false, bug: None }
    }
}

/// How often a repair came to its bound, by what the report calls that.
pub type LaneEnds = BTreeMap<&'static str, u64>;

/// What came of it.
#[derive(Debug)]
pub struct Life {
    pub steps: u64,
    pub crashes: u64,
    pub escalations: u64,
    /// How many runs each lane had.
    pub lanes_taken: BTreeMap<&'static str, u64>,
    /// How often a lane came to its bound.
    pub lane_ends: LaneEnds,
    /// Facts that Ralph forgot because they were old.
    pub facts_forgotten: u64,
    pub ends: Ends,
    pub simulated_hours: u64,
    pub faults: BTreeMap<Fault, u64>,
    pub violations: Vec<Violation>,
    pub hash: String,
    /// The whole trace, or its end.
    pub lines: Vec<String>,
    /// The state store as it was at the end.
    pub store: Option<Store>,
}

/// Plays a life to its end.
pub fn play(options: &Options) -> Result<Life, EngineError> {
    Simulator::new(options)?.run()
}
