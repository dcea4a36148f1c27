//! One request from its arrival to its answer: who asks, may they still ask, which route, is it
//! known to them already.

use std::collections::BTreeSet;

use http::header::{AUTHORIZATION, HeaderName, RETRY_AFTER};
use http::{HeaderMap, Method, StatusCode};

use super::answer::Answer;
use super::ask::{Ask, accept_of};
use super::auth::{self, Bearer};
use super::limits::Allowance;
use super::media::Media;
use super::problem::Problem;
use super::request_context::RequestContext;
use super::route::{Params, Route, Verb, find};
use super::table::ROUTES;
use super::token_claims;
use super::{Answered, Caller, Delivery, NewToken, OWN_PAGES, Site, etag, headers, support};
use crate::model::event::Event;
use crate::model::permission::Permission;
use crate::model::reach::Reach;

/// GitHub Enterprise's clients put this before every path.
const ENTERPRISE_PREFIX: &str = "/api/v3";
const ENTERPRISE_GRAPHQL: &str = "/api/graphql";
/// Room for the headers of any answer, so that it is made once.
const HEADERS_USUAL: usize = 24;
/// Asked with an app's own claim, and with nothing else.
const FOR_APPS: [&str; 4] = [
    "/app",
    "/app/installations",
    "/app/installations/{installation_id}/access_tokens",
    "/repos/{owner}/{repo}/installation",
];
/// Enough that no two requests have the same id.
const REQUEST_ID_DIGITS: usize = 24;
/// Asking how much one may ask is free.
const FREE: &str = "/rate_limit";

/// The result of a request, before it is counted and charged.
struct Outcome {
    answer: Answer,
    headers: HeaderMap,
    events: Vec<Event>,
    deliveries: Vec<Delivery>,
    route: Option<&'static str>,
    issued: Option<NewToken>,
    is_charged: bool,
}

impl Outcome {
    fn of(answer: Answer) -> Self {
        Self {
            answer,
            headers: HeaderMap::with_capacity(HEADERS_USUAL),
            events: Vec::new(),
            deliveries: Vec::new(),
            route: None,
            issued: None,
            is_charged: true,
        }
    }
}

impl Site {
    pub(super) fn serve(&mut self, now_ms: u64, request: &http::Request<Vec<u8>>) -> Answered {
        let now = now_ms / 1000;
        let path = request.uri().path();
        let path = path.strip_prefix(ENTERPRISE_PREFIX).unwrap_or(path);
        let path = if path == ENTERPRISE_GRAPHQL { "/graphql" } else { path };
        if let Some(own) = path.strip_prefix(OWN_PAGES) {
            return Answered::of(self.own_pages(now, request, own));
        }
        let verb = Verb::of(request.method());
        let found = verb.and_then(|verb| find(ROUTES, verb, path));
        let template = found.as_ref().map(|(route, _params)| route.template);
        let bearer = self.bearer(now, request, template);
        let mut outcome = match &bearer {
            Err(problem) => Outcome::of(problem.into()),
            Ok(bearer) => match (self.rate_limit(bearer, now, verb, template), found) {
                (Some(limited), _) => limited,
                (None, Some(found)) => self.work(bearer, now, request, found),
                (None, None) => Outcome::of((&Problem::not_found()).into()),
            },
        };
        outcome.route = template;
        self.finish(now, request, bearer.ok().as_ref(), outcome)
    }

    fn bearer(
        &self,
        now: u64,
        request: &http::Request<Vec<u8>>,
        template: Option<&str>,
    ) -> Result<Bearer, Problem> {
        let Some(text) = request.headers().get(AUTHORIZATION) else {
            return Err(Problem::new(401, "Requires authentication"));
        };
        let text = text.to_str().unwrap_or_default();
        if template.is_some_and(|template| FOR_APPS.contains(&template)) {
            let claims = auth::candidates(text);
            let claim = claims.first().map_or("", String::as_str);
            let app = token_claims::verify(claim, now, &self.apps)?;
            let token_hash = auth::hash(claim);
            return Ok(Bearer { login: app.login(), token_hash, installed_at: None, only: None });
        }
        self.holder(now, text).ok_or_else(|| Problem::new(401, "Bad credentials"))
    }

