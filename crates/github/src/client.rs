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
use http::{Method, Request, Response};
use ralph_core::time::Time;
use ralph_engine::ports::RefusalKind;
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
    pub(crate) account: Arc<Account>,
}

/// A request before it has headers.
pub(crate) struct Outgoing<'a> {
    pub(crate) method: Method,
    pub(crate) url: &'a str,
    pub(crate) purpose: Purpose,
    pub(crate) tag: Option<HeaderValue>,
    pub(crate) body: Vec<u8>,
}

/// What came of one request.
pub(crate) enum Exchanged {
    Answered(Response<Vec<u8>>),
    Unchanged,
    Refused { kind: RefusalKind, complaint: Complaint, why: String },
    Later { until: Option<Time>, why: String },
    Unknown { why: String },
}

impl<T: Transport> Client<T> {
    pub const fn new(transport: T, account: Arc<Account>) -> Self {
        Self { transport, clocks: None, account }
    }

    /// How this machine's clock and the forge's agreed at the last answer; `None` before that, or if the
    /// forge shows no clock.
    #[must_use]
    pub const fn clocks(&self) -> Option<Clocks> {
        self.clocks
    }

    #[must_use]
    pub const fn account(&self) -> &Arc<Account> {
        &self.account
    }

    pub(crate) fn exchange(&mut self, outgoing: Outgoing<'_>) -> Exchanged {
        let account = Arc::clone(&self.account);
        let admitted = account.budget().admit(account.now(), outgoing.purpose);
        if let Err(NotNow { until, why }) = admitted {
            return Exchanged::Later { until: Some(until), why };
        }
        let (method, path) = (outgoing.method.clone(), account.address.path_of(outgoing.url));
        let request = match request(&account, outgoing) {
            Ok(request) => request,
            Err(source) => {
                let why = sentence(&method, path, &format!("cannot be written down: {source}"));
                let complaint = Complaint::unsent();
                return Exchanged::Refused { kind: RefusalKind::Other, complaint, why };
            }
        };
        let sent = account.now();
        let response = match self.transport.send(request) {
            Ok(response) => {
                self.clocks = Clocks::of(sent, account.now(), response.headers());
                response
            }
            Err(none) => {
                let why = sentence(&method, path, &none.to_string());
                account.budget().went_wrong(&why);
                return match none {
                    NoResponse::NotSent { .. } => Exchanged::Later { until: None, why },
                    NoResponse::NoAnswer { .. } => Exchanged::Unknown { why },
                };
            }
        };
        self.judge(&method, path, response)
    }

    fn judge(&self, method: &Method, path: &str, response: Response<Vec<u8>>) -> Exchanged {
        let now = self.account.now();
        let mut budget = self.account.budget();
        budget.saw(now, response.headers());
        match meaning(now, &response) {
            Meaning::Happened => {
                budget.went_well(now);
                Exchanged::Answered(response)
            }
            Meaning::Unchanged => {
                budget.went_well(now);
                Exchanged::Unchanged
            }
            Meaning::Refused(kind, complaint) => {
                budget.went_well(now);
                let why = complaint.sentence(method, path);
                Exchanged::Refused { kind, complaint, why }
            }
            Meaning::Later(pushback, complaint) => {
                let told = complaint.sentence(method, path);
                let why = match pushback {
                    Pushback::Limit(_) => told,
                    Pushback::Credentials => format!("{told}; the forge refuses our credentials"),
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

fn request(account: &Account, outgoing: Outgoing<'_>) -> http::Result<Request<Vec<u8>>> {
    let mut builder = Request::builder()
        .method(outgoing.method)
        .uri(outgoing.url)
        .header(AUTHORIZATION, account.authorization.clone())
        .header(ACCEPT, MEDIA_TYPE)
        .header(USER_AGENT, OURSELVES)
        .header(VERSION_NAME, VERSION);
    if let Some(tag) = outgoing.tag {
        builder = builder.header(IF_NONE_MATCH, tag);
    }
    if !outgoing.body.is_empty() {
        builder = builder.header(CONTENT_TYPE, JSON);
    }
    builder.body(outgoing.body)
}
