//! `ralph forge`: the embedded forge alone, and what its operator does beside GitHub's API.

use super::CommandContext;
use crate::args::{
    AccessLevel, AppCommand, DataArguments, ForgeCommand, ServeArguments, TokenCommand, UserCommand,
};
use crate::containment;
use crate::environment;
use crate::error::{CliError, ErrorKind, NO_PROGRAM, NO_SIGNALS};
use crate::reach::{self, ReachError};
use crate::screen::Paint;
use crate::table::Table;
use ralph_contain::Containment;
use ralph_forge::{
    AddedApp, Credentials, Imported, NewApp, Options, Permission, Running, Visibility,
};
use ralph_github::AppKey;
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::path::PathBuf;

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

pub(super) fn run(context: &CommandContext<'_>, command: &ForgeCommand) -> Result<(), CliError> {
    let place = |data: &DataArguments| {
        data.data.clone().unwrap_or_else(|| context.home.path().join("forge"))
    };
    let folder = |data: &DataArguments| repaired(context, place(data));
    match command {
        ForgeCommand::Serve(options) => serve(context, options, place(&options.data)),
        ForgeCommand::Import { source, repo, public, data } => {
            let visibility = if *public { Visibility::Public } else { Visibility::Private };
            let imported = ralph_forge::import(&folder(data)?, source, repo.as_str(), visibility);
            let Imported { repo, default_branch, branches, tags } =
                imported.map_err(|error| CliError::of(ErrorKind::Request, &error))?;
            let seen = if *public { "by everyone" } else { "with a token only" };
            context.screen.answer(&format!(
                "{repo} is in the forge, read {seen} (branches: {branches}, tags: {tags}, default branch: {default_branch})\n"
            ))
        }
        ForgeCommand::User(UserCommand::Add { login, permission, data }) => {
            let token = ralph_forge::add_user(&folder(data)?, login, role(*permission));
            let token = token.map_err(|error| CliError::of(ErrorKind::Request, &error))?;
            context
                .screen
                .answer(&format!("{login} may now use the forge with the token {token}\n"))
        }
        ForgeCommand::Token(TokenCommand::List { data, format }) => {
            let tokens = ralph_forge::list_tokens(&folder(data)?)
                .map_err(|error| CliError::of(ErrorKind::Request, &error))?;
            if format.json {
                return context.answer_json(&tokens);
            }
            let mut table = Table::headed(&["id", "login", "made by"]);
            for token in tokens {
                table.row([
                    (token.id, Paint::Plain),
                    (token.login, Paint::Bold),
                    (token.purpose, Paint::Plain),
                ]);
            }
            context.screen.answer(&context.screen.table(&table))
        }
        ForgeCommand::Token(TokenCommand::Revoke { which, data }) => {
            let revoked = ralph_forge::revoke_tokens(&folder(data)?, which);
            let revoked = revoked.map_err(|error| CliError::of(ErrorKind::Request, &error))?;
            context.screen.answer(&format!("Revoked for good: {revoked}\n"))
        }
        ForgeCommand::App(AppCommand::Add { slug, key, install, permission, data }) => {
            let secret = reach::private_key(key)?;
            let unread = |source| ReachError::Key { path: key.clone(), source };
            // The id is the forge's to give; the key is needed for its public half alone.
            let pair = AppKey::read(0, &secret).map_err(unread)?;
            let added = ralph_forge::add_app(
                &folder(data)?,
                NewApp {
                    slug: slug.clone(),
                    public_key: pair.public_key().to_vec(),
                    role: role(*permission),
                    owners: install.clone(),
                },
            );
            let AddedApp { id, login, installations } =
                added.map_err(|error| CliError::of(ErrorKind::Request, &error))?;
            let owners: Vec<_> = installations.iter().map(|(owner, _)| owner.as_str()).collect();
            let owners = owners.join(", ");
            context.screen.answer(&format!(
                "{login} may now work in the repositories of {owners} as the App with the id {id}\n"
            ))
        }
    }
}

/// A folder without a server is opened by each command, which may repair something.
fn repaired(context: &CommandContext<'_>, folder: PathBuf) -> Result<PathBuf, CliError> {
    let notices = ralph_forge::repair(&folder);
    for notice in notices.map_err(|error| CliError::of(ErrorKind::Request, &error))? {
        context.screen.note(&notice);
    }
    Ok(folder)
}

const fn role(permission: AccessLevel) -> Permission {
    match permission {
        AccessLevel::Read => Permission::Read,
        AccessLevel::Triage => Permission::Triage,
        AccessLevel::Write => Permission::Write,
        AccessLevel::Admin => Permission::Admin,
    }
}

/// The first line says where it is and who may use it.
fn serve(
    context: &CommandContext<'_>,
    options: &ServeArguments,
    data: PathBuf,
) -> Result<(), CliError> {
    let screen = context.screen;
    // Before anything is opened, so that a signal always ends it in good order.
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(CliError::internal(NO_SIGNALS))?;
    let executable = environment::this_program().map_err(CliError::internal(NO_PROGRAM))?;
    let forge = Running::start(Options {
        listen: options.listen,
        data: Some(data),
        owner: options.owner.clone(),
        allow_faults: options.allow_faults,
        checks_network: options.checks_network,
        unsafe_checks: options.unsafe_checks,
        guard: containment::guard(executable),
        // Ralph's own settings name tokens.
        hidden_from_checks: vec![context.home.path().to_owned()],
        requests_per_hour_max: options.rate_limit,
        ..Options::default()
    });
    let forge = forge.map_err(|error| CliError::of(ErrorKind::Request, &error))?;
    match &forge.containment {
        Containment::Bubblewrap(_) => {}
        Containment::Guard => screen.note(
            "Checks run without a sandbox: everyone who may write to a repository can run commands as you.",
        ),
        Containment::Refused => screen.note(
            "Checks are not run: bubblewrap does not work here. Install it, or see --unsafe-checks.",
        ),
    }
    for notice in &forge.notices {
        screen.note(notice);
    }
    let greeting =
        Greeting { url: &forge.url, owner: (&forge.owner).into(), bot: (&forge.bot).into() };
    let mut line = serde_json::to_string(&greeting)?;
    line.push('\n');
    screen.answer(&line)?;
    signals.forever().next();
    forge.stop();
    Ok(())
}
