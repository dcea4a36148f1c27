//! `ralph completions`: what a shell needs to complete commands and options.

use crate::args::Arguments;
use crate::error::CliError;
use crate::screen::Screen;
use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

pub(super) fn run(screen: &Screen, shell: Shell) -> Result<(), CliError> {
    let mut script = Vec::new();
    generate(shell, &mut Arguments::command(), "ralph", &mut script);
    screen.answer(&String::from_utf8_lossy(&script))
}
