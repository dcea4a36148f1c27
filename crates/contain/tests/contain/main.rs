//! Real processes, contained in every way that works here.
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

mod conversation;
mod escapes;
mod folder;
mod lifetime;
mod limits;
mod proxy;
mod room;
mod server;
mod sight;
mod tether;
