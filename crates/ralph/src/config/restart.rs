//! The settings that a running daemon cannot take up: what it is connected to, who it is, where it listens, and what
//! keeps agents in.

use super::{Config, Effective};
use std::collections::BTreeMap;

impl Config {
    /// The settings that need a restart and differ from those at the start.
    #[must_use]
    pub fn changes_for_restart(&self, started: &Self) -> Vec<String> {
        let (here, there) = (fixed(&self.effective), fixed(&started.effective));
        let keys = here.keys().chain(there.keys().filter(|key| !here.contains_key(*key)));
        let mut changed: Vec<_> = keys
            .filter(|key| here.get(*key) != there.get(*key))
            .map(|key| (*key).to_owned())
            .collect();
        // Two secrets are shown alike, so they are compared themselves.
        let is_listed = changed.iter().any(|key| key.starts_with("forge.token"));
        if self.forge.token != started.forge.token && !is_listed {
            changed.push("forge.token".to_owned());
        }
        changed.sort();
        changed
    }
}

fn fixed(effective: &[Effective]) -> BTreeMap<&str, &str> {
    let fixed = effective.iter().filter(|setting| setting.needs_restart);
    fixed.map(|setting| (setting.key.as_str(), setting.value.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(from: &str, to: &str) -> Vec<String> {
        let config = |text| Config::parse(text).unwrap();
        config(to).changes_for_restart(&config(from))
    }

    #[test]
    fn only_what_a_running_daemon_cannot_take_up_needs_a_restart() {
        for (from, to, expected) in [
            ("", "max_workers = 2\npoll_interval = \"5s\"", &[][..]),
            ("", "[forge]\nread_lag = \"1s\"", &[]),
            ("", "[forge]\nurl = \"http://127.0.0.1:3000\"", &["forge.url"]),
            ("", "webhook_listen = \"127.0.0.1:9000\"", &["webhook_listen"]),
            ("", "[agent]\nsandbox = \"off\"\nedits_max = 9", &["agent.sandbox"]),
            ("[forge]\ntoken_env = \"A\"", "[forge]\ntoken_env = \"B\"", &["forge.token_env"]),
            ("[forge]\ntoken = \"one\"", "[forge]\ntoken = \"two\"", &["forge.token"]),
        ] {
            assert_eq!(changed(from, to), expected, "{to}");
        }
    }
}
