//! The forge: its address, and how Ralph proves who it is.

use super::words::{FILE, SECRET, URL, VARIABLE};
use crate::config::kind::{Count, Length, Maybe};
use crate::config::setting::{Section, Setting};
use crate::config::{AppConfig, ForgeConfig, Secret, TokenSource};
use ralph_core::fold;
use ralph_core::time::Span;
use std::path::PathBuf;

/// The table `[forge]` as it stands in the file.
#[derive(Debug)]
pub(in crate::config) struct ForgeTable {
    url: String,
    token_env: String,
    token: Option<Secret>,
    webhook_secret_env: String,
    read_lag: Span,
}

impl Default for ForgeTable {
    fn default() -> Self {
        Self {
            url: "https://api.github.com".to_owned(),
            token_env: "GITHUB_TOKEN".to_owned(),
            token: None,
            webhook_secret_env: "RALPH_WEBHOOK_SECRET".to_owned(),
            read_lag: fold::READ_LAG,
        }
    }
}

impl ForgeTable {
    pub(in crate::config) fn with(self, app: Option<AppConfig>) -> ForgeConfig {
        ForgeConfig {
            url: self.url,
            token: match (app, self.token) {
                (Some(app), _) => TokenSource::App(app),
                (None, Some(token)) => TokenSource::File(token),
                (None, None) => TokenSource::Environment(self.token_env),
            },
            webhook_secret_env: self.webhook_secret_env,
            read_lag: self.read_lag,
        }
    }
}

/// The table `[forge.app]` as it stands in the file.
#[derive(Debug, Default)]
pub(in crate::config) struct AppTable {
    pub(in crate::config) app_id: Option<u32>,
    pub(in crate::config) installation_id: Option<u32>,
    pub(in crate::config) private_key_path: Option<PathBuf>,
}

pub(in crate::config) static FORGE: Section<ForgeTable> = Section {
    heading: "[forge]",
    says: "GitHub, or an embedded forge started by `ralph forge serve`.",
    settings: &[
        &Setting::new(
            "url",
            URL,
            |forge: &mut ForgeTable| &mut forge.url,
            "The address of the forge's API.",
        )
        .at_restart(),
        &Setting::new(
            "token_env",
            VARIABLE,
            |forge: &mut ForgeTable| &mut forge.token_env,
            "The environment variable that holds the token.",
        )
        .at_restart(),
        &Setting::new(
            "token",
            Maybe(SECRET),
            |forge: &mut ForgeTable| &mut forge.token,
            "The token itself, instead of `token_env`. Only its owner should be able to \
             read the file then; `ralph run` and `ralph doctor` say so if others can.",
        )
        .at_restart(),
        &Setting::new(
            "webhook_secret_env",
            VARIABLE,
            |forge: &mut ForgeTable| &mut forge.webhook_secret_env,
            "The environment variable that holds the secret webhooks are signed with. It is \
             needed once `webhook_listen` is set.",
        )
        .at_restart(),
        &Setting::new(
            "read_lag",
            Length { min: Span(0), max: fold::READ_LAG },
            |forge: &mut ForgeTable| &mut forge.read_lag,
            "How long reads may lag behind writes. When an answer was lost, Ralph waits \
             this long before it looks whether the request was carried out; an embedded \
             forge needs no wait.",
        ),
    ],
    tables: &["app"],
    inherits: None,
};

const ID: Count = Count { min: 1, max: u32::MAX };

pub(in crate::config) static APP: Section<AppTable> = Section {
    heading: "[forge.app]",
    says: "A GitHub App to work as, instead of a token. What it does is done by its own \
             user, `<name>[bot]`.",
    settings: &[
        &Setting::new(
            "app_id",
            Maybe(ID),
            |app: &mut AppTable| &mut app.app_id,
            "The App's id, as its settings show it.",
        )
        .at_restart(),
        &Setting::new(
            "installation_id",
            Maybe(ID),
            |app: &mut AppTable| &mut app.installation_id,
            "The one installation of the App to act as. Without it each repository's own is \
             looked up.",
        )
        .at_restart(),
        &Setting::new(
            "private_key_path",
            Maybe(FILE),
            |app: &mut AppTable| &mut app.private_key_path,
            "The App's private key, as the file that GitHub hands out. Only its owner may \
             read it.",
        )
        .at_restart(),
    ],
    tables: &[],
    inherits: None,
};
