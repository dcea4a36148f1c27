//! The embedded forge with its people, and a transport straight into it. Charged requests are counted by
//! route, and events arrive as signed deliveries would.

use http::{Request, Response};
use ralph_core::ids::{IssueKey, RepoName, Sha};
use ralph_core::time::{Span, Time};
use ralph_forge::{
    CheckOutput, CheckState, Conclusion, CreateBranch, CreateCheckRun, Event, Forge, GetPull,
    NewApp, NewCheckRun, NewRepository, Operation, Permission, Protection, Refusal, RequiredChecks,
    SetProtection, Site, SiteSettings, on,
};
use ralph_github::{Account, Address, AppKey, Client, Fence, NoResponse, Secret, Transport};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

pub(crate) const BASE: &str = "http://127.0.0.1:9999";
pub(crate) const REPO: &str = "acme/widgets";
pub(crate) const OWNER: &str = "acme";
pub(crate) const BOT: &str = "ralph-bot";
/// May label, not push.
pub(crate) const TRIAGER: &str = "tim";
/// May read and comment.
pub(crate) const STRANGER: &str = "sam";
pub(crate) const BOT_BRANCH: &str = "bot/integration";
pub(crate) const CHECK: &str = "CI";
const APP_KEY: &str = include_str!("../../../forge/tests/claims/app-key.pem");
/// 2026-01-01 00:00:00Z.
pub(crate) const BEGINNING: Time = Time(1_767_225_600_000);

pub(crate) fn repo() -> RepoName {
    RepoName::parse(REPO).expect("a name")
}

pub(crate) fn key(number: u64) -> IssueKey {
    IssueKey::new(repo(), number)
}

/// Clones share one forge and one clock.
#[derive(Debug, Clone)]
pub(crate) struct World {
    inner: Rc<RefCell<Inner>>,
    now: Arc<AtomicI64>,
}

#[derive(Debug)]
struct Inner {
    site: Site,
    events: Vec<Event>,
    charged: BTreeMap<String, u32>,
    free: u32,
}

impl World {
    /// A repository with a bot branch that requires one check.
    pub(crate) fn new() -> Self {
        Self::with(&SiteSettings::default())
    }

    pub(crate) fn with(settings: &SiteSettings) -> Self {
        let mut site = Site::new(SiteSettings { base_url: BASE.to_owned(), ..settings.clone() });
        for login in [OWNER, BOT, TRIAGER, STRANGER] {
            site.forge_mut().create_user(login);
            site.add_token(login, &token_of(login));
        }
        let repository = NewRepository::named(OWNER, "widgets");
        site.forge_mut().create_repository(repository).expect("a repository");
        for (login, role) in
            [(BOT, Permission::Write), (TRIAGER, Permission::Triage), (STRANGER, Permission::Read)]
        {
            site.forge_mut().grant(REPO, login, role).expect("a role");
        }
        let inner = Inner { site, events: Vec::new(), charged: BTreeMap::new(), free: 0 };
        let now = Arc::new(AtomicI64::new(BEGINNING.0));
        let world = Self { inner: Rc::new(RefCell::new(inner)), now };
        let sha = world.model(|forge| forge.branch(REPO, "main")).expect("a default branch");
        let branch = BOT_BRANCH.to_owned();
        world.act(OWNER, CreateBranch { branch: branch.clone(), sha }).expect("a branch");
        let required = RequiredChecks { strict: false, contexts: [CHECK.to_owned()].into() };
        let protection = Protection {
            required_checks: Some(required),
            required_approvals: None,
            enforce_admins: false,
            allow_force_pushes: false,
            allow_deletions: false,
        };
        world.act(OWNER, SetProtection { branch, protection }).expect("protection");
        world.take_events();
        world
    }

    pub(crate) fn client(&self) -> Client<Self> {
        self.client_of(BOT)
    }

    pub(crate) fn client_of(&self, login: &str) -> Client<Self> {
        let now = Arc::clone(&self.now);
        let clock = Arc::new(move || Time(now.load(Ordering::Relaxed)));
        let address = Address::parse(BASE).expect("an address");
        let account = Account::new(address, &Secret::new(&token_of(login)), clock, 7);
        Client::new(self.clone(), Arc::new(account.expect("a token")))
    }

    /// The App `ralph`, installed in the repositories of these owners; its id.
    pub(crate) fn register_app(&self, owners: &[&str]) -> u64 {
        let key = AppKey::read(0, &Secret::new(APP_KEY)).expect("a key");
        let new = NewApp {
            slug: "ralph".to_owned(),
            public_key: key.public_key().to_vec(),
            role: Permission::Write,
            owners: owners.iter().map(|owner| (*owner).to_owned()).collect(),
        };
        self.inner.borrow_mut().site.add_app(&new).id
    }

