//! The site with everything that makes its changes last: each is recorded before it is answered, and the
//! bare repositories follow the model.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::mpsc;

use super::checks::DueChecks;
use crate::check_runner::CheckJob;
use crate::clock;
use crate::git::bare::upkeep;
use crate::git::fault::GitFault;
use crate::git::sha::Sha;
use crate::http::{Answered, Caller, Delivery, DeliveryOutcome, Site, SiteSettings, Struck};
use crate::model::accounts::AccountKind;
use crate::model::event::Event;
use crate::model::permission::Permission;
use crate::model::receive::{Push, Received};
use crate::model::refusal::Refusal;
use crate::persist::{
    CheckChange, Input, LoggedRequest, Redone, Store, StoreError, repository_named_by,
};

/// The settings of a site and the place where it is kept.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    pub(crate) settings: SiteSettings,
    /// The folder of the bare repositories.
    pub(crate) git: PathBuf,
}

pub(crate) struct Kept {
    pub(super) site: Site,
    pub(super) store: Store,
    opening: Opening,
    /// Each bare repository as it was written last.
    pub(super) written: BTreeMap<String, Written>,
    /// Repositories whose git is damaged, with the reason.
    pub(super) set_aside: BTreeMap<String, String>,
    /// Notices for the operator, in words.
    pub(super) notices: Vec<String>,
    outbox: mpsc::Sender<Delivery>,
    pub(super) due_checks: DueChecks,
    /// Repositories in which checks may be due.
    unplanned: BTreeSet<String>,
    /// Memory may be ahead of what is recorded.
    is_suspect: bool,
    /// Some of what is recorded could not be done again, so that the record stays until it can.
    pub(super) is_incomplete: bool,
    /// The id that was given last before the change that is being made.
    after_id: u64,
}

/// The references of a bare repository, and the branch that a clone checks out.
pub(super) type Written = (BTreeMap<String, Sha>, String);

#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the record of changes cannot be done again: {0}")]
    Replay(String),
    #[error("a repository is not as it was left: {0}")]
    Git(String),
    #[error("could not clear up what the last server left in {path:?}: {source}")]
    Recover { path: PathBuf, source: std::io::Error },
}

impl From<GitFault> for KeptError {
    fn from(fault: GitFault) -> Self {
        Self::Git(fault.to_string())
    }
}

impl Kept {
    /// Opens what was kept: the snapshot, what came after it, and the references as they should be.
    pub(crate) fn open(
        mut store: Store,
        opening: Opening,
        outbox: mpsc::Sender<Delivery>,
        jobs: mpsc::Sender<CheckJob>,
    ) -> Result<Self, KeptError> {
        upkeep::recover(&opening.git)
            .map_err(|source| KeptError::Recover { path: opening.git.clone(), source })?;
        let (site, failed) = restore(&mut store, &opening)?;
        let mut kept = Self {
            site,
            store,
            opening,
            written: BTreeMap::new(),
            set_aside: BTreeMap::new(),
            notices: Vec::new(),
            outbox,
            due_checks: DueChecks::new(jobs),
            unplanned: BTreeSet::new(),
            is_suspect: false,
            is_incomplete: false,
            after_id: 0,
        };
        kept.set_aside_failed(failed);
        kept.write_references(BTreeSet::new())?;
        kept.resume_checks();
        Ok(kept)
    }

    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    /// Applies a fault on order to one of git's requests.
    pub(crate) fn strike(&mut self, method: &str, path: &str) -> Option<Struck> {
        self.site.strike(method, path)
    }

    /// One request over HTTP.
    pub(crate) fn respond(&mut self, request: &http::Request<Vec<u8>>) -> Answered {
        if let Err(error) = self.be_sure() {
            return broken(&error);
        }
        let now_ms = clock::now_ms();
        let mut answered = self.site.respond(now_ms, request);
        let caller = self.caller(request.headers().get(http::header::AUTHORIZATION));
        let input = match answered.issued.take() {
            Some(token) => Some(Input::Issued(token)),
            None => caller
                .filter(|_caller| changes_something(request, &answered))
                .map(|caller| Input::Request(LoggedRequest::of(now_ms, &caller, request))),
        };
        let deliveries = std::mem::take(&mut answered.deliveries);
        let mut touched = repositories(&answered.events);
        touched.extend(repository_named_by(request.uri().path()));
        self.due_checks.note(&answered.events);
        if is_read(request) {
            // What git could not answer was said; there is nothing to undo.
            drop(self.site.forge().take_git_failures());
            return answered;
        }
        if let Err(error) = self.record(input, touched, deliveries) {
            return broken(&error);
        }
        answered
    }

