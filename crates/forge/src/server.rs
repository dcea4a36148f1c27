//! The forge on a socket. It carries bytes between clients and the thread that owns the site, and
//! decides nothing.

mod door;
mod git_door;
mod options;
mod run_page;
mod running;

pub use options::{Options, ServeError};
pub use running::{Credentials, Running};
