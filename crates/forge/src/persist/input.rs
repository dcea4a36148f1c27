//! What changes a site, in a form that can be done again: the same inputs on the same snapshot give
//! the same site.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::git::sha::Sha;
use crate::http::{Caller, DeliveryOutcome, NewToken, Site};
use crate::model::checks::{
    CheckCall, CheckOutput, CheckRunUpdate, CheckState, Conclusion, NewCheckRun,
};
use crate::model::event::Event;
use crate::model::reach::Reach;
use crate::model::receive::Push;
use crate::model::refusal::Refusal;
use crate::model::reply::Reply;
use crate::model::request::Request;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Input {
    Request(LoggedRequest),
    Push {
        now: u64,
        login: String,
        /// What the rights of who pushed were bound to.
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

/// A request without its credentials.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LoggedRequest {
    now_ms: u64,
    login: String,
    /// What the rights of who asked were bound to.
    #[serde(default)]
    reach: Option<Reach>,
    method: String,
    uri: String,
    accept: Option<String>,
    /// In base64.
    body: String,
}

/// What the local check runner says about a run.
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

impl Input {
    /// Does it again. What it was answered then was told to whoever asked then.
    pub(crate) fn replay(&self, site: &mut Site) -> Result<(), BadInput> {
        match self {
            Self::Request(logged) => {
                let request = logged.restore().ok_or(BadInput)?;
                let who = (logged.login.as_str(), logged.reach.clone());
                site.replay(who, logged.now_ms, &request);
            }
            Self::Push { now, login, reach, push } => {
                site.forge_mut().set_reach(reach.clone());
                let received = site.forge_mut().receive(login, *now, push);
                site.forge_mut().set_reach(None);
                if let Ok((_received, events)) = received {
                    announce(site, &events);
                }
            }
            Self::Background { now } => {
                let events = site.forge_mut().run_background(*now);
                announce(site, &events);
            }
            Self::Check { now, repo, change } => {
                let (_refused_then_too, events) = change.apply(site, *now, repo);
                announce(site, &events);
            }
            Self::Delivered { hook, id, outcome } => site.delivered(*hook, *id, outcome.clone()),
            Self::Issued(token) => site.keep_token(token.clone()),
        }
        Ok(())
    }
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
        let mut ask = |call: CheckCall| {
            let (response, events) = site.forge_mut().handle(&owner, now, Request::on(repo, call));
            (response.map(|reply| run_id(&reply)), events)
        };
        match self {
            Self::Queue { name, head, base: for_branch } => {
                let created = ask(CheckCall::CreateRun(NewCheckRun {
                    name: name.clone(),
                    head: *head,
                    state: CheckState::Queued,
                    details_url: None,
                    output: CheckOutput::default(),
                }));
                let (Ok(id), events) = created else { return created };
                let details_url = Some(format!("{base}/{repo}/runs/{id}"));
                let update = CheckRunUpdate { details_url, ..CheckRunUpdate::default() };
                let (linked, _nothing_new) = ask(CheckCall::UpdateRun { id, update });
                site.forge_mut().bind_check_run(repo, id, for_branch.clone());
                (linked, events)
            }
            Self::Start { id } => {
                let state = Some(CheckState::InProgress);
                let started_at = Some(now);
                let update = CheckRunUpdate { state, started_at, ..CheckRunUpdate::default() };
                ask(CheckCall::UpdateRun { id: *id, update })
            }
            Self::Finish { id, conclusion, output } => {
                let state = Some(CheckState::Completed(*conclusion));
                let output = Some(output.clone());
                let update = CheckRunUpdate { state, output, ..CheckRunUpdate::default() };
                ask(CheckCall::UpdateRun { id: *id, update })
            }
        }
    }
}

fn run_id(reply: &Reply) -> u64 {
    if let Reply::CheckRun(run) = reply { run.id } else { 0 }
}
