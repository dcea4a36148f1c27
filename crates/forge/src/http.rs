//! GitHub's REST API as a pure function over the model: request in, response, events and webhook
//! deliveries out. No sockets, no clock, no chance; a server only carries the bytes.

mod answer;
mod api_client;
mod apps;
mod ask;
mod auth;
mod counts;
mod endpoints;
mod etag;
mod faults;
mod headers;
mod hooks;
mod identity;
mod limits;
mod media;
mod moment;
mod nothing;
mod paging;
mod payload;
mod problem;
mod render;
mod request_context;
mod route;
mod serve;
mod support;
mod table;
mod texts;
mod token_claims;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use api_client::{ApiClient, ApiClientError, OpenedIssue, RouteCount, Snapshot, Thread};
pub(crate) use apps::NewToken;
pub use auth::{Caller, ListedToken};
pub use counts::Count;
pub use hooks::{Delivery, DeliveryOutcome};
pub use identity::{AddedApp, NewApp};

use crate::model::Forge;
use crate::model::accounts::{Account, AccountKind};
use crate::model::adoption::Adoption;
use crate::model::event::Event;
use crate::model::permission::Permission;
use crate::model::reach::Reach;
use crate::model::refusal::Refusal;
use crate::model::request::Request;
use limits::Allowance;

/// The token of a request that is done again; accepted only while that lasts.
const REPLAYED: &str = "replayed";
const REPLAYED_HEADER: &str = "Bearer replayed";

/// The path of the pages that no GitHub has.
const OWN_PAGES: &str = "/_forge/";

/// The choices made when a forge is started.
#[derive(Clone, Debug)]
pub struct SiteSettings {
    /// The address for clients, without a slash at the end: every link begins with it.
    pub base_url: String,
    /// GitHub's primary limit, per user.
    pub requests_per_hour_max: u32,
    /// GitHub's secondary limit on requests that change something, per user; none for no limit.
    pub changes_per_minute_max: Option<u32>,
    /// Offers `PUT /_forge/faults`.
    pub allow_faults: bool,
    /// The seed of installations' tokens. It is a secret: the tokens can be derived from it.
    pub token_seed: String,
}

impl Default for SiteSettings {
    fn default() -> Self {
        Self {
            base_url: "http://127.0.0.1".to_owned(),
            requests_per_hour_max: 5000,
            changes_per_minute_max: None,
            allow_faults: false,
            token_seed: String::new(),
        }
    }
}

/// A GitHub with its HTTP layer: the model, tokens, limits, hooks and faults.
///
/// Serialised it is a snapshot of everything but git's objects, the settings, the faults and the
/// counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Site {
    #[serde(skip)]
    settings: SiteSettings,
    forge: Forge,
    tokens: auth::Tokens,
    #[serde(default)]
    apps: apps::Apps,
    /// Roles of people who collaborate on every repository, also on those yet to be made.
    everywhere: BTreeMap<String, Permission>,
    limits: limits::Limits,
    hooks: hooks::Hooks,
    /// Requests answered so far, which their ids are made of.
    last_request: u64,
    /// Counts what may have changed an answer.
    #[serde(skip)]
    revision: u64,
    #[serde(skip)]
    remembered: etag::Remembered,
    #[serde(skip)]
    cache: render::cache::RenderCache,
    #[serde(skip)]
    faults: faults::Faults,
    #[serde(skip)]
    counts: counts::Counts,
}

/// A fault on order, for a request that the server answers itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Struck {
    /// Answered with this instead of being done.
    pub(crate) status: Option<http::StatusCode>,
    pub(crate) delay: Duration,
    /// Done, but the answer is lost.
    pub(crate) drop_response: bool,
}

/// The answer to one request and what it caused.
#[derive(Clone, Debug, Default)]
pub struct Answered {
    pub response: http::Response<Vec<u8>>,
    pub events: Vec<Event>,
    /// The template of the route that answered, if there is one.
    pub route: Option<&'static str>,
    /// To be sent by the server, which reports back by `Site::delivered`.
    pub deliveries: Vec<Delivery>,
    /// The time for which the server delays its answer: a fault on order.
    pub delay: Duration,
    /// Makes the server close the connection instead of answering: a fault on order.
    pub drop_response: bool,
    /// A token that was given out, which has to last as long as it was promised to.
    pub(crate) issued: Option<NewToken>,
}

impl Answered {
    fn of(response: http::Response<Vec<u8>>) -> Self {
        Self { response, ..Self::default() }
    }
}

