//! Changes of a site, in a form that can be done again: the same inputs on the same snapshot give
//! the same site.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::git::sha::Sha;
use crate::http::{Caller, DeliveryOutcome, NewToken, Site};
use crate::model::checks::{CheckOutput, CheckRunUpdate, CheckState, Conclusion, NewCheckRun};
use crate::model::checks::{CreateCheckRun, UpdateCheckRun};
use crate::model::event::Event;
use crate::model::reach::Reach;
use crate::model::receive::Push;
use crate::model::refusal::Refusal;
use crate::model::request::on;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Input {
    Request(LoggedRequest),
    Push {
        now: u64,
        login: String,
        /// The account and repositories that the pusher's rights were bound to.
        #[serde(default)]
        reach: Option<Reach>,
        push: Push,
    },
    Background {
        now: u64,
    },
    Check {
        now: u64,
        repo: String,
        change: CheckChange,
    },
    Delivered {
        hook: u64,
        id: u64,
        outcome: DeliveryOutcome,
    },
    /// A token of an app, which no request describes.
    Issued(NewToken),
}

/// An input as it is recorded.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Recorded<I> {
    #[serde(flatten)]
    pub(crate) input: I,
    /// The id that was given last before it; older records do not have it.
    #[serde(default)]
    pub(crate) after_id: Option<u64>,
}

/// A request without its credentials.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LoggedRequest {
    now_ms: u64,
    login: String,
    /// The account and repositories that the caller's rights were bound to.
    #[serde(default)]
    reach: Option<Reach>,
    method: String,
    uri: String,
    accept: Option<String>,
    /// In base64.
    body: String,
}

/// A report of the local check runner about a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum CheckChange {
    Queue {
        name: String,
        head: Sha,
        /// The branch whose definition is run.
        #[serde(default)]
        base: Option<String>,
    },
    Start {
        id: u64,
    },
    Finish {
        id: u64,
        conclusion: Conclusion,
        output: CheckOutput,
    },
}

impl LoggedRequest {
    pub(crate) fn of(now_ms: u64, caller: &Caller, request: &http::Request<Vec<u8>>) -> Self {
        let accept = request.headers().get(http::header::ACCEPT);
        Self {
            now_ms,
            login: caller.login.clone(),
            reach: caller.reach(),
            method: request.method().to_string(),
            uri: request.uri().to_string(),
            accept: accept.and_then(|accept| accept.to_str().ok()).map(str::to_owned),
            body: STANDARD.encode(request.body()),
        }
    }

    fn restore(&self) -> Option<http::Request<Vec<u8>>> {
        let body = STANDARD.decode(&self.body).ok()?;
        let request = http::Request::builder().method(self.method.as_str()).uri(&self.uri);
        let request = match &self.accept {
            Some(accept) => request.header(http::header::ACCEPT, accept),
            None => request,
        };
        request.body(body).ok()
    }
}

/// An input of the log that cannot be done again.
#[derive(Debug, thiserror::Error)]
#[error("a recorded request is not one")]
pub(crate) struct BadInput;

/// The result of doing an input again.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Redone {
    Well,
    /// It was accepted then and is refused now: something that it needs is lost.
    Refused {
        /// `owner/name`, if it was about a repository.
        repo: Option<String>,
    },
}

impl Redone {
    fn of(went_well: bool, repo: Option<&str>) -> Self {
        if went_well { Self::Well } else { Self::Refused { repo: repo.map(str::to_owned) } }
    }
}

impl Recorded<Input> {
    /// Does it again. The answer is dropped: the caller got it the first time.
    pub(crate) fn replay(&self, site: &mut Site) -> Result<Redone, BadInput> {
        if let Some(id) = self.after_id {
            site.forge_mut().continue_after(id);
        }
        self.input.replay(site)
    }
}

impl Input {
    fn replay(&self, site: &mut Site) -> Result<Redone, BadInput> {
        Ok(match self {
            Self::Request(logged) => {
                let request = logged.restore().ok_or(BadInput)?;
                let who = (logged.login.as_str(), logged.reach.clone());
                let status = site.replay(who, logged.now_ms, &request);
                let went_well = status.is_success() || status.is_redirection();
                Redone::of(went_well, repository_named_by(request.uri().path()).as_deref())
            }
            Self::Push { now, login, reach, push } => {
                site.forge_mut().set_reach(reach.clone());
                let received = site.forge_mut().receive(login, *now, push);
                site.forge_mut().set_reach(None);
                let (received, events) = received.unwrap_or_default();
                announce(site, &events);
                // Only what was accepted is recorded.
                let went_well = !received.is_empty() && received.iter().all(Result::is_ok);
                Redone::of(went_well, Some(&push.repo))
            }
            Self::Background { now } => {
                let events = site.forge_mut().run_background(*now);
                announce(site, &events);
                Redone::Well
            }
            Self::Check { now, repo, change } => {
                let (response, events) = change.apply(site, *now, repo);
                announce(site, &events);
                Redone::of(response.is_ok(), Some(repo))
            }
            Self::Delivered { hook, id, outcome } => {
                site.delivered(*hook, *id, outcome.clone());
                Redone::Well
            }
            Self::Issued(token) => {
                site.keep_token(token.clone());
                Redone::Well
            }
        })
    }
}

/// `owner/name` in a path of the API.
pub(crate) fn repository_named_by(path: &str) -> Option<String> {
    let (_before, rest) = path.split_once("/repos/")?;
    let mut parts = rest.splitn(3, '/');
    Some(format!("{}/{}", parts.next()?, parts.next()?))
}

/// Webhooks are numbered and listed again, but were sent then.
fn announce(site: &mut Site, events: &[Event]) {
    drop(site.deliver(events));
}

impl CheckChange {
    /// Reports as the owner of the repository, who may.
    pub(crate) fn apply(
        &self,
        site: &mut Site,
        now: u64,
        repo: &str,
    ) -> (Result<u64, Refusal>, Vec<Event>) {
        let base = site.base_url().to_owned();
        let owner = repo.split('/').next().unwrap_or_default().to_owned();
        let update = |site: &mut Site, id, update| {
            let forge = site.forge_mut();
            let (run, events) = forge.handle(&owner, now, on(repo, UpdateCheckRun { id, update }));
            (run.map(|run| run.id), events)
        };
        match self {
            Self::Queue { name, head, base: for_branch } => {
                let new = CreateCheckRun(NewCheckRun {
                    name: name.clone(),
                    head: *head,
                    state: CheckState::Queued,
                    details_url: None,
                    output: CheckOutput::default(),
                });
                let (created, events) = site.forge_mut().handle(&owner, now, on(repo, new));
                let id = match created {
                    Ok(run) => run.id,
                    Err(refusal) => return (Err(refusal), events),
                };
                let details_url = Some(format!("{base}/{repo}/runs/{id}"));
                let link = CheckRunUpdate { details_url, ..CheckRunUpdate::default() };
                let (linked, _nothing_new) = update(site, id, link);
                site.forge_mut().bind_check_run(repo, id, for_branch.clone());
                (linked, events)
            }
            Self::Start { id } => {
                let state = Some(CheckState::InProgress);
                let started_at = Some(now);
                let started = CheckRunUpdate { state, started_at, ..CheckRunUpdate::default() };
                update(site, *id, started)
            }
            Self::Finish { id, conclusion, output } => {
                let state = Some(CheckState::Completed(*conclusion));
                let output = Some(output.clone());
                let finished = CheckRunUpdate { state, output, ..CheckRunUpdate::default() };
                update(site, *id, finished)
            }
        }
    }
}
