//! What an app asks with its own claim: who it is, where it is installed, and a token for there.

use sha2::{Digest, Sha256};

use crate::http::answer::Answer;
use crate::http::apps::{App, LIFETIME_SECONDS};
use crate::http::auth::hex;
use crate::http::desk::Desk;
use crate::http::problem::Problem;
use crate::http::render::app::{AppJson, InstallationJson, TokenJson};

pub(in crate::http) fn show(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (scene, app) = (desk.scene(), asking(desk)?);
    let installations = desk.site.apps.installations_of(app.id).count();
    Answer::ok(&AppJson { scene: &scene, app, installations })
}

pub(in crate::http) fn installations(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (scene, app) = (desk.scene(), asking(desk)?);
    let installed = desk.site.apps.installations_of(app.id);
    let shown: Vec<_> = installed.map(|found| InstallationJson::new(&scene, app, found)).collect();
    Answer::ok(&shown)
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
    installed.ok_or_else(Problem::not_found)?;
    let seed = &desk.site.settings.token_seed;
    let digest = hex(&Sha256::digest(format!("{seed} {id} {now} {}", desk.site.last_request)));
    let token = format!("ghs_{}", digest.get(..36).unwrap_or_default());
    desk.issued = desk.site.apps.issue(id, &token, now);
    Answer::created(&TokenJson { token: &token, expires_at: now + LIFETIME_SECONDS, role })
}

/// The app whose claim came along.
fn asking<'a>(desk: &'a Desk<'_>) -> Result<&'a App, Problem> {
    desk.site.apps.by_login(desk.ask.who).ok_or_else(Problem::not_found)
}
