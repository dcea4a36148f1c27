//! `ralph completions`: what a shell needs to complete commands and options.

use crate::args::Arguments;
use crate::error::CliError;
use crate::screen::Screen;
use clap::{Command, CommandFactory as _};
use clap_complete::{Shell, generate};

pub(super) fn run(screen: &Screen, shell: Shell) -> Result<(), CliError> {
    let mut script = Vec::new();
    generate(shell, &mut shown(&Arguments::command()), "ralph", &mut script);
    screen.answer(&String::from_utf8_lossy(&script))
}

/// The command without the subcommands that Ralph starts itself: they are not for people.
fn shown(command: &Command) -> Command {
    let below = command.get_subcommands().filter(|below| !below.is_hide_set()).map(shown);
    let mut copy = Command::new(command.get_name().to_owned())
        .args(command.get_arguments().cloned())
        .subcommands(below);
    if let Some(about) = command.get_about() {
        copy = copy.about(about.clone());
    }
    if let Some(version) = command.get_version() {
        copy = copy.version(version.to_owned());
    }
    copy
}
