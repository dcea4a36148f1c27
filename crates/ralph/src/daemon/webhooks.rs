//! Webhooks in: each delivery is verified, understood as a hint, and answered at once. What is lost here, a
//! poll finds later.

use super::{Wake, Waker};
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Router, serve};
use ralph_github::{Secret, webhook};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use tokio::net::TcpListener;

/// The forge sends no larger delivery.
const DELIVERY_BYTES_MAX: usize = 25 * 1024 * 1024;

struct Ear {
    secret: Secret,
    waker: Mutex<Waker>,
}

/// Listens on a thread of its own from now on.
pub(super) fn listen(
    socket: std::net::TcpListener,
    secret: Secret,
    waker: Waker,
) -> io::Result<()> {
    socket.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let ear = Arc::new(Ear { secret, waker: Mutex::new(waker) });
    let thread = thread::Builder::new().name("webhooks".to_owned());
    let thread = thread.spawn(move || {
        runtime.block_on(async {
            let router = Router::new()
                .fallback(post(hear))
                .layer(DefaultBodyLimit::max(DELIVERY_BYTES_MAX))
                .with_state(ear);
            serve(TcpListener::from_std(socket)?, router).await
        })
    });
    thread.map(drop)
}

async fn hear(State(ear): State<Arc<Ear>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
    if !webhook::verify(&ear.secret, text("x-hub-signature-256"), &body) {
        return StatusCode::UNAUTHORIZED;
    }
    let hints = webhook::hints(text("x-github-event"), &body);
    if hints.is_empty() {
        return StatusCode::OK;
    }
    let waker = ear.waker.lock().unwrap_or_else(PoisonError::into_inner);
    match waker.send(Wake::Hints(hints)) {
        Ok(()) => StatusCode::ACCEPTED,
        Err(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}
