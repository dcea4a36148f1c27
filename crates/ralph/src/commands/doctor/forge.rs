//! The forge: a token is there, and it does not travel in the open. Whether the forge takes it is asked of
//! the forge itself.

use super::{Check, Patient};
use crate::config::{Config, Effective, Origin, TokenSource};
use crate::environment;

const ABOUT: &str = "forge";

pub(super) fn checks(patient: &Patient<'_>) -> Vec<Check> {
    let Ok(config) = &patient.config else { return Vec::new() };
    vec![token(config), transport(config)]
}

fn token(config: &Config) -> Check {
    match &config.forge.token {
        TokenSource::File(_) => Check::ok(ABOUT, "the token is in the configuration"),
        TokenSource::Environment(name) if environment::is_set(name) => {
            Check::ok(ABOUT, format!("{name} holds a token"))
        }
        TokenSource::Environment(name) => {
            let next = format!("put a token into {name}, or name another variable in `token_env`");
            Check::finding(ABOUT, format!("{name} is not set, so there is no token"), next)
        }
    }
}

fn transport(config: &Config) -> Check {
    let url = &config.forge.url;
    let host = url.strip_prefix("http://").map(|rest| {
        let host = rest.split('/').next().unwrap_or_default();
        host.rsplit_once(':').map_or(host, |(host, _)| host)
    });
    match host {
        Some(host) if !is_loopback(host) => {
            let says = format!("{url} is not encrypted: everybody on the way can read the token");
            Check::finding(ABOUT, says, "use https, or a forge on this machine")
        }
        Some(_) => Check::ok(ABOUT, format!("{url} is on this machine")),
        None => Check::ok(ABOUT, format!("{url} is encrypted")),
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Every setting, with the secrets that the environment holds. Their values are not shown.
pub(super) fn with_secrets(config: &Config) -> Vec<Effective> {
    let mut settings = config.effective.clone();
    let mut held = |key: &str, variable: &str| {
        if environment::is_set(variable) {
            let origin = Origin::Environment(variable.to_owned());
            let value = "set, not shown".to_owned();
            settings.push(Effective { key: key.to_owned(), value, origin });
        }
    };
    if let TokenSource::Environment(name) = &config.forge.token {
        held("the forge's token", name);
    }
    held("the webhooks' secret", &config.forge.webhook_secret_env);
    settings
}
