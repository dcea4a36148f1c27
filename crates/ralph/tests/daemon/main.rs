//! The whole program on bad days: the real daemon as a process, a real forge, real git, real agents. Each test
//! has its own forge and home.

#![cfg(test)]
// Shared with the tests of the sandbox.
#[path = "../../../contain/tests/contain/folder.rs"]
mod folder;
mod forge;
mod process;
mod stage;
mod waiting;

mod agents;
mod app;
mod batches;
mod degraded;
mod demo;
mod doctor_repair;
mod faults;
mod identity;
mod logs;
mod machine;
mod metrics;
mod odd_inputs;
mod operator;
mod parents;
mod programs;
mod refused;
mod reload;
mod retention;
mod sandbox;
mod two_homes;
mod watch;
