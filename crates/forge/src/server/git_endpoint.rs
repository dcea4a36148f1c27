//! Git's requests: who may read or write, then the exchange itself.

use std::sync::Arc;

use axum::body::Body;
use http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};

use super::endpoint::{Endpoint, ask_for_token, plain, stopping};
use crate::git::bare::Bare;
use crate::http::Caller;
use crate::keeper::Kept;
use crate::model::permission::Permission;
use crate::smart_http::address::{Address, Service, Step};
use crate::smart_http::receive::{self, Pusher};
use crate::smart_http::{Incoming, upload};

enum Access {
    Granted {
        caller: Caller,
        bare: Arc<Bare>,
    },
    /// Credentials are missing or wrong.
    Unknown,
    NotFound,
    SetAside(String),
    Denied {
        login: String,
    },
}

pub(super) async fn answer(
    endpoint: &Endpoint,
    address: Address,
    request: Request<Body>,
) -> Response<Body> {
    let method = match address.step {
        Step::Advertise => Method::GET,
        Step::Exchange => Method::POST,
    };
    if *request.method() != method {
        return plain(StatusCode::METHOD_NOT_ALLOWED, format!("Use {method}.\n"));
    }
    let credentials = request.headers().get(AUTHORIZATION).cloned();
    let asked = address.clone();
    let access = endpoint.keeper.ask(move |kept| access(kept, credentials.as_ref(), &asked)).await;
    match access {
        Err(_stopped) => stopping(),
        Ok(Access::Unknown) => ask_for_token(),
        Ok(Access::SetAside(why)) => {
            let words = format!("This repository was set aside: {why}\n");
            plain(StatusCode::SERVICE_UNAVAILABLE, words)
        }
        Ok(Access::NotFound) => plain(StatusCode::NOT_FOUND, "Repository not found.\n"),
        Ok(Access::Denied { login }) => {
            let words = format!("Permission to {}.git denied to {login}.\n", address.repo);
            plain(StatusCode::FORBIDDEN, words)
        }
        Ok(Access::Granted { caller, bare }) => {
            serve(endpoint, address, caller, bare, request).await
        }
    }
}

fn access(kept: &Kept, credentials: Option<&HeaderValue>, address: &Address) -> Access {
    let caller = kept.caller(credentials);
    if credentials.is_some() && caller.is_none() {
        return Access::Unknown;
    }
    let login = caller.as_ref().map(|caller| caller.login.clone());
    let nobody = Caller { login: String::new(), installed_at: None, only: None };
    let caller = caller.unwrap_or(nobody);
    let role = kept.site().role_of(&caller, &address.repo);
    let forge = kept.site().forge();
    let needed = match address.service {
        Service::Upload => Permission::Read,
        Service::Receive => Permission::Write,
    };
    match (login, forge.bare(&address.repo)) {
        (login, Some(bare))
            if role >= needed && (login.is_some() || needed == Permission::Read) =>
        {
            match forge.why_set_aside(&address.repo) {
                Some(why) => Access::SetAside(why.to_owned()),
                None => Access::Granted { caller, bare },
            }
        }
        (None, _) => Access::Unknown,
        (Some(login), Some(_)) if role > Permission::None => Access::Denied { login },
        (Some(_), _) => Access::NotFound,
    }
}

async fn serve(
    endpoint: &Endpoint,
    address: Address,
    caller: Caller,
    bare: Arc<Bare>,
    request: Request<Body>,
) -> Response<Body> {
    let protocol = request.headers().get("git-protocol").and_then(|value| value.to_str().ok());
    let protocol = protocol.map(str::to_owned);
    let body = match (address.service, address.step) {
        (Service::Upload, Step::Advertise) => {
            upload::advertise(bare.path(), protocol.as_deref()).await.map(Body::from)
        }
        (Service::Upload, Step::Exchange) => {
            let (head, body) = request.into_parts();
            let incoming = Incoming::new(&head.headers, body, endpoint.patience);
            upload::exchange(bare.path(), protocol.as_deref(), incoming)
        }
        (Service::Receive, Step::Advertise) => {
            let repo = address.repo.clone();
            let asked =
                endpoint.keeper.ask(move |kept| kept.site().forge().references(&repo)).await;
            let Ok(references) = asked else { return stopping() };
            Ok(Body::from(receive::advertise(&references)))
        }
        (Service::Receive, Step::Exchange) => {
            let (head, body) = request.into_parts();
            let incoming = Incoming::new(&head.headers, body, endpoint.patience);
            let pusher = Pusher { caller, repo: address.repo.clone(), bare };
            match receive::receive(&endpoint.keeper, pusher, incoming).await {
                Ok(report) => Ok(Body::from(report)),
                Err(bad) => return plain(StatusCode::BAD_REQUEST, format!("{bad}\n")),
            }
        }
    };
    match body {
        Ok(body) => typed(&address, body),
        Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, format!("git failed: {error}\n")),
    }
}

fn typed(address: &Address, body: Body) -> Response<Body> {
    let service = address.service.name();
    let kind = match address.step {
        Step::Advertise => format!("application/x-{service}-advertisement"),
        Step::Exchange => format!("application/x-{service}-result"),
    };
    let mut response = Response::new(body);
    if let Ok(kind) = HeaderValue::from_str(&kind) {
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