    /// Refuses every request about a repository that the bearer may not see, as if it did not exist.
    fn need_sight(&self, bearer: &Bearer, route: &Route, params: &Params) -> Result<(), Problem> {
        let of = |name| params.iter().find(|(key, _value)| *key == name).map(|(_key, value)| value);
        let Some((owner, name)) = of("owner").zip(of("repo")) else { return Ok(()) };
        let seen = self.forge.repository_seen_by(&format!("{owner}/{name}"), &bearer.login);
        let is_seen = seen.is_some_and(|view| view.role > Permission::None);
        if is_seen || FOR_APPS.contains(&route.template) {
            return Ok(());
        }
        Err(Problem::not_found())
    }

    /// Refuses an installation's token for pages of people and for other accounts' repositories.
    fn keep_at_home(&self, bearer: &Bearer, route: &Route, params: &Params) -> Result<(), Problem> {
        let Some(home) = bearer.installed_at.as_deref() else { return Ok(()) };
        let elsewhere = || Problem::new(403, "Resource not accessible by integration");
        let of = |name| params.iter().find(|(key, _value)| *key == name).map(|(_key, value)| value);
        let Some((owner, name)) = of("owner").zip(of("repo")) else {
            let is_persons = route.template.split('/').nth(1) == Some("user");
            return if is_persons { Err(elsewhere()) } else { Ok(()) };
        };
        let is_named =
            |only: &BTreeSet<String>| only.iter().any(|one| one.eq_ignore_ascii_case(name));
        if owner.eq_ignore_ascii_case(home) && bearer.only.as_ref().is_none_or(is_named) {
            return Ok(());
        }
        let Bearer { login, installed_at, only, .. } = bearer.clone();
        let caller = Caller { login, installed_at, only };
        if self.role_of(&caller, &format!("{owner}/{name}")) == Permission::None {
            return Err(Problem::not_found());
        }
        if route.verb == Verb::Get { Ok(()) } else { Err(elsewhere()) }
    }

    /// Returns the account and repositories that the rights of a token's holder are bound to.
    fn reach_of(bearer: &Bearer) -> Option<Reach> {
        Some(Reach { account: bearer.installed_at.clone()?, only: bearer.only.clone() })
    }

    /// The primary limit, and the secondary one for requests that change something.
    fn rate_limit(
        &mut self,
        bearer: &Bearer,
        now: u64,
        verb: Option<Verb>,
        template: Option<&str>,
    ) -> Option<Outcome> {
        if template == Some(FREE) {
            return None;
        }
        let allowance = self.allowance(&bearer.login, now);
        if allowance.remaining() == 0 {
            let login = &bearer.login;
            let problem = Problem::new(403, format!("API rate limit exceeded for user {login}."));
            let mut outcome = Outcome::of((&problem).into());
            outcome.is_charged = false;
            return Some(outcome);
        }
        if verb == Some(Verb::Get) {
            return None;
        }
        let max = self.settings.changes_per_minute_max;
        let wait = self.limits.change(&bearer.login, max, now).err()?;
        let words = "You have exceeded a secondary rate limit. Please wait a few minutes before \
                     you try again.";
        let mut outcome = Outcome::of((&Problem::new(403, words)).into());
        headers::put(&mut outcome.headers, RETRY_AFTER, &wait.to_string());
        Some(outcome)
    }

