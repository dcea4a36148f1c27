//! `ralph man`: the manual, made from the same words as the help.

use crate::args::Arguments;
use crate::error::CliError;
use crate::screen::Screen;
use clap::CommandFactory as _;
use clap_mangen::Man;
use std::fs;
use std::path::Path;

pub(super) fn run(screen: &Screen, out: Option<&Path>) -> Result<(), CliError> {
    // Built, so that each command knows its whole name and the options of all.
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = out else {
        return screen.answer(&page(command, "ralph")?);
    };
    let failed = |done: &'static str, path: &Path| {
        let path = path.to_owned();
        move |cause: std::io::Error| CliError::file(done, &path, &cause)
    };
    fs::create_dir_all(folder).map_err(failed("made", folder))?;
    let pages = pages(command, "ralph".to_owned());
    for (name, command) in &pages {
        let path = folder.join(format!("{name}.1"));
        fs::write(&path, page(command.clone(), name)?).map_err(failed("written", &path))?;
    }
    screen.answer(&format!("{} pages are in {}\n", pages.len(), folder.display()))
}

/// A command and all below it, each with the name of its page. What Ralph starts for itself has none.
fn pages(command: clap::Command, name: String) -> Vec<(String, clap::Command)> {
    let below: Vec<_> =
        command.get_subcommands().filter(|below| !below.is_hide_set()).cloned().collect();
    let below = below.into_iter().flat_map(|command| {
        let name = format!("{name}-{}", command.get_name());
        pages(command, name)
    });
    let below: Vec<_> = below.collect();
    [(name, command)].into_iter().chain(below).collect()
}

fn page(command: clap::Command, name: &str) -> Result<String, CliError> {
    let mut text = Vec::new();
    let man = Man::new(command).title(name.to_uppercase());
    man.render(&mut text).map_err(CliError::internal("the manual could not be written"))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
