//! The configuration: it can be read, and it is enough to work with.

use super::{Check, Examination};
use crate::config::{Config, ConfigError};
use crate::environment;

const ABOUT: &str = "configuration";

pub(super) fn checks(examination: &Examination<'_>) -> Vec<Check> {
    match &examination.config {
        Ok(config) => sound(config),
        Err(error) => vec![refused(error)],
    }
}

fn refused(error: &ConfigError) -> Check {
    let problems: Vec<_> = error.problems().iter().map(ToString::to_string).collect();
    let (says, next) = match error {
        ConfigError::Missing { .. } => {
            (error.to_string(), "run `ralph init` in a checkout of your repository")
        }
        ConfigError::Unreadable { source, .. } => {
            (format!("{error}: {source}"), "look at its rights, and that it is UTF-8")
        }
        ConfigError::TooLarge { .. } => (error.to_string(), "look at what has got into it"),
        ConfigError::Wrong { .. } => {
            (format!("{error}: {}", problems.join("; ")), "change these lines")
        }
    };
    Check::finding(ABOUT, says, next)
}

fn sound(config: &Config) -> Vec<Check> {
    let mut checks = Vec::new();
    if config.repos.is_empty() {
        let says = "no repository is configured, so there is nothing to work on";
        checks.push(Check::finding(ABOUT, says, "add a [[repos]] with a name"));
    }
    if !config.has_agent_for_all() {
        let says = "there is no agent for every role";
        checks.push(Check::finding(ABOUT, says, "set `command` in [agent]"));
    }
    for (name, repo) in &config.repos {
        if !repo.policy.knows_preflight() {
            let says =
                format!("{name} has no `preflight_command`, so none of its issues is claimed");
            checks.push(Check::finding(ABOUT, says, "set it; [] skips it on purpose"));
        }
    }
    if config.webhook_listen.is_some() && !environment::is_set(&config.forge.webhook_secret_env) {
        let variable = &config.forge.webhook_secret_env;
        let says = format!("webhooks are to be received, but {variable} is not set");
        let next = format!("put the webhooks' secret into {variable}");
        checks.push(Check::finding(ABOUT, says, next));
    }
    if checks.is_empty() {
        let repos = match config.repos.len() {
            1 => "1 repository".to_owned(),
            many => format!("{many} repositories"),
        };
        checks.push(Check::ok(ABOUT, format!("sound, with {repos}")));
    }
    checks
}
