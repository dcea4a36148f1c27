//! The REST layer as a client sees it; every answer is held against GitHub's published description.

#![cfg(test)]

#[expect(dead_code, reason = "the tests of the server use more of it")]
#[path = "../claims/signing.rs"]
mod signing;

mod contract;
mod site;
mod token_claims;

mod apps;
mod conditional;
mod faults;
mod hooks;
mod issues;
mod leaks;
mod lists;
mod mutations;
mod nonsense;
mod refs;
mod refusals;
mod repositories;
mod snapshot;
mod surface;
mod sweep;
mod timeline;
mod unsupported;
