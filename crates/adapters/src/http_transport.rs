//! HTTP, as one blocking call: a request goes out, a response comes back, and a failure says whether the
//! request can have arrived.

use http::header::LOCATION;
use http::{Method, Request, Response, Uri};
use ralph_github::NoResponse;
use std::time::Duration;
use ureq::config::Config;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Error, Proxy, Timeout};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// From the first to the last byte of an exchange.
const WHOLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Larger than any page of a hundred issues with their whole bodies.
const BODY_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Below the time after which servers and balancers drop a silent connection.
const IDLE_CONNECTION_AGE: Duration = Duration::from_secs(10);
/// Redirects on the way to a log: the repository may have been renamed, and the log is kept elsewhere.
const LOG_REDIRECTS_MAX: u32 = 3;
/// The end of the path of a job's log.
const LOGS: &str = "/logs";

/// Settings of the transport. Nothing is taken from the environment.
#[derive(Debug, Clone, Default)]
pub struct HttpSettings {
    pub user_agent: String,
    /// `http://host:port`.
    pub proxy: Option<String>,
    /// A certificate to trust instead of the usual ones, in PEM; for a forge of one's own.
    pub certificate_pem: Option<Vec<u8>>,
}

/// Sends requests. Clones share connections.
#[derive(Debug, Clone)]
pub struct HttpTransport {
    agent: Agent,
}

/// The reason why there is no response.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// Nothing of the request left this machine: it did not happen.
    #[error("the request could not be sent: {why}")]
    NeverSent { why: String },
    /// The request may have arrived, and the change may have happened.
    #[error("there was no answer: {why}")]
    NoAnswer { why: String },
}

/// A setting that is no use.
#[derive(Debug, thiserror::Error)]
pub enum HttpSettingsError {
    #[error("{0:?} is not the address of a proxy; write http://host:port")]
    Proxy(String),
    #[error("the certificate cannot be read; it has to be in PEM: {0}")]
    Certificate(String),
}

impl ralph_github::Transport for HttpTransport {
    fn send(&mut self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, NoResponse> {
        Self::send(self, request).map_err(|error| match error {
            SendError::NeverSent { why } => NoResponse::NotSent { why },
            SendError::NoAnswer { why } => NoResponse::NoAnswer { why },
        })
    }
}

impl HttpTransport {
    pub fn new(settings: &HttpSettings) -> Result<Self, HttpSettingsError> {
        Self::with_timeouts(settings, CONNECT_TIMEOUT, WHOLE_TIMEOUT)
    }

    /// As `new`, with limits of one's own.
    pub fn with_timeouts(
        settings: &HttpSettings,
        connect: Duration,
        whole: Duration,
    ) -> Result<Self, HttpSettingsError> {
        let proxy = match &settings.proxy {
            Some(address) => Some(
                Proxy::new(address)
                    .map_err(|_invalid| HttpSettingsError::Proxy(address.clone()))?,
            ),
            None => None,
        };
        let mut tls = TlsConfig::builder();
        if let Some(pem) = &settings.certificate_pem {
            let certificate = ureq::tls::Certificate::from_pem(pem)
                .map_err(|error| HttpSettingsError::Certificate(error.to_string()))?;
            tls = tls.root_certs(RootCerts::new_with_certs(&[certificate]));
        }
        let config = Config::builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(proxy)
            .tls_config(tls.build())
            .user_agent(settings.user_agent.as_str())
            .max_idle_age(IDLE_CONNECTION_AGE)
            .timeout_connect(Some(connect))
            .timeout_resolve(Some(connect))
            .timeout_global(Some(whole))
            .build();
        Ok(Self { agent: config.new_agent() })
    }

    /// Sends a request and waits for the whole response, of any status. A redirect is returned as it is, so that
    /// the caller learns of a renamed repository or a moved issue. Only those of a log are followed.
    pub fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, SendError> {
        let is_log = request.method() == Method::GET && request.uri().path().ends_with(LOGS);
        let mut response = self.exchange(&request)?;
        let mut last = request;
        for _ in 0..LOG_REDIRECTS_MAX {
            let Some(next) = redirected(&last, &response).filter(|_| is_log) else { break };
            response = self.exchange(&next)?;
            last = next;
        }
        Ok(response)
    }

    fn exchange(&self, request: &Request<Vec<u8>>) -> Result<Response<Vec<u8>>, SendError> {
        let response = if request.body().is_empty() {
            let mut bare = Request::new(());
            copy_head(request, &mut bare);
            self.agent.run(bare)
        } else {
            self.agent.run(request.clone())
        };
        let (parts, body) = response.map_err(|error| understood(&error))?.into_parts();
        let body = body.into_with_config().limit(BODY_BYTES_MAX).read_to_vec();
        // The status is known but not what it is about, so the exchange counts as unanswered.
        let no_answer = |error: Error| SendError::NoAnswer { why: error.to_string() };
        Ok(Response::from_parts(parts, body.map_err(no_answer)?))
    }
}

fn copy_head<A, B>(from: &Request<A>, to: &mut Request<B>) {
    to.method_mut().clone_from(from.method());
    to.uri_mut().clone_from(from.uri());
    to.headers_mut().clone_from(from.headers());
}

/// The request for the place that a redirect names. On another host the address is all that is needed to read a log, so
/// nothing of the first request goes along, its credentials least of all. Never less safe than the forge itself.
fn redirected(
    request: &Request<Vec<u8>>,
    response: &Response<Vec<u8>>,
) -> Option<Request<Vec<u8>>> {
    if !response.status().is_redirection() {
        return None;
    }
    let location: Uri = response.headers().get(LOCATION)?.to_str().ok()?.parse().ok()?;
    let from = request.uri();
    let mut parts = from.clone().into_parts();
    let is_here = location.authority().is_none_or(|there| Some(there) == from.authority());
    if location.scheme().is_some_and(|scheme| Some(scheme) != from.scheme()) {
        return None;
    }
    if !is_here {
        return Request::get(location).body(Vec::new()).ok();
    }
    parts.path_and_query = location.path_and_query().cloned();
    let mut again = Request::new(Vec::new());
    copy_head(request, &mut again);
    *again.uri_mut() = Uri::from_parts(parts).ok()?;
    Some(again)
}

/// The words of the standard library for a name without an address, for which it has no error kind.
const NO_ADDRESS: &str = "failed to lookup address information";

fn is_before_sending(error: &std::io::Error) -> bool {
    use std::io::ErrorKind as Kind;
    let unreachable = [
        Kind::ConnectionRefused,
        Kind::HostUnreachable,
        Kind::NetworkUnreachable,
        Kind::AddrNotAvailable,
    ];
    unreachable.contains(&error.kind()) || error.to_string().starts_with(NO_ADDRESS)
}

/// Tells whether a request that failed can have arrived. In doubt it can.
fn understood(error: &Error) -> SendError {
    let why = error.to_string();
    let never_sent = matches!(
        error,
        Error::Http(_)
            | Error::BadUri(_)
            | Error::HostNotFound
            | Error::InvalidProxyUrl
            | Error::ConnectionFailed
            | Error::ConnectProxyFailed(_)
            | Error::Tls(_)
            | Error::TlsRequired
            | Error::RequireHttpsOnly(_)
            | Error::Timeout(Timeout::Resolve | Timeout::Connect)
    ) || matches!(error, Error::Io(error) if is_before_sending(error));
    if never_sent { SendError::NeverSent { why } } else { SendError::NoAnswer { why } }
}
