//! One handle to the forge: a transport, and the account it shares with other handles. All requests go
//! through `exchange`, where budget, outcome and sentence come together.

use crate::account::Account;
use crate::budget::{NotNow, Purpose};
use crate::clocks::Clocks;
use crate::complaint::{Complaint, sentence};
use crate::outcome::{Meaning, Pushback, meaning};
use crate::transport::{NoResponse, Transport};
use http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, IF_NONE_MATCH, USER_AGENT,
};
use http::{Method, Request, Response, StatusCode};
use ralph_core::ids::RepoName;
use ralph_engine::ports::{Answer, RefusalKind, Skipped, Unread};
use std::sync::Arc;

const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/vnd.github+json");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const OURSELVES: HeaderValue = HeaderValue::from_static("ralph");
const VERSION_NAME: HeaderName = HeaderName::from_static("x-github-api-version");
const VERSION: HeaderValue = HeaderValue::from_static("2022-11-28");

/// A GitHub client without sockets, clocks or pauses. Cheap to make: handles share their account.
#[derive(Debug)]
pub struct Client<T> {
    transport: T,
    clocks: Option<Clocks>,
    /// Entries that lists had to leave out, until they are asked for.
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) account: Arc<Account>,
}

/// A request before it has headers.
pub(crate) struct Outgoing<'a> {
    pub(crate) method: Method,
    pub(crate) url: &'a str,
    /// The repository it is about, whose token it needs.
    pub(crate) about: Option<&'a RepoName>,
    pub(crate) purpose: Purpose,
    pub(crate) tag: Option<HeaderValue>,
    pub(crate) body: Vec<u8>,
}

/// The result of one request.
pub(crate) type Exchanged = Answer<Reply, Declined>;

/// The forge's reply to a request that it carried out.
pub(crate) enum Reply {
    Fresh(Response<Vec<u8>>),
    /// As last read. Only a reply to a conditional request.
    Unchanged,
}

/// A request that the forge declined.
pub(crate) struct Declined {
    pub(crate) kind: RefusalKind,
    pub(crate) complaint: Complaint,
    pub(crate) why: String,
}

impl<T: Transport> Client<T> {
    pub const fn new(transport: T, account: Arc<Account>) -> Self {
        Self { transport, clocks: None, skipped: Vec::new(), account }
    }

    /// The difference of this machine's clock and the forge's at the last answer; `None` before that, or if the
    /// forge shows no clock.
    #[must_use]
    pub const fn clocks(&self) -> Option<Clocks> {
        self.clocks
    }

    #[must_use]
    pub const fn account(&self) -> &Arc<Account> {
        &self.account
    }

    pub(crate) fn exchange(&mut self, outgoing: &Outgoing<'_>) -> Exchanged {
        let account = Arc::clone(&self.account);
        let admitted = account.budget().admit(account.now(), outgoing.purpose);
        if let Err(NotNow { until, why }) = admitted {
            return Exchanged::Later { until: Some(until), why };
        }
        match self.signed_and_sent(outgoing) {
            Ok(response) => {
                let path = account.address.path_of(outgoing.url);
                self.judge(&outgoing.method, path, response)
            }
            Err(ended) => *ended,
        }
    }

    /// An installation's token may end before its time. A request that is refused for it has changed nothing, so it is
    /// asked again with a new one, once.
    fn signed_and_sent(
        &mut self,
        outgoing: &Outgoing<'_>,
    ) -> Result<Response<Vec<u8>>, Box<Exchanged>> {
        let account = Arc::clone(&self.account);
        let header = self.signature(outgoing)?;
        let response = self.sent(outgoing, header.clone())?;
        match account.credentials.app() {
            Some(app) if response.status() == StatusCode::UNAUTHORIZED => {
                app.refused(&header);
                let header = self.signature(outgoing)?;
                self.sent(outgoing, header)
            }
            Some(_) | None => Ok(response),
        }
    }

    fn signature(&mut self, outgoing: &Outgoing<'_>) -> Result<HeaderValue, Box<Exchanged>> {
        let account = Arc::clone(&self.account);
        self.authorization(outgoing.about).map_err(|none| {
            let Unread { until, why, .. } = none.unread(account.now());
            Box::new(Exchanged::Later { until, why })
        })
    }

    fn sent(
        &mut self,
        outgoing: &Outgoing<'_>,
        header: HeaderValue,
    ) -> Result<Response<Vec<u8>>, Box<Exchanged>> {
        let Outgoing { method, url, tag, body, .. } = outgoing;
        let path = self.account.address.path_of(url);
        let request = request(method, url, header, (tag.clone(), body.clone()));
        let request = request.map_err(|source| {
            let why = sentence(method, path, &format!("cannot be written down: {source}"));
            let complaint = Complaint::unsent();
            Box::new(Exchanged::Refused(Declined { kind: RefusalKind::Other, complaint, why }))
        })?;
        self.carry(request).map_err(|none| {
            let why = sentence(method, path, &none.to_string());
            self.account.budget().went_wrong(&why);
            Box::new(match none {
                NoResponse::NotSent { .. } => Exchanged::Later { until: None, why },
                NoResponse::NoAnswer { .. } => Exchanged::Unknown { why },
            })
        })
    }

    /// Carries a request, and notes how the clocks agree.
    pub(crate) fn carry(
        &mut self,
        request: Request<Vec<u8>>,
    ) -> Result<Response<Vec<u8>>, NoResponse> {
        let sent = self.account.now();
        let response = self.transport.send(request)?;
        self.clocks = Clocks::of(sent, self.account.now(), response.headers());
        Ok(response)
    }

    fn judge(&self, method: &Method, path: &str, response: Response<Vec<u8>>) -> Exchanged {
        let now = self.account.now();
        let mut budget = self.account.budget();
        budget.saw(now, response.headers());
        match meaning(now, &response) {
            Meaning::Happened => {
                budget.went_well(now);
                Exchanged::Happened(Reply::Fresh(response))
            }
            Meaning::Unchanged => {
                budget.went_well(now);
                Exchanged::Happened(Reply::Unchanged)
            }
            Meaning::Refused(kind, complaint) => {
                budget.went_well(now);
                let why = complaint.sentence(method, path);
                Exchanged::Refused(Declined { kind, complaint, why })
            }
            Meaning::Later(pushback, complaint) => {
                let sentence = complaint.sentence(method, path);
                let why = match pushback {
                    Pushback::Limit(_) => sentence,
                    Pushback::Credentials => {
                        format!("{sentence}; the forge refuses our credentials")
                    }
                };
                let until = Some(budget.turned_away(now, pushback, &why));
                Exchanged::Later { until, why }
            }
            Meaning::Unknown(complaint) => {
                let why = complaint.sentence(method, path);
                budget.went_wrong(&why);
                Exchanged::Unknown { why }
            }
        }
    }
}

pub(crate) fn request(
    method: &Method,
    url: &str,
    authorization: HeaderValue,
    (tag, body): (Option<HeaderValue>, Vec<u8>),
) -> http::Result<Request<Vec<u8>>> {
    let mut builder = Request::builder()
        .method(method)
        .uri(url)
        .header(AUTHORIZATION, authorization)
        .header(ACCEPT, MEDIA_TYPE)
        .header(USER_AGENT, OURSELVES)
        .header(VERSION_NAME, VERSION);
    if let Some(tag) = tag {
        builder = builder.header(IF_NONE_MATCH, tag);
    }
    if !body.is_empty() {
        builder = builder.header(CONTENT_TYPE, JSON);
    }
    builder.body(body)
}
