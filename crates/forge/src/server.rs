//! The forge on a socket. It carries bytes between clients and the thread that owns the site, and
//! decides nothing.

mod carrier;
mod control_endpoint;
mod endpoint;
mod git_endpoint;
mod options;
mod patient;
mod run_page;
mod running;

pub(crate) use options::check_login;
pub use options::{Options, ServeError};
pub use running::{Credentials, Running};
