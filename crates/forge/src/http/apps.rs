//! Apps: their keys, where they are installed, and the tokens that they were given. Of tokens only hashes are
//! kept.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::auth::{Bearer, hash};
use crate::model::permission::Permission;
use crate::model::reach::Reach;

/// GitHub's lifetime of an installation's token, in seconds.
pub(super) const LIFETIME_SECONDS: u64 = 3600;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Apps {
    apps: BTreeMap<u64, App>,
    installations: BTreeMap<u64, Installation>,
    /// By the hash of the token.
    issued: BTreeMap<String, Issued>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct App {
    pub(super) id: u64,
    pub(super) slug: String,
    /// In PKCS#1's form.
    pub(super) public_key: Vec<u8>,
    /// Its role where it is installed.
    pub(super) role: Permission,
}

/// An app in all repositories of one account.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Installation {
    pub(super) id: u64,
    pub(super) app: u64,
    pub(super) account: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Issued {
    /// The app's own user.
    login: String,
    /// The account in which it is good.
    account: String,
    /// Unix seconds.
    ends: u64,
    /// Names of the repositories that it is good for; all of the account when none is named.
    #[serde(default)]
    only: Option<BTreeSet<String>>,
}

/// A token that was just given out, without the token itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NewToken {
    hash: String,
    login: String,
    account: String,
    ends: u64,
    #[serde(default)]
    only: Option<BTreeSet<String>>,
}

impl App {
    /// The login of what it does.
    pub(super) fn login(&self) -> String {
        bot_login(&self.slug)
    }
}

pub(super) fn bot_login(slug: &str) -> String {
    format!("{slug}[bot]")
}

impl Apps {
    pub(super) fn put(&mut self, app: App) {
        self.apps.insert(app.id, app);
    }

    /// Installs an app for an account, once; the installation's id.
    pub(super) fn install(&mut self, app: u64, account: &str) -> u64 {
        if let Some(found) = self.installation_at(app, account) {
            return found.id;
        }
        let id = self.installations.keys().next_back().map_or(1, |last| last + 1);
        let account = account.to_owned();
        self.installations.insert(id, Installation { id, app, account });
        id
    }

    pub(super) fn app(&self, id: u64) -> Option<&App> {
        self.apps.get(&id)
    }

    pub(super) fn by_login(&self, login: &str) -> Option<&App> {
        self.apps.values().find(|app| app.login().eq_ignore_ascii_case(login))
    }

    pub(super) fn installation(&self, id: u64) -> Option<&Installation> {
        self.installations.get(&id)
    }

    pub(super) fn installation_at(&self, app: u64, account: &str) -> Option<&Installation> {
        let mut found = self.installations_of(app);
        found.find(|installed| installed.account.eq_ignore_ascii_case(account))
    }

    pub(super) fn installations_of(&self, app: u64) -> impl Iterator<Item = &Installation> {
        self.installations.values().filter(move |installed| installed.app == app)
    }

    /// Returns the apps that have access to the account's repositories, with their roles.
    pub(super) fn guests_of(&self, account: &str) -> Vec<(String, Permission)> {
        let here = |app: &&App| self.installation_at(app.id, account).is_some();
        self.apps.values().filter(here).map(|app| (app.login(), app.role)).collect()
    }

    pub(super) fn issue(
        &mut self,
        installation: u64,
        token: &str,
        now: u64,
        only: Option<BTreeSet<String>>,
    ) -> Option<NewToken> {
        let Installation { app, account, .. } = self.installation(installation)?;
        let (login, account) = (self.app(*app)?.login(), account.clone());
        let (hash, ends) = (hash(token), now + LIFETIME_SECONDS);
        let new = NewToken { hash, login, account, ends, only };
        self.issued.retain(|_hash, issued| now < issued.ends);
        self.keep(new.clone());
        Some(new)
    }

    pub(super) fn keep(&mut self, new: NewToken) {
        let NewToken { hash, login, account, ends, only } = new;
        self.issued.insert(hash, Issued { login, account, ends, only });
    }

    /// Lets a token stand for an app for a while, as when a request of it is done again.
    pub(super) fn lend(&mut self, token: &str, login: &str, reach: Reach) {
        let Reach { account, only } = reach;
        self.keep(NewToken {
            hash: hash(token),
            login: login.to_owned(),
            account,
            ends: u64::MAX,
            only,
        });
    }

    pub(super) fn take_back(&mut self, token: &str) {
        self.issued.remove(&hash(token));
    }

    /// Returns the holder of a token that has not expired.
    pub(super) fn holder(&self, token: &str, now: u64) -> Option<Bearer> {
        let token_hash = hash(token);
        let issued = self.issued.get(&token_hash).filter(|issued| now < issued.ends)?;
        let installed_at = Some(issued.account.clone());
        let only = issued.only.clone();
        Some(Bearer { login: issued.login.clone(), token_hash, installed_at, only })
    }
}
