//! `ralph run`: the daemon in the foreground. It says what it does on standard error and ends in good order on
//! the first signal.

use super::Scene;
use crate::config::{Config, Secret};
use crate::daemon::{Ear, LeftOut, Plan, RunError, StartError, Told, Until, Wake, Waker};
use crate::daemon_status::Degraded;
use crate::environment::{self, Environment};
use crate::error::CliError;
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

/// What was asked for.
pub(super) struct Wishes<'a> {
    pub(super) until: Until,
    pub(super) accepts_new_identity: bool,
    pub(super) config: Option<&'a Path>,
}

pub(super) fn run(
    scene: &Scene<'_>,
    environment: &Environment,
    wishes: &Wishes<'_>,
) -> Result<(), CliError> {
    let path = wishes.config.map_or_else(|| scene.home.config(), Path::to_owned);
    let config = Config::load(&path)?;
    let open = readable_by_others(&config, &path);
    let plan = plan(scene, environment, config, path)?;
    let plan = Plan { accepts_new_identity: wishes.accepts_new_identity, ..plan };
    let screen = *scene.screen;
    let (daemon, waker) = plan.start(Box::new(move |told| match told {
        Told::Fact(entry) => {
            if let Some(line) = journal_line(&entry.fact) {
                screen.note(&format!("{} {} {line}", clock_time(entry.at), entry.fact.subject));
            }
        }
        Told::LeftOut(LeftOut { repo, why }) => {
            screen.note(&format!("{repo} is left out, and looked at again later: {why}"));
        }
        Told::Degraded(Degraded { what, why, .. }) => {
            screen.note(&format!("degraded: {what}: {why}"));
        }
        Told::Well(Degraded { what, .. }) => screen.note(&format!("well again: {what}")),
        Told::Note(note) => screen.note(note),
        Told::Output { .. } => {}
    }))?;
    obey_signals(waker)?;
    open.into_iter().for_each(|line| screen.note(&line));
    scene.screen.note(&format!("ralph works in {}; Ctrl-C ends it", scene.home.path().display()));
    let home = scene.home.path().to_owned();
    daemon.run(wishes.until).map_err(|error| match error {
        RunError::Engine(source) => CliError::Work { home, source: Box::new(source) },
        RunError::Identity(other) => CliError::Start(StartError::Identity(other)),
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

/// What the surroundings add to the settings.
fn plan(
    scene: &Scene<'_>,
    environment: &Environment,
    config: Config,
    config_file: PathBuf,
) -> Result<Plan, CliError> {
    if config.repos.is_empty() {
        return Err(CliError::Unset {
            what: "no repository is configured, so there is nothing to work on",
            next: "add a [[repos]] section with name = \"owner/name\" to the configuration",
        });
    }
    if !config.has_agent_for_all() {
        return Err(CliError::Unset {
            what: "there is no agent to work with",
            next: "set `command` in the [agent] section of the configuration",
        });
    }
    let Some(credentials) = reach::credentials(&config.forge)? else {
        return Err(CliError::NoToken(config.forge.token));
    };
    let webhooks = webhooks(&config)?;
    Ok(Plan {
        home: scene.home.clone(),
        config_file,
        accepts_new_identity: false,
        credentials,
        webhooks,
        executable: environment::this_program().map_err(CliError::NoProgram)?,
        user_home: environment.user_home.clone(),
        variables: environment::variables(),
        config,
    })
}

/// Where deliveries come in, if the operator wants them.
fn webhooks(config: &Config) -> Result<Option<(Ear, Secret)>, CliError> {
    let Some(address) = config.webhook_listen else { return Ok(None) };
    let variable = config.forge.webhook_secret_env.clone();
    let secret = environment::text(&variable).filter(|secret| !secret.is_empty());
    let secret = secret.ok_or(CliError::NoWebhookSecret { variable })?;
    Ok(Some((Ear::At(address), Secret::new(&secret))))
}

/// A hangup has the settings read again. The first signal to end ends the daemon in good order; the second ends
/// the process at once.
fn obey_signals(waker: Waker) -> Result<(), CliError> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(CliError::NoSignals)?;
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
    thread.map(drop).map_err(CliError::NoSignals)
}
