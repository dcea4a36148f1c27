//! The forge: a token is there, does not travel in the open, and the forge takes it. Each repository is asked
//! about in turn.

use super::{Check, Examination, Severity, repository};
use crate::config::{Config, Effective, Origin, TokenSource};
use crate::environment;
use crate::moment::moment;
use crate::reach::{self, Credentials};
use ralph_adapters::http_transport::HttpTransport;
use ralph_core::time::{Span, Time};
use ralph_engine::ports::Unread;
use ralph_github::{Client, Clocks, Degraded, DegradedKind};
use std::sync::Arc;
use std::time::Duration;

const ABOUT: &str = "forge";
/// The longest wait for one answer: a person is waiting too.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Beyond this, times on the forge and in the store no longer tell what came first.
const SKEW_MAX: Span = Span::from_secs(60);

pub(super) fn checks(examination: &Examination<'_>) -> Vec<Check> {
    let Ok(config) = &examination.config else { return Vec::new() };
    let mut checks = vec![token(config), transport(config)];
    // A token that is there is not sent where everybody could read it.
    let is_fine = checks.iter().all(|check| check.severity != Severity::Finding);
    if let Ok(Some(credentials)) = reach::credentials(&config.forge)
        && is_fine
    {
        let asked_how = (examination.context.now, ANSWER_TIMEOUT, examination.wish.repair);
        checks.extend(asked(config, &credentials, asked_how));
    }
    checks
}

/// The forge's own answers.
fn asked(
    config: &Config,
    credentials: &Credentials,
    (now, timeout, repair): (Time, Duration, bool),
) -> Vec<Check> {
    let unusable = |why: String| {
        let next = "put that right in [forge] of the configuration, or in the token's variable";
        vec![Check::finding(ABOUT, why, next)]
    };
    let account = match reach::account(config, credentials) {
        Ok(account) => Arc::new(account),
        Err(error) => return unusable(error.to_string()),
    };
    let transport = HttpTransport::with_timeouts(&reach::http_settings(), timeout, timeout);
    let mut client = match transport {
        Ok(transport) => Client::new(transport, account),
        Err(error) => return unusable(error.to_string()),
    };
    let identity = client.identity();
    let mut checks: Vec<_> = client.clocks().map(clocks).into_iter().collect();
    let us = match identity {
        Ok(us) => us,
        Err(unread) => {
            checks.push(unanswered(config, degraded(&client, &unread), &unread, now));
            return checks;
        }
    };
    let shown = match credentials {
        Credentials::Token(_) => "the token",
        Credentials::App { .. } => "the App's key",
    };
    checks.insert(0, Check::ok(ABOUT, format!("it takes {shown} and knows us as {us}")));
    for (name, repo) in &config.repos {
        let subject =
            repository::Subject { us: &us, operator: config.operator.as_ref(), name, repo, repair };
        match subject.checks(&mut client) {
            Ok(found) => checks.extend(found),
            Err(unread) => {
                let degraded = degraded(&client, &unread);
                let goes_on = degraded.is_none();
                checks.push(unanswered(config, degraded, &unread, now));
                if !goes_on {
                    break;
                }
            }
        }
    }
    checks
}

/// The reason why no other request would be answered either; `None` when only this one failed.
fn degraded(client: &Client<HttpTransport>, unread: &Unread) -> Option<Degraded> {
    let found = client.account().snapshot().degraded;
    found.filter(|found| found.kind == DegradedKind::Unreachable || unread.until.is_some())
}

