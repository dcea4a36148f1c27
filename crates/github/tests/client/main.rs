//! The client as the engine sees it: through the port, over a transport.

#![expect(clippy::expect_used, reason = "a helper that cannot go on says why and ends the test")]

mod apps;
mod bad_days;
mod conditional;
mod deliveries;
mod entries;
mod limits;
mod paging;
mod script;
mod shapes;
mod threads;
