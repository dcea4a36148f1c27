//! Requests of an app with its own claim: its identity, its installations, and a token for one of them.

use std::collections::BTreeSet;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::http::answer::Answer;
use crate::http::apps::{App, LIFETIME_SECONDS};
use crate::http::auth::hex;
use crate::http::nothing::Nothing;
use crate::http::problem::Problem;
use crate::http::render::app::{AppJson, InstallationJson, TokenJson};
use crate::http::request_context::RequestContext;
use crate::model::paging::Listing;

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (render, app) = (context.render(), asking(context)?);
    let installations = context.site.apps.installations_of(app.id).count();
    Answer::ok(&AppJson { render: &render, app, installations })
}

pub(in crate::http) fn installations(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (render, app) = (context.render(), asking(context)?);
    let installed: Vec<_> = context.site.apps.installations_of(app.id).collect();
    let listing = Listing::of(&installed, context.ask.page(), |found| *found);
    let shown = listing.items.iter().map(|found| InstallationJson::new(&render, app, found));
    let shown: Vec<_> = shown.collect();
    Ok(Answer::ok(&shown)?.paged(&listing))
}

pub(in crate::http) fn of_repository(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (render, app) = (context.render(), asking(context)?);
    let view = context.site.forge.repository_seen_by(&context.ask.repo(), "");
    let owner = view.ok_or_else(Problem::not_found)?.owner;
    let installed = context.site.apps.installation_at(app.id, &owner);
    let installed = installed.ok_or_else(Problem::not_found)?;
    Answer::ok(&InstallationJson::new(&render, app, installed))
}

pub(in crate::http) fn create_token(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (id, now) = (context.ask.number("installation_id")?, context.ask.now);
    let app = asking(context)?;
    let role = app.role;
    let installed = context.site.apps.installation(id).filter(|installed| installed.app == app.id);
    let account = installed.ok_or_else(Problem::not_found)?.account.clone();
    let only = context.ask.json::<TokenBody>()?.only(context, &account)?;
    let seed = &context.site.settings.token_seed;
    let digest = hex(&Sha256::digest(format!("{seed} {id} {now} {}", context.site.last_request)));
    let token = format!("ghs_{}", digest.get(..36).unwrap_or_default());
    context.issued = context.site.apps.issue(id, &token, now, only);
    Answer::created(&TokenJson { token: &token, expires_at: now + LIFETIME_SECONDS, role })
}

/// The limits of a new token. Single permissions are not kept here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenBody {
    repositories: Option<Vec<String>>,
    repository_ids: Option<Vec<u64>>,
    /// `PyGithub` sends an empty one.
    #[serde(default, rename = "permissions")]
    _permissions: Option<Nothing>,
}

impl TokenBody {
    fn only(
        self,
        context: &RequestContext<'_>,
        account: &str,
    ) -> Result<Option<BTreeSet<String>>, Problem> {
        let Self { repositories, repository_ids, .. } = self;
        if repositories.is_none() && repository_ids.is_none() {
            return Ok(None);
        }
        let unknown = || {
            let words = "There is at least one repository that does not exist or is not \
                         accessible to the parent installation.";
            Problem::unprocessable(words)
        };
        let forge = &context.site.forge;
        let mut only = BTreeSet::new();
        for name in repositories.unwrap_or_default() {
            let found = forge.repository_seen_by(&format!("{account}/{name}"), "");
            only.insert(found.ok_or_else(unknown)?.name);
        }
        for id in repository_ids.unwrap_or_default() {
            let mut all = forge.repository_names();
            let found = all.find_map(|name| {
                let view = forge.repository_seen_by(&name, "")?;
                (view.id == id && view.owner.eq_ignore_ascii_case(account)).then_some(view.name)
            });
            only.insert(found.ok_or_else(unknown)?);
        }
        Ok(Some(only))
    }
}

/// The app whose claim came along.
fn asking<'a>(context: &'a RequestContext<'_>) -> Result<&'a App, Problem> {
    context.site.apps.by_login(context.ask.who).ok_or_else(Problem::not_found)
}
