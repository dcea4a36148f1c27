//! The command line. It reads views of the state store and puts commands into its inbox; it knows no rule
//! and no SQL, and decides nothing.

pub mod config;
pub mod daemon_status;
pub mod demo;
pub mod home;
pub mod notify;
pub mod writer_lock;

mod agent_versions;
mod agents;
mod args;
mod checkout;
mod commands;
mod daemon;

mod containment;
mod environment;
mod error;
mod hindrance;
mod log;
mod metrics;
mod moment;
mod process;
mod project;
mod reach;
mod screen;
mod table;
mod tail;
mod wall_clock;

use args::{Arguments, Command};
use clap::Parser as _;
use environment::Environment;
use screen::Screen;
use std::process::ExitCode;

/// Reads the command line, does what it says, and gives the exit code.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // What Ralph runs of itself needs nothing of what follows.
    if let Command::Guard { words } = &arguments.command {
        return ralph_contain::guard_main(words.iter().cloned());
    }
    if matches!(arguments.command, Command::DemoAgent) {
        return demo::agent::main(&environment::Turn::read());
    }
    let environment = Environment::read();
    let screen = Screen::new(environment.allows_colour);
    match commands::run(&arguments, &environment, &screen) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            screen.complain(&error);
            error.exit_code()
        }
    }
}