impl Site {
    /// A forge without users and repositories.
    #[must_use]
    pub fn new(settings: SiteSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// The same forge behind other settings, as after reading a snapshot.
    #[must_use]
    pub fn with_settings(self, settings: SiteSettings) -> Self {
        Self { settings, cache: render::cache::RenderCache::default(), ..self }
    }

    /// One request at one moment (unix milliseconds). The same state and arguments give the same
    /// answer.
    #[must_use]
    pub fn respond(&mut self, now_ms: u64, request: &http::Request<Vec<u8>>) -> Answered {
        let path = request.uri().path();
        // The forge's own pages stay reachable, or faults could not be taken back.
        let strike = if path.starts_with(OWN_PAGES) {
            None
        } else {
            self.faults.strike(request.method().as_str(), path)
        };
        let Some(strike) = strike else { return self.serve(now_ms, request) };
        let mut answered = match strike.status {
            None => self.serve(now_ms, request),
            Some(status) => {
                let problem = problem::Problem::new(status.as_u16(), "A fault on order");
                let answer = answer::Answer::from(&problem);
                let mut response = http::Response::new(answer.body);
                *response.status_mut() = status;
                Answered::of(response)
            }
        };
        for (key, value) in &strike.headers {
            if let Ok(key) = http::HeaderName::from_bytes(key.as_bytes()) {
                headers::put(answered.response.headers_mut(), key, value);
            }
        }
        answered.delay = strike.delay;
        answered.drop_response = strike.drop_response;
        answered
    }

    /// A request that was answered before, done again as this person and without faults; the status
    /// that it has now.
    pub(crate) fn replay(
        &mut self,
        (login, reach): (&str, Option<Reach>),
        now_ms: u64,
        request: &http::Request<Vec<u8>>,
    ) -> http::StatusCode {
        let mut request = request.clone();
        let credentials = http::HeaderValue::from_static(REPLAYED_HEADER);
        request.headers_mut().insert(http::header::AUTHORIZATION, credentials);
        match reach {
            Some(reach) => self.apps.lend(REPLAYED, login, reach),
            None => self.tokens.add(login, REPLAYED, ("a request done again", 0)),
        }
        // It was within the limits that held then.
        let unlimited = SiteSettings {
            requests_per_hour_max: u32::MAX,
            changes_per_minute_max: None,
            ..self.settings.clone()
        };
        let settings = std::mem::replace(&mut self.settings, unlimited);
        // The client was answered when it first asked.
        let answered = self.serve(now_ms, &request);
        self.settings = settings;
        self.tokens.remove(REPLAYED);
        self.apps.take_back(REPLAYED);
        answered.response.status()
    }

    /// Applies a fault on order to a request that does not belong to the REST API.
    pub(crate) fn strike(&mut self, method: &str, path: &str) -> Option<Struck> {
        let strike = self.faults.strike(method, path)?;
        let faults::Strike { status, delay, drop_response, .. } = strike;
        Some(Struck { status, delay, drop_response })
    }

    /// Returns the address for clients.
    pub(crate) fn base_url(&self) -> &str {
        &self.settings.base_url
    }

    #[must_use]
    pub fn forge(&self) -> &Forge {
        &self.forge
    }

    /// The model, to be changed from outside the API.
    pub fn forge_mut(&mut self) -> &mut Forge {
        self.revision += 1;
        &mut self.forge
    }

    /// Returns the model's reply to someone, without a request; for calls that change nothing.
    pub fn look<R: Request>(
        &mut self,
        who: &str,
        now: u64,
        request: R,
    ) -> Result<R::Reply, Refusal> {
        let (response, events) = self.forge.handle(who, now, request);
        if !events.is_empty() || response.as_ref().is_ok_and(|reply| !R::is_final(reply)) {
            self.revision += 1;
        }
        response
    }

    /// Makes someone, with a role in every repository that is there or will be.
    pub fn add_user(&mut self, login: &str, kind: AccountKind, role: Permission) -> Account {
        self.revision += 1;
        let account = self.forge.create_account(login, kind);
        let before = self.everywhere.insert(account.login.clone(), role);
        let names: Vec<String> = self.forge.repository_names().collect();
        for name in names {
            self.change_role(&name, &account.login, before, role);
        }
        account
    }

    /// Returns whether someone was added before.
    pub(crate) fn is_known(&self, login: &str) -> bool {
        self.everywhere.keys().any(|known| known.eq_ignore_ascii_case(login))
    }

    /// Lets a token stand for someone, unless it was revoked. Only its hash is kept.
    pub fn add_token(&mut self, login: &str, token: &str) {
        self.tokens.add(login, token, ("", 0));
    }

    /// The same for a token of which one wants to know later where it came from.
    pub(crate) fn add_listed_token(&mut self, login: &str, token: &str, origin: (&str, u64)) {
        self.tokens.add(login, token, origin);
    }

    /// Returns whether a token is good for this login.
    pub(crate) fn holds_token(&self, login: &str, token: &str) -> bool {
        let holder = self.tokens.holder(token);
        holder.is_some_and(|holder| holder.login.eq_ignore_ascii_case(login))
    }

    pub(crate) fn is_revoked(&self, token: &str) -> bool {
        self.tokens.is_revoked(token)
    }

    /// Every token of a person, by login and age.
    #[must_use]
    pub fn tokens(&self) -> Vec<ListedToken> {
        self.tokens.list()
    }

    /// Revokes a token by its id, the token itself, or all tokens of a login, for good; how many.
    pub fn revoke_tokens(&mut self, which: &str) -> usize {
        self.revision += 1;
        self.tokens.revoke(which)
    }

    /// Takes in a repository that was elsewhere before.
    pub(crate) fn adopt(&mut self, now: u64, new: Adoption<'_>) -> Result<(), Refusal> {
        self.revision += 1;
        self.forge.create_user(new.owner);
        self.forge.adopt(now, new)?;
        self.welcome_everyone_to(&format!("{}/{}", new.owner, new.name));
        Ok(())
    }

    /// Webhooks for what happened elsewhere: pushes over git, background work, the check runner.
    #[must_use = "they are sent by the server"]
    pub fn deliver(&mut self, events: &[Event]) -> Vec<Delivery> {
        let mut deliveries = Vec::new();
        for event in events {
            let repo = event.repo.to_lowercase();
            if self.hooks.of(&repo).next().is_none() {
                continue;
            }
            self.revision += 1;
            let inputs = (self.settings.base_url.as_str(), &self.cache);
            for notice in payload::notices(inputs, &mut self.forge, event) {
                for hook in self.hooks.listeners(&repo, notice.event) {
                    deliveries.extend(self.hooks.dispatch(hook, &notice));
                }
            }
        }
        deliveries
    }

    /// Records the outcome of a delivery, so that it can be looked up.
    pub fn delivered(&mut self, hook_id: u64, delivery_id: u64, outcome: DeliveryOutcome) {
        self.revision += 1;
        self.hooks.record(hook_id, delivery_id, outcome);
    }

    /// Returns the requests to a route since the start.
    #[must_use]
    pub fn count(&self, method: &str, template: &str) -> Count {
        self.counts.of(method, template)
    }

    fn welcome_everyone_to(&mut self, repo: &str) {
        let Some(view) = self.forge.repository_seen_by(repo, "") else { return };
        let guests = self.apps.guests_of(&view.owner);
        let everyone = self.everywhere.iter().map(|(login, role)| (login, *role));
        let all = everyone.chain(guests.iter().map(|(login, role)| (login, *role)));
        let all: Vec<(String, Permission)> =
            all.map(|(login, role)| (login.clone(), role)).collect();
        for (login, role) in all {
            self.change_role(repo, &login, None, role);
        }
    }

    /// Gives someone a role in a repository where they have none, or the one they had by the same
    /// rule before. A role that was taken away or chosen there stays as it is.
    fn change_role(
        &mut self,
        repo: &str,
        login: &str,
        before: Option<Permission>,
        role: Permission,
    ) {
        let granted = self.forge.granted(repo, login);
        let follows = match granted {
            Some(_) if self.forge.is_role_chosen(repo, login) => false,
            None => role > Permission::None,
            Some(granted) => before == Some(granted) && granted > Permission::None,
        };
        let owner = repo.split('/').next().unwrap_or_default();
        if follows && !owner.eq_ignore_ascii_case(login) {
            // The repository and the account are both there, so it is not refused.
            drop(self.forge.grant(repo, login, role));
        }
    }

    fn allowance(&self, login: &str, now: u64) -> Allowance {
        self.limits.allowance(login, self.settings.requests_per_hour_max, now)
    }
}

/// Every route as method and template, in the order in which they are tried.
pub fn routes() -> impl Iterator<Item = (&'static str, &'static str)> {
    table::ROUTES.iter().map(|route| (route.verb.name(), route.template))
}
