//! `ralph run`: the daemon in the foreground. It says what it does on standard error and ends in good order on
//! the first signal.

use super::CommandContext;
use crate::config::{Config, Secret, TokenSource};
use crate::daemon::{
    Event, LeftOut, RunError, StartError, StartOptions, Until, Wake, Waker, WebhookListener,
};
use crate::daemon_status::Degraded;
use crate::environment::{self, Environment};
use crate::error::{CliError, ErrorKind, MAKE_ROOM, NO_PROGRAM, NO_SIGNALS};
use crate::moment::clock_time;
use crate::reach;
use ralph_core::words::journal_line;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;

/// Every right of the owner's group and of everybody else.
const OTHERS: u32 = 0o077;

/// The options of the command.
pub(super) struct Options<'a> {
    pub(super) until: Until,
    pub(super) accepts_new_identity: bool,
    pub(super) config: Option<&'a Path>,
}

pub(super) fn run(
    context: &CommandContext<'_>,
    environment: &Environment,
    options: &Options<'_>,
) -> Result<(), CliError> {
    let path = options.config.map_or_else(|| context.home.config(), Path::to_owned);
    let config = Config::load(&path)?;
    let open = readable_by_others(&config, &path);
    let start = start_options(context, environment, config, path)?;
    let start = StartOptions { accepts_new_identity: options.accepts_new_identity, ..start };
    let screen = *context.screen;
    let (daemon, waker) = start.start(Box::new(move |event| match event {
        Event::Fact(entry) => {
            if let Some(line) = journal_line(&entry.fact) {
                screen.note(&format!("{} {} {line}", clock_time(entry.at), entry.fact.subject));
            }
        }
        Event::LeftOut(LeftOut { repo, why }) => {
            screen.note(&format!("{repo} is left out, and looked at again later: {why}"));
        }
        Event::Degraded(Degraded { what, why, .. }) => {
            screen.note(&format!("degraded: {what}: {why}"));
        }
        Event::Well(Degraded { what, .. }) => screen.note(&format!("well again: {what}")),
        Event::Note(note) => screen.note(note),
        Event::Output { .. } => {}
    }))?;
    obey_signals(waker)?;
    open.into_iter().for_each(|line| screen.note(&line));
    context
        .screen
        .note(&format!("ralph works in {}; Ctrl-C ends it", context.home.path().display()));
    let home = context.home.path().to_owned();
    daemon.run(options.until).map_err(|error| match error {
        RunError::Engine(error) => {
            let ended = CliError::of(ErrorKind::Store, &error).with_hint(MAKE_ROOM);
            ended.in_front(&format!("the work in {} ended", home.display()))
        }
        RunError::Identity(other) => StartError::Identity(other).into(),
    })
}

/// The settings hold a token, and others can read them.
fn readable_by_others(config: &Config, file: &Path) -> Option<String> {
    let mode = std::fs::metadata(file).ok()?.mode() & 0o777;
    let shown = file.display();
    (config.forge.holds_a_secret() && mode & OTHERS != 0).then(|| {
        format!("others can read the token in {shown} (mode {mode:04o}); `chmod 600 {shown}`, and make a new token")
    })
}

/// The start options: the settings, with the credentials and paths of the environment.
fn start_options(
    context: &CommandContext<'_>,
    environment: &Environment,
    config: Config,
    config_file: PathBuf,
) -> Result<StartOptions, CliError> {
    if config.repos.is_empty() {
        let says = "no repository is configured, so there is nothing to work on";
        let hint = "add a [[repos]] section with name = \"owner/name\" to the configuration";
        return Err(CliError::new(ErrorKind::Config, says).with_hint(hint));
    }
    if !config.has_agent_for_all() {
        let says = "there is no agent to work with";
        let hint = "set `command` in the [agent] section of the configuration";
        return Err(CliError::new(ErrorKind::Config, says).with_hint(hint));
    }
    let Some(credentials) = reach::credentials(&config.forge)? else {
        let says = match &config.forge.token {
            TokenSource::Environment(name) => {
                format!("the variable {name} holds no token for the forge")
            }
            TokenSource::File(_) | TokenSource::App(_) => {
                "the token of the forge is empty".to_owned()
            }
        };
        let hint = "put a token there that may write to your repositories";
        return Err(CliError::new(ErrorKind::Config, says).with_hint(hint));
    };
    let webhooks = webhooks(&config)?;
    Ok(StartOptions {
        home: context.home.clone(),
        config_file,
        accepts_new_identity: false,
        credentials,
        webhooks,
        executable: environment::this_program().map_err(CliError::internal(NO_PROGRAM))?,
        user_home: environment.user_home.clone(),
        variables: environment::variables(),
        config,
    })
}

/// The listener for deliveries, if the operator wants them.
fn webhooks(config: &Config) -> Result<Option<(WebhookListener, Secret)>, CliError> {
    let Some(address) = config.webhook_listen else { return Ok(None) };
    let variable = config.forge.webhook_secret_env.clone();
    let secret = environment::text(&variable).filter(|secret| !secret.is_empty());
    let secret = secret.ok_or_else(|| {
        let says = format!(
            "webhook_listen is set, and the variable {variable} holds no secret to check deliveries with"
        );
        CliError::new(ErrorKind::Config, says)
            .with_hint("put the secret of the webhook there, or leave `webhook_listen` out")
    })?;
    Ok(Some((WebhookListener::At(address), Secret::new(&secret))))
}

/// A hangup has the settings read again. The first signal to end ends the daemon in good order; the second ends
/// the process at once.
fn obey_signals(waker: Waker) -> Result<(), CliError> {
    let mut signals =
        Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(CliError::internal(NO_SIGNALS))?;
    let thread = thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut is_ending = false;
        for signal in signals.forever() {
            if signal == SIGHUP {
                // A daemon that is about to end has no use for it.
                drop(waker.send(Wake::Reload));
                continue;
            }
            if is_ending || waker.send(Wake::Stop).is_err() {
                // Nothing is lost by it: the next start looks first, and processes die with this one.
                drop(signal_hook::low_level::emulate_default_handler(signal));
            }
            is_ending = true;
        }
    });
    thread.map(drop).map_err(CliError::internal(NO_SIGNALS))
}