    /// Returns the account that credentials stand for now.
    pub(crate) fn caller(&self, credentials: Option<&http::HeaderValue>) -> Option<Caller> {
        self.site.authenticate(clock::now_ms() / 1000, credentials?.to_str().ok()?)
    }

    /// A push whose objects are here already.
    pub(crate) fn push(&mut self, caller: &Caller, mut push: Push) -> Result<Received, Refusal> {
        self.be_sure().map_err(|error| refusal(&error))?;
        let now = clock::now_ms() / 1000;
        let (login, reach) = (caller.login.clone(), caller.reach());
        self.site.forge_mut().set_reach(reach.clone());
        let received = self.site.forge_mut().receive(&login, now, &push);
        self.site.forge_mut().set_reach(None);
        let (received, events) = received?;
        let touched = BTreeSet::from([push.repo.clone()]);
        // Only what was accepted is done again, so that nothing has to be judged again then.
        let mut results = received.iter();
        push.updates.retain(|_update| results.next().is_some_and(Result::is_ok));
        let input = Some(Input::Push { now, login, reach, push });
        let input = input.filter(|_input| received.iter().any(Result::is_ok));
        let deliveries = self.site.deliver(&events);
        self.record(input, touched, deliveries).map_err(|error| refusal(&error))?;
        Ok(received)
    }

    /// A word of the check runner on one run; its id.
    pub(crate) fn report_check(&mut self, repo: &str, change: CheckChange) -> Result<u64, Refusal> {
        self.be_sure().map_err(|error| refusal(&error))?;
        let now = clock::now_ms() / 1000;
        let (response, events) = change.apply(&mut self.site, now, repo);
        let id = response?;
        let deliveries = self.site.deliver(&events);
        let input = Input::Check { now, repo: repo.to_owned(), change };
        let recorded = self.record(Some(input), BTreeSet::new(), deliveries);
        recorded.map_err(|error| refusal(&error))?;
        Ok(id)
    }

    /// Records the outcome of a webhook. Losing it does no harm: showing it was never promised.
    pub(crate) fn delivered(&mut self, hook: u64, id: u64, outcome: DeliveryOutcome) {
        if self.be_sure().is_ok() {
            self.site.delivered(hook, id, outcome.clone());
            let input = Input::Delivered { hook, id, outcome };
            drop(self.record(Some(input), BTreeSet::new(), Vec::new()));
        }
    }

    /// Makes sure that someone is there with this token. Only someone new is given the role: what
    /// became of it since is none of a start's business.
    pub(crate) fn introduce(
        &mut self,
        login: &str,
        token: &str,
        role: Permission,
    ) -> Result<(), KeptError> {
        if self.site.is_known(login) && self.site.holds_token(login, token) {
            return Ok(());
        }
        let now = clock::now_ms();
        let introduced = self.change(|site| {
            if !site.is_known(login) {
                site.add_user(login, AccountKind::User, role);
            }
            site.add_listed_token(login, token, ("forge serve", now));
            Ok::<(), Infallible>(())
        })?;
        introduced.map_err(|never| match never {})
    }

    /// Adds someone with this role everywhere, or changes it, and lets a token stand for them.
    pub(crate) fn add_person(
        &mut self,
        login: &str,
        token: &str,
        role: Permission,
    ) -> Result<(), KeptError> {
        let now = clock::now_ms();
        let added = self.change(|site| {
            // However it was spelt this time.
            let login = site.add_user(login, AccountKind::User, role).login;
            site.add_listed_token(&login, token, ("forge user add", now));
            Ok::<(), Infallible>(())
        })?;
        added.map_err(|never| match never {})
    }

    /// A change that no input describes, because it holds a secret or is large: the whole site is
    /// kept at once.
    pub(crate) fn change<T, E>(
        &mut self,
        change: impl FnOnce(&mut Site) -> Result<T, E>,
    ) -> Result<Result<T, E>, KeptError> {
        self.be_sure()?;
        let made = change(&mut self.site);
        self.is_suspect = true;
        if made.is_err() {
            self.be_sure()?;
            return Ok(made);
        }
        let failed = self.site.forge().take_git_failures();
        if !failed.is_empty() {
            return Err(git_failed(&failed));
        }
        self.keep_whole()?;
        self.is_suspect = false;
        self.write_references(BTreeSet::new())?;
        self.unplanned.extend(self.site.forge().repository_names());
        Ok(made)
    }

    pub(super) fn do_background_work(&mut self) {
        if self.is_suspect || !self.site.forge().has_background_work() {
            return;
        }
        let now = clock::now_ms() / 1000;
        self.after_id = self.site.forge().last_id();
        let events = self.site.forge_mut().run_background(now);
        let deliveries = self.site.deliver(&events);
        // No caller waits for this; a change that could not be recorded is undone and found again later.
        drop(self.record(Some(Input::Background { now }), repositories(&events), deliveries));
    }

