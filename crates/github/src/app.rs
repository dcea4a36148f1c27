//! Acting as a GitHub App: who it is, and a token for each repository, over the same transport as all else.

use crate::account::Credentials;
use crate::app_token::{AppTokens, Held, Turn};
use crate::client::{Client, request};
use crate::complaint::{Complaint, sentence};
use crate::outcome::{Meaning, Pushback, meaning};
use crate::route;
use crate::secret::{Secret, bearer};
use crate::transport::Transport;
use crate::wire::app::{App, Granted, Installation, InstallationToken};
use http::{HeaderValue, Method, Response};
use ralph_core::ids::{Login, RepoName};
use ralph_core::time::{Span, Time};
use ralph_engine::ports::{Read, Unread};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Installing an App is a person's work: so long until it is looked for again.
const NOT_INSTALLED_PAUSE: Span = Span::from_mins(10);

/// The reason why a request cannot be signed now.
#[derive(Debug)]
pub(crate) enum NoToken {
    /// The App is not installed there, or was taken away.
    NotInstalled {
        why: String,
    },
    Later {
        until: Option<Time>,
        why: String,
    },
}

impl NoToken {
    pub(crate) fn unread(self, now: Time) -> Unread {
        match self {
            Self::NotInstalled { why } => {
                Unread { until: Some(now.plus(NOT_INSTALLED_PAUSE)), why, is_refused: true }
            }
            Self::Later { until, why } => Unread { until, why, is_refused: false },
        }
    }
}

impl<T: Transport> Client<T> {
    /// The token to be shown to git for a repository.
    pub fn git_token(&mut self, repo: &RepoName) -> Read<Secret> {
        let account = Arc::clone(&self.account);
        match &account.credentials {
            Credentials::Token { secret, .. } => Ok(secret.clone()),
            Credentials::App(app) => match self.token(app, repo) {
                Ok(held) => Ok(held.secret),
                Err(none) => Err(none.unread(account.now())),
            },
        }
    }

    /// The credentials for a request about a repository.
    pub(crate) fn authorization(
        &mut self,
        about: Option<&RepoName>,
    ) -> Result<HeaderValue, NoToken> {
        let account = Arc::clone(&self.account);
        match &account.credentials {
            Credentials::Token { header, .. } => Ok(header.clone()),
            Credentials::App(app) => match about {
                Some(repo) => Ok(self.token(app, repo)?.header),
                None => self.claim(app),
            },
        }
    }

    /// The permissions of the App in a repository; `None` where it is not installed.
    pub(crate) fn granted(&mut self, app: &AppTokens, repo: &RepoName) -> Read<Option<Granted>> {
        match self.token(app, repo) {
            Ok(held) => Ok(Some(held.granted)),
            Err(NoToken::NotInstalled { .. }) => Ok(None),
            Err(none @ NoToken::Later { .. }) => Err(none.unread(self.account.now())),
        }
    }

    pub(crate) fn app_login(&mut self, app: &AppTokens) -> Read<Login> {
        match self.claimed::<App>(app, &Method::GET, "/app") {
            Ok(found) => Ok(Login::new(&format!("{}[bot]", found.slug))),
            Err(Declined::No { why }) => Err(Unread::refused(why)),
            Err(Declined::Later { until, why }) => Err(Unread { until, why, is_refused: false }),
        }
    }

    fn token(&mut self, app: &AppTokens, repo: &RepoName) -> Result<Held, NoToken> {
        let now = self.account.now();
        let (alone, old) = match app.turn(repo, now) {
            Turn::Use(held) => return Ok(held),
            Turn::Fetch { alone, old } => (alone, old),
        };
        let fetched = self.fetch_token(app, repo);
        drop(alone);
        match (fetched, old) {
            (Ok(held), _) => Ok(held),
            (Err(_early), Some(old)) => {
                app.failed_early(now);
                Ok(old)
            }
            (Err(none), None) => Err(none),
        }
    }

