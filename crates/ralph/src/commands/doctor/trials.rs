//! `--try-agents`: one tiny turn with the program of each role, in a scratch repository and in the sandbox of a turn that
//! only reads.

use super::{Check, Examination};
use crate::agent_versions::Version;
use crate::agents::{logins_set, program};
use crate::config::{AgentConfig, Config};
use crate::containment::{self, Sandbox};
use crate::daemon::{agent_settings, author};
use crate::{environment, process, reach};
use ralph_adapters::agent::{AgentCommand, NotTried, Trial, Tried};
use ralph_contain::{Launcher, Moment, View};
use ralph_core::job::Role;
use ralph_core::turn_end::EndClass;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

const ABOUT: &str = "trial";
/// Programs that try a request again for longer are not worth to wait for.
const TIME: Duration = Duration::from_secs(120);

pub(super) fn checks(examination: &Examination<'_>) -> Vec<Check> {
    let Ok(config) = &examination.config else { return Vec::new() };
    if !examination.wish.try_agents {
        return Vec::new();
    }
    let path = environment::program_path().unwrap_or_default();
    let sandbox = Sandbox::find(config.isolation().sandbox, &path);
    if let Sandbox::Missing(missing) = &sandbox {
        let says = format!("no agent is tried: {}", missing.why);
        return vec![Check::finding(ABOUT, says, missing.next)];
    }
    let launcher = match launcher(examination, config, (&sandbox, path)) {
        Ok(launcher) => launcher,
        Err(error) => {
            let next = "start ralph by its path";
            return vec![Check::finding(ABOUT, format!("no agent is tried: {error}"), next)];
        }
    };
    let commands = agent_settings(config, &environment::variables());
    let tried = players(config).into_iter().map(|(agent, roles)| {
        let first = roles.first().copied().unwrap_or(Role::Implement);
        let command = commands.roles.get(&first).unwrap_or(&commands.default);
        let began = Moment::now();
        let ended = take(examination, &launcher, command, first);
        said(&roles, &about(agent), ended, began.elapsed())
    });
    tried.collect()
}

/// The agents that differ, each with its roles.
fn players(config: &Config) -> Vec<(&AgentConfig, Vec<Role>)> {
    let mut players: Vec<(&AgentConfig, Vec<Role>)> = Vec::new();
    for role in Role::ALL {
        let agent = config.agent(role.name());
        match players.iter_mut().find(|(other, _)| *other == agent) {
            Some((_, roles)) => roles.push(role),
            None => players.push((agent, vec![role])),
        }
    }
    players
}

fn launcher(
    examination: &Examination<'_>,
    config: &Config,
    (sandbox, path): (&Sandbox, OsString),
) -> io::Result<Launcher> {
    let view = View {
        path,
        user_home: environment::variables().get(OsStr::new("HOME")).map(PathBuf::from),
        shown: config.isolation().paths.clone(),
        secret: reach::secret_files(&examination.config_file, &config.forge),
    };
    Ok(containment::launcher(environment::this_program()?, sandbox, view))
}

/// Takes the turn in a folder that is gone afterwards.
fn take(
    examination: &Examination<'_>,
    launcher: &Launcher,
    command: &AgentCommand,
    role: Role,
) -> Result<Tried, Untried> {
    let scratch = tempfile::Builder::new().prefix("ralph-trial-").tempdir()?;
    let (folder, home) = (scratch.path().canonicalize()?, examination.context.home.path());
    let place = folder.join("work");
    std::fs::create_dir(&place)?;
    process::git(&place, &["init", "--quiet"])?;
    let trial = Trial {
        launcher,
        identity: &author(),
        folder: &folder,
        place: &place,
        hidden: vec![home.canonicalize().unwrap_or_else(|_| home.to_owned())],
        time: TIME,
    };
    Ok(trial.take(command, role.name())?)
}

/// No turn was taken.
#[derive(Debug, thiserror::Error)]
enum Untried {
    #[error("there is no scratch repository")]
    Scratch(#[from] io::Error),
    #[error("there was no turn")]
    Turn(#[from] NotTried),
}

/// The program with its version and login, as far as they are known.
fn about(agent: &AgentConfig) -> String {
    let (path, variables) =
        (environment::program_path().unwrap_or_default(), environment::variables());
    let command = agent.command();
    let name = command.first().map_or("", String::as_str);
    let version = Version::ask(name, agent.kind, &path);
    let version = version.as_ref().and_then(Version::number).map(|it| format!(" {it}"));
    let files = program(agent, &variables).logins.into_iter();
    let files = files.map(|login| login.path.display().to_string());
    let logins: Vec<String> = logins_set(agent, &variables).into_iter().chain(files).collect();
    let login = match logins.is_empty() {
        true => String::new(),
        false => format!(" (login {})", logins.join(", ")),
    };
    format!("`{name}`{}{login}", version.unwrap_or_default())
}

fn said(roles: &[Role], about: &str, ended: Result<Tried, Untried>, took: Duration) -> Check {
    let whose = match roles.len() == Role::ALL.len() {
        true => String::new(),
        false => {
            let names: Vec<_> = roles.iter().map(|role| role.name()).collect();
            format!(" for {}", names.join(", "))
        }
    };
    let seconds = took.as_secs_f64();
    match ended {
        Err(error) => {
            let mut says = format!("{about}{whose} was not tried: {error}");
            let mut cause = std::error::Error::source(&error);
            while let Some(source) = cause {
                says.push_str(&format!(": {source}"));
                cause = source.source();
            }
            Check::finding(ABOUT, says, "see that the program starts by hand")
        }
        Ok(Tried { usage, failure: None }) => {
            let tokens = usage.map_or_else(
                || "tokens not told".to_owned(),
                |it| format!("{} tokens in, {} out", it.input, it.output),
            );
            Check::ok(ABOUT, format!("{about}{whose} finished in {seconds:.1} s, {tokens}"))
        }
        Ok(Tried { failure: Some((class, why)), .. }) => {
            let (name, next) = advice(class);
            let says = format!("{about}{whose} failed after {seconds:.1} s, {name}: {why}");
            Check::finding(ABOUT, says, next)
        }
    }
}

/// The class of an end, and what a person can do about it.
const fn advice(class: EndClass) -> (&'static str, &'static str) {
    match class {
        EndClass::Crashed => ("crashed", "start the program by hand in an empty repository"),
        EndClass::PermissionRefused => {
            ("permission refused", "take arguments that forbid tools out of `args`")
        }
        EndClass::NeedsLogin => ("needs login", "log in again, or renew the key"),
        EndClass::UnknownModel => ("unknown model", "correct `model` in [agent] or [roles]"),
        EndClass::UsageLimit { .. } => ("usage limit", "wait, or use another account"),
        EndClass::RateLimit { .. } => ("rate limit", "try again in a few minutes"),
        EndClass::Overloaded => ("provider overloaded or out of reach", "try again later"),
        EndClass::ContextFull => ("context full", "choose a model with a larger context"),
        EndClass::Cancelled => ("cancelled", "try again"),
    }
}
