//! One run from its seed: its options, and its result.

use crate::bugs::Bug;
use crate::faults::Fault;
pub use crate::oracle::liveness::Ends;
use crate::oracle::record::Violation;
use crate::simulator::Simulator;
use ralph_engine::EngineError;
use ralph_engine::store::Store;
use std::collections::BTreeMap;

/// The options of a run.
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

/// The number of times each repair came to its bound, by its name in the report.
pub type LaneEnds = BTreeMap<&'static str, u64>;

/// The result of a run.
#[derive(Debug)]
pub struct SimRun {
    pub steps: u64,
    pub crashes: u64,
    pub escalations: u64,
    /// The number of runs in each lane.
    pub lanes_taken: BTreeMap<&'static str, u64>,
    /// The number of times a lane came to its bound.
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

/// Plays a run to its end.
pub fn play(options: &Options) -> Result<SimRun, EngineError> {
    Simulator::new(options)?.run()
}
