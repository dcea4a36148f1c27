//! The endpoint for Prometheus. The daemon itself answers, so that an answer means it is at work.

use super::{Wake, Waker};
use crate::metrics::CONTENT_TYPE;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE as TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Router, serve};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// Prometheus gives up after ten seconds; until then a turn of the daemon is over.
const PATIENCE: Duration = Duration::from_secs(8);

type Endpoint = Arc<Mutex<Waker>>;

/// Listens on its own thread from now on.
pub(super) fn listen(socket: std::net::TcpListener, waker: Waker) -> io::Result<()> {
    socket.set_nonblocking(true)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let endpoint: Endpoint = Arc::new(Mutex::new(waker));
    let thread = thread::Builder::new().name("metrics".to_owned());
    let thread = thread.spawn(move || {
        runtime.block_on(async {
            let router = Router::new().route("/metrics", get(answer)).with_state(endpoint);
            serve(TcpListener::from_std(socket)?, router).await
        })
    });
    thread.map(drop)
}

async fn answer(State(endpoint): State<Endpoint>) -> Response {
    let (reply, page) = oneshot::channel();
    let is_asked = {
        let waker = endpoint.lock().unwrap_or_else(PoisonError::into_inner);
        waker.send(Wake::Measure(reply)).is_ok()
    };
    if !is_asked {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    match tokio::time::timeout(PATIENCE, page).await {
        Ok(Ok(page)) => ([(TYPE, CONTENT_TYPE)], page).into_response(),
        Ok(Err(_)) | Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}
