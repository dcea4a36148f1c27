//! The way to the configured forge: its address, and the token or the App's key, put together for a client.

use crate::config::{AppConfig, Config, ForgeConfig, Secret, TokenSource};
use crate::environment;
use crate::wall_clock;
use ralph_adapters::git_workspaces;
use ralph_adapters::http_transport::HttpSettings;
use ralph_github::{Account, Address, AppKey, BadAddress, BadKey, BadToken, Client, Transport};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest key that is read; an RSA key of 16,384 bits has 13 KiB.
const KEY_BYTES_MAX: u64 = 64 << 10;
/// Every right of the owner's group and of everybody else.
const OTHERS: u32 = 0o077;

/// The reason why the forge cannot be tried at all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReachError {
    #[error(transparent)]
    Address(#[from] BadAddress),
    #[error(transparent)]
    Token(#[from] BadToken),
    #[error("the App's private key {} cannot be read: {source}", path.display())]
    KeyFile { path: PathBuf, source: io::Error },
    #[error(
        "others can read the App's private key {} (mode {mode:03o}); take their rights away with \
         `chmod 600`, and make a new key if anybody has looked",
        path.display()
    )]
    OpenKey { path: PathBuf, mode: u32 },
    #[error("{} is not the App's private key: {source}", path.display())]
    Key { path: PathBuf, source: BadKey },
}

/// The proof of Ralph's identity.
#[derive(Debug, Clone)]
pub(crate) enum Credentials {
    Token(Secret),
    App { app: AppConfig, key: ralph_github::Secret },
}

impl Credentials {
    /// The secret that must never be shown.
    pub(crate) fn secret(&self) -> Secret {
        match self {
            Self::Token(token) => token.clone(),
            Self::App { key, .. } => Secret::new(key.expose()),
        }
    }
}

/// `None`: the variable that is to hold the token does not.
pub(crate) fn credentials(forge: &ForgeConfig) -> Result<Option<Credentials>, ReachError> {
    Ok(match &forge.token {
        TokenSource::Environment(name) => {
            let token = environment::text(name).filter(|token| !token.is_empty());
            token.map(|token| Credentials::Token(Secret::new(&token)))
        }
        TokenSource::File(token) => Some(Credentials::Token(token.clone())),
        TokenSource::App(app) => {
            let key = private_key(&app.private_key_path)?;
            Some(Credentials::App { app: app.clone(), key })
        }
    })
}

/// The files that a secret is read from. Nothing that Ralph starts may see them, and a new source of secrets has to
/// be named here before it compiles.
pub(crate) fn secret_files(config_file: &Path, forge: &ForgeConfig) -> Vec<PathBuf> {
    let ForgeConfig { url: _, token, webhook_secret_env: _, read_lag: _ } = forge;
    let key = match token {
        // In the environment of this process, which no contained process sees.
        TokenSource::Environment(_) | TokenSource::File(_) => None,
        TokenSource::App(AppConfig { private_key_path, app_id: _, installation_id: _ }) => {
            Some(private_key_path.clone())
        }
    };
    // Whether or not there is a token in it now, there may be one tomorrow.
    let all = std::iter::once(config_file.to_owned()).chain(key);
    // A relative path is one from where this process was started. Links are followed each time they are covered.
    all.map(|path| std::path::absolute(&path).unwrap_or(path)).collect()
}

pub(crate) fn account(config: &Config, credentials: &Credentials) -> Result<Account, ReachError> {
    let address = Address::parse(&config.forge.url)?;
    let now = wall_clock::now();
    // Two processes that start in the same moment must not try again in the same moment.
    let seed = u64::from(std::process::id()) ^ u64::try_from(now.0).unwrap_or_default();
    let clock = Arc::new(wall_clock::now);
    let account = match credentials {
        Credentials::Token(token) => {
            let token = ralph_github::Secret::new(token.reveal());
            Account::new(address, &token, clock, seed)?
        }
        Credentials::App { app: AppConfig { app_id, installation_id, private_key_path }, key } => {
            let path = private_key_path.clone();
            let key = AppKey::read(u64::from(*app_id), key);
            let key = key.map_err(|source| ReachError::Key { path, source })?;
            let account =
                Account::of_app(address, (key, installation_id.map(u64::from)), clock, seed);
            account.dated_by(Arc::new(wall_clock::of_day))
        }
    };
    Ok(account.fenced(config.sandbox.clone()))
}

/// An App's key from its file, which no other user may read.
pub(crate) fn private_key(path: &Path) -> Result<ralph_github::Secret, ReachError> {
    let unreadable = |source| ReachError::KeyFile { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.permissions().mode() & 0o777;
    if mode & OTHERS != 0 {
        return Err(ReachError::OpenKey { path: path.to_owned(), mode });
    }
    let mut text = String::new();
    file.take(KEY_BYTES_MAX).read_to_string(&mut text).map_err(unreadable)?;
    Ok(ralph_github::Secret::new(&text))
}

/// The token that git shows, which an App gets for each repository apart.
pub(crate) fn git_tokens<T>(account: &Arc<Account>, transport: T) -> git_workspaces::TokenSource
where
    T: Transport + Clone + Send + Sync + 'static,
{
    let account = Arc::clone(account);
    Arc::new(move |repo| {
        let mut client = Client::new(transport.clone(), Arc::clone(&account));
        client.git_token(repo).map(|token| Some(token.expose().to_owned()))
    })
}

pub(crate) fn http_settings() -> HttpSettings {
    let user_agent = format!("ralph/{}", env!("CARGO_PKG_VERSION"));
    HttpSettings { user_agent, ..HttpSettings::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};

    const KEY: &str = include_str!("../../forge/tests/claims/app-key.pem");

    fn reported(mode: u32, text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pem");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let config = format!(
            "[forge.app]\napp_id = 7\nprivate_key_path = {:?}\n",
            path.display().to_string()
        );
        let config = Config::parse(&config).unwrap();
        let found = credentials(&config.forge).and_then(|found| {
            account(&config, &found.unwrap()).map(|account| format!("{account:?}"))
        });
        let reported = found.unwrap_or_else(|error| error.to_string());
        reported.replace(&path.display().to_string(), "FILE")
    }

    #[test]
    fn a_key_that_others_can_read_is_refused_and_one_that_is_none_is_told() {
        assert_eq!(reported(0o600, KEY), "Account(https://api.github.com)");
        assert_eq!(reported(0o400, KEY), "Account(https://api.github.com)");
        for mode in [0o640, 0o604, 0o644] {
            let reported = reported(mode, KEY);
            assert!(
                reported.starts_with("others can read the App's private key FILE"),
                "{reported}"
            );
            assert!(
                reported.contains(&format!("mode {mode:03o}")) && reported.contains("chmod 600")
            );
        }
        let wrong = reported(0o600, "ghp_0123456789");
        assert!(wrong.starts_with("FILE is not the App's private key"), "{wrong}");
        assert!(!wrong.contains("ghp_"), "{wrong}");
    }
}