    fn fetch_token(&mut self, app: &AppTokens, repo: &RepoName) -> Result<Held, NoToken> {
        let not_installed = |why: &str| NoToken::NotInstalled {
            why: format!("the App is not installed for {repo}: {why}"),
        };
        let installation = match app.installation(repo) {
            Some(known) => known,
            None => {
                let path = format!("{}/installation", route::repository(repo));
                match self.claimed::<Installation>(app, &Method::GET, &path) {
                    Ok(found) => found.id,
                    Err(Declined::No { why }) => return Err(not_installed(&why)),
                    Err(Declined::Later { until, why }) => {
                        return Err(NoToken::Later { until, why });
                    }
                }
            }
        };
        app.found(repo, installation);
        let path = format!("/app/installations/{installation}/access_tokens");
        match self.claimed::<InstallationToken>(app, &Method::POST, &path) {
            Ok(found) => {
                let secret = Secret::new(&found.token);
                let unusable = |_bad| NoToken::Later {
                    until: None,
                    why: sentence(&Method::POST, &path, "gave a token that cannot be sent"),
                };
                let header = bearer(&secret).map_err(unusable)?;
                let times = (self.account.now(), found.expires_at);
                let held = Held::new((secret, header), found.permissions, times);
                app.fetched(installation, held.clone());
                Ok(held)
            }
            Err(Declined::No { why }) => {
                app.lost(repo);
                Err(not_installed(&why))
            }
            Err(Declined::Later { until, why }) => Err(NoToken::Later { until, why }),
        }
    }

    /// One request under the App's own name. It needs no room in the budget, which is an installation's.
    fn claimed<V: DeserializeOwned>(
        &mut self,
        app: &AppTokens,
        method: &Method,
        path: &str,
    ) -> Result<V, Declined> {
        let later = |what: &str| Declined::Later { until: None, why: sentence(method, path, what) };
        let claim = self.claim(app).map_err(|none| {
            let Unread { until, why, .. } = none.unread(self.account.now());
            Declined::Later { until, why }
        })?;
        let url = self.account.address.of(path);
        let request = request(method, &url, claim, (None, Vec::new()));
        let request = request.map_err(|source| later(&format!("cannot be written: {source}")))?;
        let response = self.carry(request).map_err(|none| {
            let why = sentence(method, path, &none.to_string());
            self.account.budget().went_wrong(&why);
            Declined::Later { until: None, why }
        })?;
        self.accepted(method, path, &response)?;
        serde_json::from_slice(response.body())
            .map_err(|source| later(&format!("was answered with something unexpected: {source}")))
    }

    fn accepted(
        &self,
        method: &Method,
        path: &str,
        response: &Response<Vec<u8>>,
    ) -> Result<(), Declined> {
        let now = self.account.now();
        let sentence = |complaint: &Complaint| complaint.sentence(method, path);
        match meaning(now, response) {
            Meaning::Happened | Meaning::Unchanged => Ok(()),
            Meaning::Refused(_, complaint) => Err(Declined::No { why: sentence(&complaint) }),
            Meaning::Later(pushback, complaint) => {
                let why = match pushback {
                    Pushback::Limit(_) => sentence(&complaint),
                    Pushback::Credentials => {
                        format!("{}; the forge refuses the App's key", sentence(&complaint))
                    }
                };
                let until = Some(self.account.budget().turned_away(now, pushback, &why));
                Err(Declined::Later { until, why })
            }
            Meaning::Unknown(complaint) => {
                let why = sentence(&complaint);
                self.account.budget().went_wrong(&why);
                Err(Declined::Later { until: None, why })
            }
        }
    }

    fn claim(&self, app: &AppTokens) -> Result<HeaderValue, NoToken> {
        let failed = || NoToken::Later {
            until: None,
            why: "the App's claim cannot be signed with its key".to_owned(),
        };
        let claim = app.key.claim(self.account.of_day()).map_err(|_unsigned| failed())?;
        bearer(&claim).map_err(|_bad| failed())
    }
}

/// The failure of a request that the App made as itself.
enum Declined {
    No { why: String },
    Later { until: Option<Time>, why: String },
}
