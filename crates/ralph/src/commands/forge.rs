//! `ralph forge serve`: the embedded forge alone. Its first line says where it is and who may use it.

use crate::args::ServeArguments;
use crate::error::CliError;
use crate::screen::Screen;
use ralph_forge::{Credentials, Options, Running};
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

#[derive(Serialize)]
struct Greeting<'a> {
    url: &'a str,
    owner: Someone<'a>,
    bot: Someone<'a>,
}

#[derive(Serialize)]
struct Someone<'a> {
    login: &'a str,
    token: &'a str,
}

impl<'a> From<&'a Credentials> for Someone<'a> {
    fn from(credentials: &'a Credentials) -> Self {
        Self { login: &credentials.login, token: &credentials.token }
    }
}

pub(super) fn serve(screen: &Screen, wishes: &ServeArguments) -> Result<(), CliError> {
    // Before anything is opened, so that a signal always ends it in good order.
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(CliError::NoSignals)?;
    let forge = Running::start(Options {
        listen: wishes.listen,
        data: wishes.data.clone(),
        owner: wishes.owner.clone(),
        allow_faults: wishes.allow_faults,
        ..Options::default()
    });
    let forge = forge.map_err(CliError::Serve)?;
    let greeting =
        Greeting { url: &forge.url, owner: (&forge.owner).into(), bot: (&forge.bot).into() };
    let mut line = serde_json::to_string(&greeting).map_err(CliError::NotJson)?;
    line.push('\n');
    screen.answer(&line)?;
    signals.forever().next();
    forge.stop();
    Ok(())
}
