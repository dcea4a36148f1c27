//! People and bots.

use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};

use super::{RenderContext, entries, object};
use crate::http::moment::Moment;
use crate::model::accounts::{Account, AccountKind};
use crate::model::permission::{CollaboratorPermission, FoldedPermission, Permission};

/// Someone by login, as they appear everywhere.
pub(in crate::http) struct User<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) login: &'a str,
}

impl RenderContext<'_> {
    pub(in crate::http) fn user<'a>(&'a self, login: &'a str) -> User<'a> {
        User { render: self, login }
    }
}

impl User<'_> {
    fn account(&self) -> Option<&Account> {
        self.render.forge.account(self.login)
    }

    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let account = self.account();
        let id = account.map_or(0, |account| account.id);
        let login = account.map_or(self.login, |account| account.login.as_str());
        let base = self.render.base;
        // An app's user is called `name[bot]`, and brackets may not stand in an address.
        let part = login.replace('[', "%5B").replace(']', "%5D");
        let kind = account.map_or(AccountKind::User, |account| account.kind);
        let kind = match kind {
            AccountKind::User => "User",
            AccountKind::Bot => "Bot",
            AccountKind::Organization => "Organization",
        };
        entries!(map, {
            "login": login,
            "id": id,
            "node_id": format_args!("U_{id}"),
            "avatar_url": format_args!("{base}/avatars/u/{id}"),
            "gravatar_id": "",
            "url": format_args!("{base}/users/{part}"),
            "html_url": format_args!("{base}/{part}"),
            "followers_url": format_args!("{base}/users/{part}/followers"),
            "following_url": format_args!("{base}/users/{part}/following{{/other_user}}"),
            "gists_url": format_args!("{base}/users/{part}/gists{{/gist_id}}"),
            "starred_url": format_args!("{base}/users/{part}/starred{{/owner}}{{/repo}}"),
            "subscriptions_url": format_args!("{base}/users/{part}/subscriptions"),
            "organizations_url": format_args!("{base}/users/{part}/orgs"),
            "repos_url": format_args!("{base}/users/{part}/repos"),
            "events_url": format_args!("{base}/users/{part}/events{{/privacy}}"),
            "received_events_url": format_args!("{base}/users/{part}/received_events"),
            "type": kind,
            "user_view_type": "public",
            "site_admin": false,
        });
        Ok(())
    }
}

impl Serialize for User<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let uncached = Uncached(self);
        match self.account() {
            None => uncached.serialize(serializer),
            Some(account) => {
                let rendered =
                    self.render.cache.person(account, &uncached).map_err(S::Error::custom)?;
                rendered.serialize(serializer)
            }
        }
    }
}

/// Someone, written link by link.
struct Uncached<'a>(&'a User<'a>);

impl Serialize for Uncached<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.entries(&mut map)?;
        map.end()
    }
}

/// Someone with their profile, as `GET /user` and `GET /users/{username}` answer.
pub(in crate::http) struct Profile<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) account: &'a Account,
    pub(in crate::http) repositories: usize,
}

impl Serialize for Profile<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.render.user(&self.account.login).entries(&mut map)?;
        let nothing: Option<&str> = None;
        entries!(map, {
            "name": nothing,
            "company": nothing,
            "blog": "",
            "location": nothing,
            "email": nothing,
            "hireable": None::<bool>,
            "bio": nothing,
            "twitter_username": nothing,
            "public_repos": self.repositories,
            "public_gists": 0,
            "followers": 0,
            "following": 0,
            "created_at": Moment(0),
            "updated_at": Moment(0),
        });
        map.end()
    }
}

impl Permission {
    pub(in crate::http) fn role_name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Triage => "triage",
            Self::Write => "write",
            Self::Maintain => "maintain",
            Self::Admin => "admin",
        }
    }
}

/// The five flags that say what a role may do.
pub(in crate::http) struct Flags(pub(in crate::http) Permission);

impl Serialize for Flags {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "admin": self.0 >= Permission::Admin,
            "maintain": self.0 >= Permission::Maintain,
            "push": self.0 >= Permission::Write,
            "triage": self.0 >= Permission::Triage,
            "pull": self.0 >= Permission::Read,
        })
    }
}

/// Someone with their role in a repository.
pub(in crate::http) struct Collaborator<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) login: &'a str,
    pub(in crate::http) role: Permission,
}

impl Serialize for Collaborator<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.render.user(self.login).entries(&mut map)?;
        entries!(map, { "permissions": Flags(self.role), "role_name": self.role.role_name() });
        map.end()
    }
}

/// The answer of the permission endpoint: folded first, the truth in `user.permissions`.
pub(in crate::http) struct RoleAnswer<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) role: &'a CollaboratorPermission,
}

impl Serialize for RoleAnswer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let folded = match self.role.permission {
            FoldedPermission::None => "none",
            FoldedPermission::Read => "read",
            FoldedPermission::Write => "write",
            FoldedPermission::Admin => "admin",
        };
        let (login, role) = (self.role.account.login.as_str(), self.role.role);
        object!(serializer, {
            "permission": folded,
            "role_name": role.role_name(),
            "user": Collaborator { render: self.render, login, role },
        })
    }
}
