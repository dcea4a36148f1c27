//! The operator's settings in the form of the adapters: at the start, and again when the settings change.

pub(super) use crate::agents::Variables;
use crate::agents::{account_login, login_variables, program};
use crate::config::{AgentConfig, Config};
use ralph_adapters::agent::{AgentCommand, AgentSettings};
use ralph_adapters::gate_runner::GateSettings;
use ralph_adapters::watchdog::StallLimits;
use ralph_core::job::Role;
use ralph_core::time::Span;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Variables that every process of Ralph's gets.
const ALLOWED: [&str; 3] = ["PATH", "LANG", "TERM"];

/// `output_mb_max` is written in these.
const MEGABYTE: u64 = 1_000_000;

pub(crate) fn agents(config: &Config, variables: &Variables) -> AgentSettings {
    let agent = |agent: &AgentConfig| AgentCommand {
        command: agent.command(),
        stall: StallLimits {
            idle: duration(agent.idle_timeout),
            repeats: duration(agent.repeat_timeout),
            edits: agent.edits_max,
            output_bytes: u64::from(agent.output_mb_max).saturating_mul(MEGABYTE),
        },
        environment: allowed(variables, &[agent.pass_env.clone(), login_variables(agent)].concat()),
        network: agent.network(),
        limits: config.isolation().limits,
        program: program(agent, variables),
        prices: config.prices.clone(),
        accounts: config
            .accounts_of_kind(agent.kind)
            .map(|account| (account.name.clone(), account_login(account, variables)))
            .collect(),
    };
    let roles = Role::ALL.map(|role| (role, agent(config.agent(role.name()))));
    AgentSettings { default: agent(config.agent("")), roles: roles.into() }
}

pub(super) fn gates(config: &Config, variables: &Variables) -> GateSettings {
    let caches = config
        .repos
        .iter()
        .map(|(name, repo)| (name.clone(), repo.cache_dirs.iter().map(PathBuf::from).collect()));
    let limits = config.repos.iter().map(|(name, repo)| (name.clone(), repo.file_bytes_max()));
    let networks = config.repos.iter().map(|(name, repo)| (name.clone(), repo.network()));
    GateSettings {
        environment: allowed(variables, &[]),
        cache_dirs: caches.collect(),
        file_bytes_max: limits.collect(),
        networks: networks.collect(),
        limits: config.isolation().limits,
    }
}

fn duration(span: Span) -> Duration {
    Duration::from_millis(u64::try_from(span.as_millis()).unwrap_or_default())
}

fn allowed(variables: &Variables, also: &[String]) -> Variables {
    let names = ALLOWED.iter().copied().chain(also.iter().map(String::as_str));
    let pairs = names.filter_map(|name| variables.get_key_value(&OsString::from(name)));
    pairs.map(|(name, value)| (name.clone(), value.clone())).collect()
}
