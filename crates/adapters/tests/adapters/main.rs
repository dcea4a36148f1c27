//! The adapters against the real thing: real git repositories, real shell scripts as agents, real processes.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod gates;
mod hostile;
mod processes;
mod stage;
mod tether;
mod transport;
mod turns;
mod workspaces;
