//! Plays whole lives of the real engine on real SQLite against the model of GitHub, with time, work, people
//! and faults drawn from one seed. Nothing in a life depends on the clock, the environment or the machine.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the simulator picks single answers and events out of the model's; the rest is no concern of its"
)]

pub mod bugs;
pub mod invariants;
pub mod life;
pub mod report;
pub mod weather;

mod breaking;
mod caretaker;
mod cheating;
mod check_runner;
mod consistency;
mod errand;
mod fate;
mod following_up;
mod gathering;
mod hooks;
mod ledger;
mod liveness;
mod losing;
mod operator;
mod people;
mod prng;
mod resolving;
mod schedule;
mod sim_work;
mod simulator;
mod stalling;
mod surveying;
mod syncing;
mod town;
mod trace;
mod transport;
mod trials;
mod unreadable;
mod verifying;
mod wording;
mod working;