    fn work(
        &mut self,
        bearer: &Bearer,
        now: u64,
        request: &http::Request<Vec<u8>>,
        (route, params): (&'static Route, Params),
    ) -> Outcome {
        let is_get = route.verb == Verb::Get;
        let accept = accept_of(request);
        let question = etag::question(&bearer.token_hash, accept, request.uri());
        if is_get && let Some(etag) = self.remembered.get(self.revision, &question) {
            let etag = etag.to_owned();
            if etag::is_known(request.headers(), &etag, None) {
                return not_modified(&etag);
            }
        }
        let kept_at_home = self
            .need_sight(bearer, route, &params)
            .and_then(|()| self.keep_at_home(bearer, route, &params));
        let media = Media::of(request.headers(), route.verb, route.template);
        let mut ask = Ask::new(&bearer.login, now, request, self.spelt_right(params));
        ask.is_installation = bearer.installed_at.is_some();
        let supported = kept_at_home.and(media).and_then(|media| {
            ask.media = media;
            support::check(route, &ask)
        });
        self.forge.set_reach(Self::reach_of(bearer));
        let mut context = RequestContext::new(self, ask);
        let answer = supported.and_then(|()| (route.handler)(&mut context));
        let answer = answer.and_then(|answer| {
            if is_get {
                support::check_read(&context.ask)?;
            }
            Ok(answer.shown_as(context.ask.media))
        });
        let RequestContext { events, deliveries, issued, .. } = context;
        self.forge.set_reach(None);
        let answer = answer.unwrap_or_else(|problem| Answer::from(&problem));
        if !is_get || answer.provisional {
            self.revision += 1;
        }
        let mut outcome = Outcome { events, deliveries, issued, ..Outcome::of(answer) };
        outcome.is_charged = route.template != FREE;
        let status = outcome.answer.status;
        if is_get && status == StatusCode::OK {
            return self.name(bearer, request, question, outcome);
        }
        if [StatusCode::OK, StatusCode::CREATED].contains(&status) {
            let etag = self.etag_of(bearer, request, &outcome.answer);
            headers::name(&mut outcome.headers, &etag);
        }
        outcome
    }

    /// Names compare in any case; links are written as the repository is.
    fn spelt_right(&self, mut params: Params) -> Params {
        let of = |name| params.iter().find(|(key, _value)| *key == name).map(|(_key, value)| value);
        let Some((owner, repo)) = of("owner").zip(of("repo")) else { return params };
        let Some(view) = self.forge.repository_seen_by(&format!("{owner}/{repo}"), "") else {
            return params;
        };
        for (key, value) in &mut params {
            match *key {
                "owner" => value.clone_from(&view.owner),
                "repo" => value.clone_from(&view.name),
                _other => {}
            }
        }
        params
    }

    /// Names the answer, and leaves its body out when the client has it.
    fn name(
        &mut self,
        bearer: &Bearer,
        request: &http::Request<Vec<u8>>,
        question: String,
        mut outcome: Outcome,
    ) -> Outcome {
        let etag = self.etag_of(bearer, request, &outcome.answer);
        let changed = outcome.answer.last_modified;
        let identified = |at: &u64| self.remembered.is_identified_by_date(&question, *at, &etag);
        let is_known = etag::is_known(request.headers(), &etag, changed.filter(identified));
        if let Some(changed) = changed {
            self.remembered.date(&question, changed, &etag);
        }
        if outcome.is_charged && !outcome.answer.provisional {
            self.remembered.put(self.revision, question, etag.clone());
        }
        if is_known {
            let last_modified = outcome.answer.last_modified;
            let mut known = not_modified(&etag);
            known.answer.last_modified = last_modified;
            return Outcome { events: outcome.events, ..known };
        }
        headers::name(&mut outcome.headers, &etag);
        outcome
    }

    fn etag_of(
        &self,
        bearer: &Bearer,
        request: &http::Request<Vec<u8>>,
        answer: &Answer,
    ) -> String {
        etag::etag(bearer.token_hash.as_str(), accept_of(request), &answer.body)
    }

    fn finish(
        &mut self,
        now: u64,
        request: &http::Request<Vec<u8>>,
        bearer: Option<&Bearer>,
        outcome: Outcome,
    ) -> Answered {
        let Outcome { answer, mut headers, events, mut deliveries, route, issued, is_charged } =
            outcome;
        if let Some(bearer) = bearer {
            if bearer.installed_at.is_none() {
                headers::scopes(&mut headers);
            }
            if is_charged {
                self.limits.charge(&bearer.login, now);
            }
            headers::allow(&mut headers, self.allowance(&bearer.login, now));
        } else {
            headers::allow(&mut headers, Allowance::of_nobody(now));
        }
        if let Some(verb) = Verb::of(request.method()) {
            let login = bearer.map_or("", |bearer| bearer.login.as_str());
            self.counts.add(login, verb, route, is_charged);
        }
        self.last_request += 1;
        headers::always(&mut headers, &self.request_id());
        headers::describe(&mut headers, &self.settings.base_url, request.uri(), &answer);
        let body = if request.method() == Method::HEAD { Vec::new() } else { answer.body };
        let mut response = http::Response::new(body);
        *response.status_mut() = answer.status;
        *response.headers_mut() = headers;
        deliveries.extend(self.deliver(&events));
        Answered { response, events, route, deliveries, issued, ..Answered::default() }
    }

    /// An id for the last request. The number itself would tell how much others ask, so it is mixed
    /// with a secret.
    fn request_id(&self) -> String {
        let mixed = format!("{}\0request\0{}", self.settings.token_seed, self.last_request);
        let digits: String = auth::hash(&mixed).chars().take(REQUEST_ID_DIGITS).collect();
        format!("F0F0:{}", digits.to_uppercase())
    }

    /// Answers pages that no GitHub has: faults on order and the number of requests per route.
    fn own_pages(
        &mut self,
        now: u64,
        request: &http::Request<Vec<u8>>,
        page: &str,
    ) -> http::Response<Vec<u8>> {
        let bearer = self.bearer(now, request, None);
        let answer = match (request.method(), page) {
            _ if bearer.is_err() => Err(Problem::new(401, "Requires authentication")),
            (&Method::PUT, "faults") if self.settings.allow_faults => {
                self.faults.set(request.body()).map(|()| Answer::no_content())
            }
            (&Method::GET, "requests") => {
                let login = request.uri().query().and_then(|query| query.strip_prefix("login="));
                let asks = bearer.as_ref().map_or("", |bearer| bearer.login.as_str());
                self.requests_shown_to(asks, login)
            }
            _ => Err(Problem::not_found()),
        };
        let answer = answer.unwrap_or_else(|problem| Answer::from(&problem));
        let mut response = http::Response::new(answer.body);
        *response.status_mut() = answer.status;
        let content_type = HeaderName::from_static("content-type");
        headers::put(response.headers_mut(), content_type, answer.content_type);
        response
    }

    /// Everybody may see their own requests. How often others ask is seen by administrators of every repository, because
    /// it tells how much happens in private ones.
    fn requests_shown_to(&self, asks: &str, login: Option<&str>) -> Result<Answer, Problem> {
        let is_own = login.is_some_and(|login| login.eq_ignore_ascii_case(asks));
        let is_admin = self.forge.administers_all(asks);
        match login {
            Some(_other) if !is_own && !is_admin => {
                let why = "Only administrators of every repository may see what others have asked";
                Err(Problem::new(403, why))
            }
            Some(other) if !is_own => Answer::ok(&self.counts.rows(Some(other))),
            None if is_admin => Answer::ok(&self.counts.rows(None)),
            Some(_) | None => Answer::ok(&self.counts.rows(Some(asks))),
        }
    }
}

fn not_modified(etag: &str) -> Outcome {
    let answer = Answer::bytes(StatusCode::NOT_MODIFIED, Vec::new(), "");
    let mut outcome = Outcome { is_charged: false, ..Outcome::of(answer) };
    headers::name(&mut outcome.headers, etag);
    outcome
}
