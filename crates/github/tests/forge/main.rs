//! The client against the embedded forge, straight through its REST layer: what the port says is what the
//! model holds.

#![expect(clippy::expect_used, reason = "a helper that cannot go on says why and ends the test")]

mod apps;
mod budget;
mod check_logs;
mod cost;
mod daemon;
mod fence;
mod history;
mod hooks;
mod idle;
mod protection;
mod reads;
mod request_cost;
mod timeline;
mod work;
mod world;
mod writes;
