//! What an app asks with its own claim: who it is, where it is installed, and a token for there.

use std::collections::BTreeSet;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::http::answer::Answer;
use crate::http::apps::{App, LIFETIME_SECONDS};
use crate::http::auth::hex;
use crate::http::desk::Desk;
use crate::http::nothing::Nothing;
use crate::http::problem::Problem;
use crate::http::render::app::{AppJson, InstallationJson, TokenJson};
use crate::model::paging::Listing;

pub(in crate::http) fn show(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (scene, app) = (desk.scene(), asking(desk)?);
    let installations = desk.site.apps.installations_of(app.id).count();
    Answer::ok(&AppJson { scene: &scene, app, installations })
}

pub(in crate::http) fn installations(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (scene, app) = (desk.scene(), asking(desk)?);
    let installed: Vec<_> = desk.site.apps.installations_of(app.id).collect();
    let listing = Listing::of(&installed, desk.ask.page(), |found| *found);
    let shown = listing.items.iter().map(|found| InstallationJson::new(&scene, app, found));
    let shown: Vec<_> = shown.collect();
    Ok(Answer::ok(&shown)?.paged(&listing))
}

pub(in crate::http) fn of_repository(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (scene, app) = (desk.scene(), asking(desk)?);
    let view = desk.site.forge.repository_seen_by(&desk.ask.repo(), "");
    let owner = view.ok_or_else(Problem::not_found)?.owner;
    let installed = desk.site.apps.installation_at(app.id, &owner);
    let installed = installed.ok_or_else(Problem::not_found)?;
    Answer::ok(&InstallationJson::new(&scene, app, installed))
}

pub(in crate::http) fn create_token(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (id, now) = (desk.ask.number("installation_id")?, desk.ask.now);
    let app = asking(desk)?;
    let role = app.role;
    let installed = desk.site.apps.installation(id).filter(|installed| installed.app == app.id);
    let account = installed.ok_or_else(Problem::not_found)?.account.clone();
    let only = desk.ask.json::<TokenBody>()?.only(desk, &account)?;
    let seed = &desk.site.settings.token_seed;
    let digest = hex(&Sha256::digest(format!("{seed} {id} {now} {}", desk.site.last_request)));
    let token = format!("ghs_{}", digest.get(..36).unwrap_or_default());
    desk.issued = desk.site.apps.issue(id, &token, now, only);
    Answer::created(&TokenJson { token: &token, expires_at: now + LIFETIME_SECONDS, role })
}

/// What a token is narrowed to. Single permissions are not kept here.
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
    fn only(self, desk: &Desk<'_>, account: &str) -> Result<Option<BTreeSet<String>>, Problem> {
        let Self { repositories, repository_ids, .. } = self;
        if repositories.is_none() && repository_ids.is_none() {
            return Ok(None);
        }
        let unknown = || {
            let words = "There is at least one repository that does not exist or is not \
                         accessible to the parent installation.";
            Problem::unprocessable(words)
        };
        let forge = &desk.site.forge;
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
fn asking<'a>(desk: &'a Desk<'_>) -> Result<&'a App, Problem> {
    desk.site.apps.by_login(desk.ask.who).ok_or_else(Problem::not_found)
}
