//! Apps, their installations and the tokens of those.

use serde::{Serialize, Serializer};

use super::{NONE, RenderContext, object};
use crate::http::apps::{App, Installation};
use crate::http::moment::Moment;
use crate::model::accounts::AccountKind;
use crate::model::permission::Permission;

pub(in crate::http) struct AppJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) app: &'a App,
    pub(in crate::http) installations: usize,
}

impl Serialize for AppJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (App { id, slug, role, .. }, base) = (self.app, self.render.base);
        object!(serializer, {
            "id": id,
            "slug": slug,
            "node_id": format_args!("A_{id}"),
            "owner": self.render.user(&self.app.login()),
            "name": slug,
            "description": None::<&str>,
            "external_url": format_args!("{base}/apps/{slug}"),
            "html_url": format_args!("{base}/apps/{slug}"),
            "created_at": Moment(0),
            "updated_at": Moment(0),
            "permissions": Granted(*role),
            "events": NONE,
            "installations_count": self.installations,
        })
    }
}

pub(in crate::http) struct InstallationJson<'a> {
    render: &'a RenderContext<'a>,
    app: &'a App,
    installed: &'a Installation,
}

impl<'a> InstallationJson<'a> {
    pub(in crate::http) fn new(
        render: &'a RenderContext<'a>,
        app: &'a App,
        installed: &'a Installation,
    ) -> Self {
        Self { render, app, installed }
    }
}

impl Serialize for InstallationJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (Installation { id, account, .. }, base) = (self.installed, self.render.base);
        let target = self.render.forge.account(account);
        let is_organization = target.is_some_and(|target| target.kind == AccountKind::Organization);
        object!(serializer, {
            "id": id,
            "account": self.render.user(account),
            "repository_selection": "all",
            "access_tokens_url": format_args!("{base}/app/installations/{id}/access_tokens"),
            "repositories_url": format_args!("{base}/installation/repositories"),
            "html_url": format_args!("{base}/settings/installations/{id}"),
            "app_id": self.app.id,
            "app_slug": self.app.slug,
            "target_id": target.map_or(0, |target| target.id),
            "target_type": if is_organization { "Organization" } else { "User" },
            "permissions": Granted(self.app.role),
            "events": NONE,
            "created_at": Moment(0),
            "updated_at": Moment(0),
            "single_file_name": None::<&str>,
            "has_multiple_single_files": false,
            "single_file_paths": NONE,
            "suspended_by": None::<&str>,
            "suspended_at": None::<&str>,
        })
    }
}

pub(in crate::http) struct TokenJson<'a> {
    pub(in crate::http) token: &'a str,
    pub(in crate::http) expires_at: u64,
    pub(in crate::http) role: Permission,
}

impl Serialize for TokenJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "token": self.token,
            "expires_at": Moment(self.expires_at),
            "permissions": Granted(self.role),
            "repository_selection": "all",
        })
    }
}

/// A role, in the words that apps are granted things with.
struct Granted(Permission);

impl Serialize for Granted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let level = |least| if self.0 >= least { "write" } else { "read" };
        let mut map = serializer.serialize_map(None)?;
        if self.0 >= Permission::Admin {
            map.serialize_entry("administration", "write")?;
        }
        map.serialize_entry("checks", level(Permission::Write))?;
        map.serialize_entry("contents", level(Permission::Write))?;
        map.serialize_entry("issues", level(Permission::Triage))?;
        map.serialize_entry("metadata", "read")?;
        map.serialize_entry("pull_requests", level(Permission::Triage))?;
        map.end()
    }
}
