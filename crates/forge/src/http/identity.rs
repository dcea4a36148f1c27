//! Apps as they are registered beside the API, and who credentials stand for: a person, or an app where it is
//! installed.

use serde::{Deserialize, Serialize};

use super::Site;
use super::apps::{self, NewToken};
use super::auth::{self, Caller};
use crate::model::accounts::AccountKind;
use crate::model::permission::Permission;

/// An app to be registered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewApp {
    /// Its name in addresses; what it does is done by `slug[bot]`.
    pub slug: String,
    /// The public half of its key, in PKCS#1's form (DER).
    pub public_key: Vec<u8>,
    pub role: Permission,
    /// Accounts in whose repositories it is installed. Those that are not there are made.
    pub owners: Vec<String>,
}

/// An app as it is known from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedApp {
    pub id: u64,
    pub login: String,
    /// Accounts, each with the id of the installation there.
    pub installations: Vec<(String, u64)>,
}

impl Site {
    /// Registers an app, or changes the key and the role of one that is there, and installs it in all
    /// repositories of these accounts, also in those yet to be made.
    pub fn add_app(&mut self, new: &NewApp) -> AddedApp {
        self.revision += 1;
        let NewApp { slug, public_key, role, owners } = new;
        let login = apps::bot_login(slug);
        let id = self.forge.create_account(&login, AccountKind::Bot).id;
        let before = self.apps.app(id).map(|app| app.role);
        let (slug, public_key) = (slug.clone(), public_key.clone());
        self.apps.put(apps::App { id, slug, public_key, role: *role });
        for owner in owners {
            let owner = self.forge.create_user(owner).login;
            self.apps.install(id, &owner);
        }
        let names: Vec<String> = self.forge.repository_names().collect();
        for name in names {
            let owner = name.split('/').next().unwrap_or_default();
            if self.apps.installation_at(id, owner).is_some() {
                self.change_role(&name, &login, before, *role);
            }
        }
        let installed = self.apps.installations_of(id);
        let installations = installed.map(|found| (found.account.clone(), found.id)).collect();
        AddedApp { id, login, installations }
    }

    /// Returns the caller that an `Authorization` header stands for now (unix seconds): `token X`,
    /// `Bearer X`, or `Basic` with the token as password.
    #[must_use]
    pub fn authenticate(&self, now: u64, authorization: &str) -> Option<Caller> {
        let auth::Bearer { login, installed_at, only, .. } = self.holder(now, authorization)?;
        Some(Caller { login, installed_at, only })
    }

    /// Returns the role of a caller in a repository. An installation's token is a stranger's outside its account.
    pub(crate) fn role_of(&self, caller: &Caller, repo: &str) -> Permission {
        let seen_by = |login| self.forge.repository_seen_by(repo, login);
        let Some(view) = seen_by(&caller.login) else { return Permission::None };
        match caller.installed_at.as_deref() {
            Some(home)
                if !home.eq_ignore_ascii_case(&view.owner)
                    || caller.only.as_ref().is_some_and(|only| !only.contains(&view.name)) =>
            {
                seen_by("").map_or(Permission::None, |view| view.role)
            }
            Some(_) | None => view.role,
        }
    }

    /// Lets a token that was given out before be good again.
    pub(crate) fn keep_token(&mut self, token: NewToken) {
        self.apps.keep(token);
    }

    pub(super) fn holder(&self, now: u64, authorization: &str) -> Option<auth::Bearer> {
        let held =
            |token: String| self.tokens.holder(&token).or_else(|| self.apps.holder(&token, now));
        auth::candidates(authorization).into_iter().find_map(held)
    }
}