fn unanswered(config: &Config, found: Option<Degraded>, unread: &Unread, now: Time) -> Check {
    let (url, why) = (&config.forge.url, &unread.why);
    match found.map(|found| (found.kind, found.until)) {
        Some((DegradedKind::Credentials, _)) => {
            let place = match &config.forge.token {
                TokenSource::Environment(name) => format!("into {name}"),
                TokenSource::File(_) => "as `token` into [forge]".to_owned(),
                TokenSource::App(app) => {
                    let (id, path) = (app.app_id, app.private_key_path.display());
                    let next = format!(
                        "check that App {id} is the one whose key is in {path}, that the key is still listed in \
                         its settings, and the clock of this machine"
                    );
                    return Check::finding(ABOUT, format!("{url} refuses the App: {why}"), next);
                }
            };
            let next =
                format!("make a new token for the account Ralph works as, and put it {place}");
            Check::finding(ABOUT, format!("{url} refuses the token: {why}"), next)
        }
        Some((DegradedKind::Limit, until)) => {
            let when = until.map_or_else(|| "later".to_owned(), |until| moment(now, until));
            let says = format!("{url} has had enough of our requests: {why}");
            Check::finding(ABOUT, says, format!("ask again {when}"))
        }
        Some((DegradedKind::Unreachable, _)) => {
            let next = "check `url` in [forge], the network, and that the forge is up";
            Check::finding(ABOUT, format!("{url} cannot be reached or is not well: {why}"), next)
        }
        None => {
            let next =
                "check that `url` in [forge] is the address of the API, and what the token may do";
            Check::finding(
                ABOUT,
                format!("{url} does not answer what Ralph has to know: {why}"),
                next,
            )
        }
    }
}

fn clocks(found: Clocks) -> Check {
    let how = match found {
        Clocks::Ahead(off) if off > SKEW_MAX => format!("{off} ahead of"),
        Clocks::Behind(off) if off > SKEW_MAX => format!("{off} behind"),
        Clocks::Agree | Clocks::Ahead(_) | Clocks::Behind(_) => {
            return Check::ok(ABOUT, "its clock and that of this machine agree");
        }
    };
    let says = format!("the clock of this machine is {how} the forge's");
    Check::finding(ABOUT, says, "set this machine's clock, best by NTP")
}

fn token(config: &Config) -> Check {
    match &config.forge.token {
        TokenSource::File(_) => Check::ok(ABOUT, "the token is in the configuration"),
        TokenSource::App(app) => match reach::private_key(&app.private_key_path) {
            Ok(_) => {
                Check::ok(ABOUT, format!("the key of App {} is for our eyes only", app.app_id))
            }
            Err(error) => {
                let next = "put the key that the App's settings handed out there, with mode 600";
                Check::finding(ABOUT, error.to_string(), next)
            }
        },
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
            let key = key.to_owned();
            settings.push(Effective { key, value, origin, needs_restart: true });
        }
    };
    if let TokenSource::Environment(name) = &config.forge.token {
        held("the forge's token", name);
    }
    held("the webhooks' secret", &config.forge.webhook_secret_env);
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Secret;
    use std::net::TcpListener;

    #[test]
    fn a_forge_that_hangs_is_given_up_on() {
        // The system accepts connections, and no answer ever comes.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", silent.local_addr().unwrap());
        let config = Config::parse(&format!("[forge]\nurl = \"{url}\"\n")).unwrap();
        let limits = (Time(0), Duration::from_millis(50), false);
        let token = Credentials::Token(Secret::new("ghp_0123456789"));
        let checks = asked(&config, &token, limits);
        let [Check { severity: Severity::Finding, says, .. }] = checks.as_slice() else {
            panic!("{checks:?}")
        };
        assert!(
            says.starts_with(&format!(
                "{url} cannot be reached or is not well: GET /user got no answer"
            )),
            "{says}"
        );
    }

    #[test]
    fn clocks_may_differ_by_a_minute() {
        for (found, severity) in [
            (Clocks::Agree, Severity::Ok),
            (Clocks::Ahead(SKEW_MAX), Severity::Ok),
            (Clocks::Behind(SKEW_MAX.plus(Span(1))), Severity::Finding),
        ] {
            assert_eq!(clocks(found).severity, severity, "{found:?}");
        }
    }
}
