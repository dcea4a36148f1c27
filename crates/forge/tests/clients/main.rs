//! Other people's clients of GitHub do a working day's calls against a running forge. What they do
//! is one list, in `areas.rs`; how each does it is in its script, in its own words.

#![cfg(test)]

#[path = "../server/client.rs"]
mod client;
#[expect(dead_code, reason = "the tests of the server use more of it")]
#[path = "../server/desk.rs"]
mod desk;
#[path = "../server/receiver.rs"]
mod receiver;

mod areas;
mod program;

mod gh;
mod octokit;
mod pygithub;