    pub(crate) fn client_of_app(&self, app: u64, installation: Option<u64>) -> Client<Self> {
        let now = Arc::clone(&self.now);
        let clock = Arc::new(move || Time(now.load(Ordering::Relaxed)));
        let address = Address::parse(BASE).expect("an address");
        let key = AppKey::read(app, &Secret::new(APP_KEY)).expect("a key");
        Client::new(self.clone(), Arc::new(Account::of_app(address, (key, installation), clock, 7)))
    }

    /// The bot's client, which writes nothing outside of a fence.
    pub(crate) fn fenced_client(&self, fence: Fence) -> Client<Self> {
        let now = Arc::clone(&self.now);
        let clock = Arc::new(move || Time(now.load(Ordering::Relaxed)));
        let address = Address::parse(BASE).expect("an address");
        let account = Account::new(address, &Secret::new(&token_of(BOT)), clock, 7);
        let account = account.expect("a token").fenced(Some(fence));
        Client::new(self.clone(), Arc::new(account))
    }

    /// The faults from now on.
    pub(crate) fn fault(&self, rules: &str) {
        let request = Request::put("/_forge/faults")
            .header("authorization", format!("Bearer {}", token_of(BOT)))
            .body(rules.as_bytes().to_vec());
        let now = u64::try_from(self.now().0).expect("a time after 1970");
        let inner = &mut *self.inner.borrow_mut();
        let answered = inner.site.respond(now, &request.expect("a request"));
        assert!(answered.response.status().is_success(), "{answered:?}");
    }

    pub(crate) fn now(&self) -> Time {
        Time(self.now.load(Ordering::Relaxed))
    }

    pub(crate) fn later(&self, span: Span) {
        self.now.fetch_add(span.0, Ordering::Relaxed);
    }

    pub(crate) fn seconds(&self) -> u64 {
        u64::try_from(self.now().0 / 1_000).expect("a time after 1970")
    }

    /// Looks at the model itself, or changes it from outside its API.
    pub(crate) fn model<V>(&self, look: impl FnOnce(&mut Forge) -> V) -> V {
        look(self.inner.borrow_mut().site.forge_mut())
    }

    /// A person acts, on the model itself.
    pub(crate) fn act<O: Operation>(&self, who: &str, call: O) -> Result<O::Reply, Refusal> {
        let now = self.seconds();
        let request = on(REPO, call);
        let inner = &mut *self.inner.borrow_mut();
        let (response, mut events) = inner.site.forge_mut().handle(who, now, request);
        inner.events.append(&mut events);
        response
    }

    pub(crate) fn branch(&self, name: &str) -> Option<Sha> {
        let sha = self.model(|forge| forge.branch(REPO, name))?;
        Some(Sha::new(&sha.to_string()))
    }

    /// The forge finishes what it does on its own, such as trial merges.
    pub(crate) fn settle(&self) {
        let now = self.seconds();
        let inner = &mut *self.inner.borrow_mut();
        let mut events = inner.site.forge_mut().run_background(now);
        inner.events.append(&mut events);
    }

    /// The pull request with this number has the green check it needs.
    pub(crate) fn passes(&self, number: u64) {
        let Ok(view) = self.look(GetPull { number }) else {
            unreachable!("pull request {number} is there");
        };
        let run = NewCheckRun {
            name: CHECK.to_owned(),
            head: view.summary.head_sha,
            state: CheckState::Completed(Conclusion::Success),
            details_url: Some("https://ci.example/1".to_owned()),
            output: CheckOutput::default(),
        };
        self.act(OWNER, CreateCheckRun(run)).expect("a check");
    }

    pub(crate) fn take_events(&self) -> Vec<Event> {
        std::mem::take(&mut self.inner.borrow_mut().events)
    }

    /// Charged requests by route since the last look, and how many were free.
    pub(crate) fn take_counts(&self) -> (BTreeMap<String, u32>, u32) {
        let inner = &mut *self.inner.borrow_mut();
        (std::mem::take(&mut inner.charged), std::mem::take(&mut inner.free))
    }
}

fn token_of(login: &str) -> String {
    format!("token-of-{login}")
}

impl Transport for World {
    fn send(&mut self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, NoResponse> {
        let now = u64::try_from(self.now().0).expect("a time after 1970");
        let inner = &mut *self.inner.borrow_mut();
        let mut answered = inner.site.respond(now, &request);
        inner.events.append(&mut answered.events);
        if answered.response.status() == 304 {
            inner.free += 1;
        } else {
            *inner.charged.entry(route_of(&request)).or_default() += 1;
        }
        Ok(answered.response)
    }
}

/// Method and path, with numbers and names that differ from run to run left out.
fn route_of(request: &Request<Vec<u8>>) -> String {
    let is_id = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_digit())
            || (part.len() >= 40
                && part.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'.'))
    };
    let path = request.uri().path().trim_start_matches("/repos/acme/widgets");
    let parts =
        path.split('/').map(|part| if is_id(part) && !part.is_empty() { "_" } else { part });
    format!("{} {}", request.method(), parts.collect::<Vec<_>>().join("/"))
}
