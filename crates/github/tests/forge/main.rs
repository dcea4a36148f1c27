//! The client against the embedded forge, straight through its REST layer: what the port says is what the
//! model holds.

#![expect(clippy::expect_used, reason = "a helper that cannot go on says why and ends the test")]

mod budget;
mod history;
mod hooks;
mod idle;
mod life;
mod reads;
mod timeline;
mod town;
mod work;
mod writes;
