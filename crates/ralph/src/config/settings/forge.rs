//! The forge: where it is and how Ralph proves who it is.

use super::words::{FILE, SECRET, SecretWord, URL, VARIABLE};
use crate::config::kind::{Count, Length, Maybe, Word};
use crate::config::setting::{Section, Setting};
use ralph_core::fold;
use ralph_core::time::Span;
use std::path::PathBuf;

pub(in crate::config) static FORGE: Section = Section {
    heading: "[forge]",
    says: "GitHub, or an embedded forge started by `ralph forge serve`.",
    settings: &[&API_URL, &TOKEN_ENV, &TOKEN, &WEBHOOK_SECRET_ENV, &READ_LAG],
    tables: &["app"],
};

pub(in crate::config) static API_URL: Setting<Word<String>> = Setting {
    name: "url",
    kind: URL,
    default: || "https://api.github.com".to_owned(),
    says: "The address of the forge's API.",
};

pub(in crate::config) static TOKEN_ENV: Setting<Word<String>> = Setting {
    name: "token_env",
    kind: VARIABLE,
    default: || "GITHUB_TOKEN".to_owned(),
    says: "The environment variable that holds the token.",
};

pub(in crate::config) static TOKEN: Setting<Maybe<SecretWord>> = Setting {
    name: "token",
    kind: Maybe(SECRET),
    default: || None,
    says: "The token itself, instead of `token_env`. Only its owner should be able to read the file then; `ralph run` and `ralph doctor` say so if others can.",
};

pub(in crate::config) static WEBHOOK_SECRET_ENV: Setting<Word<String>> = Setting {
    name: "webhook_secret_env",
    kind: VARIABLE,
    default: || "RALPH_WEBHOOK_SECRET".to_owned(),
    says: "The environment variable that holds the secret webhooks are signed with. It is needed once \
           `webhook_listen` is set.",
};

pub(in crate::config) static READ_LAG: Setting<Length> = Setting {
    name: "read_lag",
    kind: Length { min: Span(0), max: fold::READ_LAG },
    default: || fold::READ_LAG,
    says: "How long reads may lag behind writes. When an answer was lost, Ralph waits this long before it \
           looks whether the request was carried out; an embedded forge needs no wait.",
};

pub(in crate::config) static APP: Section = Section {
    heading: "[forge.app]",
    says: "A GitHub App to work as, instead of a token. What it does is done by its own user, `<name>[bot]`.",
    settings: &[&APP_ID, &INSTALLATION_ID, &PRIVATE_KEY_PATH],
    tables: &[],
};

const ID: Count = Count { min: 1, max: u32::MAX };

pub(in crate::config) static APP_ID: Setting<Maybe<Count>> = Setting {
    name: "app_id",
    kind: Maybe(ID),
    default: || None,
    says: "The App's id, as its settings show it.",
};

pub(in crate::config) static INSTALLATION_ID: Setting<Maybe<Count>> = Setting {
    name: "installation_id",
    kind: Maybe(ID),
    default: || None,
    says: "The one installation of the App to act as. Without it each repository's own is looked up.",
};

pub(in crate::config) static PRIVATE_KEY_PATH: Setting<Maybe<Word<PathBuf>>> = Setting {
    name: "private_key_path",
    kind: Maybe(FILE),
    default: || None,
    says: "The App's private key, as the file that GitHub hands out. Only its owner may read it.",
};