    pub(super) fn do_due_checks(&mut self) {
        for repo in std::mem::take(&mut self.unplanned) {
            self.plan_checks(&repo);
        }
    }

    /// Keeps the whole site, so that the next start has nothing to do again.
    pub(super) fn close(&mut self) {
        // The inputs are recorded, so nothing is lost if it fails.
        if !self.is_incomplete {
            drop(self.store.snapshot(&self.site));
        }
    }

    /// Records a change, then sends its deliveries and updates the bare repositories.
    fn record(
        &mut self,
        input: Option<Input>,
        touched: BTreeSet<String>,
        deliveries: Vec<Delivery>,
    ) -> Result<(), KeptError> {
        self.is_suspect = true;
        let failed = self.site.forge().take_git_failures();
        if !failed.is_empty() {
            return Err(git_failed(&failed));
        }
        if let Some(input) = input {
            self.store.append(&input, self.after_id)?;
            self.is_suspect = false;
            deliveries.into_iter().for_each(|delivery| drop(self.outbox.send(delivery)));
            self.unplanned.extend(touched.iter().cloned());
            self.write_references(touched)?;
            if self.store.is_snapshot_due() && !self.is_incomplete {
                self.store.snapshot(&self.site)?;
            }
        }
        self.is_suspect = false;
        Ok(())
    }

    /// Goes back to what is recorded, after a change that was not.
    fn be_sure(&mut self) -> Result<(), KeptError> {
        if self.is_suspect {
            let (site, failed) = restore(&mut self.store, &self.opening)?;
            self.site = site;
            for (repo, why) in &self.set_aside {
                self.site.forge_mut().set_aside(repo, why);
            }
            self.set_aside_failed(failed);
            self.is_suspect = false;
        }
        self.after_id = self.site.forge().last_id();
        Ok(())
    }
}

fn repositories(events: &[Event]) -> BTreeSet<String> {
    events.iter().map(|event| event.repo.clone()).collect()
}

/// The site as it is recorded, and the repositories in which something could not be done again.
fn restore(store: &mut Store, opening: &Opening) -> Result<(Site, BTreeSet<String>), KeptError> {
    let kept = store.load()?;
    let site = kept.site.unwrap_or_else(|| Site::new(opening.settings.clone()));
    let mut site = site.with_settings(opening.settings.clone());
    site.forge_mut().open_git(&opening.git);
    site.forge().set_replaying(true);
    let mut failed = BTreeSet::new();
    for input in &kept.inputs {
        let redone = input.replay(&mut site);
        match redone.map_err(|error| KeptError::Replay(error.to_string()))? {
            Redone::Well => {}
            Redone::Refused { repo } => {
                failed.extend(repo.and_then(|repo| site.forge().full_name_of(&repo)));
            }
        }
    }
    site.forge().set_replaying(false);
    failed.extend(site.forge().take_git_failures());
    Ok((site, failed))
}

fn git_failed(repositories: &[String]) -> KeptError {
    let names = repositories.join(", ");
    KeptError::Git(format!("git failed in the middle of a change in {names}"))
}

/// The paths of GraphQL, for clients of GitHub and of an enterprise server.
const GRAPHQL: [&str; 3] = ["/graphql", "/api/graphql", "/api/v3/graphql"];

/// Reading changes nothing that has to last, and what is refused changes nothing at all.
fn changes_something(request: &http::Request<Vec<u8>>, answered: &Answered) -> bool {
    let status = answered.response.status();
    let path = request.uri().path();
    // GraphQL is only read with.
    let changes_nothing = path.starts_with("/_forge/") || GRAPHQL.contains(&path);
    !is_read(request) && !changes_nothing && (status.is_success() || status.is_redirection())
}

fn is_read(request: &http::Request<Vec<u8>>) -> bool {
    [http::Method::GET, http::Method::HEAD].contains(request.method())
}

fn broken(error: &KeptError) -> Answered {
    let body = format!("{{\"message\":{:?}}}", format!("Server Error: {error}"));
    let mut answered = Answered::default();
    *answered.response.status_mut() = http::StatusCode::INTERNAL_SERVER_ERROR;
    *answered.response.body_mut() = body.into_bytes();
    answered
}

fn refusal(error: &KeptError) -> Refusal {
    Refusal { status: 500, message: format!("Server Error: {error}"), detail: None }
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Kept").field("opening", &self.opening).finish_non_exhaustive()
    }
}
