//! A GitHub client without sockets: it turns what the engine's port asks for into request values, and
//! response values into outcomes. Time, chance and the network are given to it; it never waits.

pub mod webhook;

mod account;
mod address;
mod app;
mod app_key;
mod app_token;
mod budget;
mod client;
mod fence;
mod secret;
mod transport;

mod check_logs;
mod issues;
mod port;
mod protection;
mod pulls;
mod repositories;
mod required;
mod timeline;
mod whereabouts;

mod cache;
mod clocks;
mod complaint;
mod jitter;
mod known;
mod mark;
mod moment;
mod outcome;
mod page;
mod reading;
mod route;
mod wire;
mod writing;

pub use account::{Account, Clock};
pub use address::{Address, BadAddress};
pub use app_key::{AppKey, BadKey};
pub use budget::{Degraded, DegradedKind, Primary, Snapshot};
pub use client::Client;
pub use clocks::Clocks;
pub use fence::Fence;
pub use repositories::Repository;
pub use required::Demand;
pub use secret::{BadToken, Secret};
pub use transport::{NoResponse, Transport};
