//! Plays whole runs of the real engine on real SQLite against the model of GitHub, with time, work, people and
//! faults drawn from one seed. Nothing in a run depends on the clock, the environment or the machine.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the simulator picks single answers and events out of the model's; the rest is no concern of its"
)]

pub mod bugs;
pub mod faults;
pub mod oracle;
pub mod report;
pub mod run;

mod clock;
mod forge;
mod machine;
mod people;
mod prng;
mod schedule;
mod simulator;
mod trace;
mod world;
