//! The adapters against the real thing: real git repositories, real shell scripts as agents, real processes.
#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod conflicts;
mod disk;
mod escapes;
mod forge_folder;
mod gates;
mod guidance;
mod hostile;
mod integrity;
mod kinds;
mod limits;
mod losses;
mod messages;
mod network;
mod processes;
mod remote;
mod scan;
mod server;
mod stage;
mod stalls;
mod tether;
mod transport;
mod trials;
mod turns;
mod workspaces;
