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

struct Endpoint {
    secret: Secret,
    waker: Mutex<Waker>,
}

/// Listens on its own thread from now on.
pub(super) fn listen(
    socket: std::net::TcpListener,
    secret: Secret,
    waker: Waker,
) -> io::Result<()> {
    socket.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let endpoint = Arc::new(Endpoint { secret, waker: Mutex::new(waker) });
    let thread = thread::Builder::new().name("webhooks".to_owned());
    let thread = thread.spawn(move || {
        runtime.block_on(async {
            let router = Router::new()
                .fallback(post(hear))
                .layer(DefaultBodyLimit::max(DELIVERY_BYTES_MAX))
                .with_state(endpoint);
            serve(TcpListener::from_std(socket)?, router).await
        })
    });
    thread.map(drop)
}

async fn hear(
    State(endpoint): State<Arc<Endpoint>>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
    if !webhook::verify(&endpoint.secret, text("x-hub-signature-256"), &body) {
        return StatusCode::UNAUTHORIZED;
    }
    let hints = webhook::hints(text("x-github-event"), &body);
    if hints.is_empty() {
        return StatusCode::OK;
    }
    let waker = endpoint.waker.lock().unwrap_or_else(PoisonError::into_inner);
    match waker.send(Wake::Hints(hints)) {
        Ok(()) => StatusCode::ACCEPTED,
        Err(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;
    use ralph_adapters::http_transport::{HttpSettings, HttpTransport};
    use std::sync::mpsc::{Receiver, channel};

    const SECRET: &str = "It's a Secret to Everybody";
    const BODY: &str = r#"{"action":"labeled","issue":{"number":7},"label":{"name":"ralph:cmd:stop"},"repository":{"full_name":"acme/widgets"}}"#;

    fn endpoint() -> (String, Receiver<Wake>) {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", socket.local_addr().unwrap());
        let (waker, wakes) = channel();
        listen(socket, Secret::new(SECRET), waker).unwrap();
        (url, wakes)
    }

    fn deliver(url: &str, (event, signature, body): (&str, &str, &str)) -> u16 {
        let request = Request::post(url)
            .header("x-github-event", event)
            .header("x-hub-signature-256", signature)
            .body(body.as_bytes().to_vec());
        let transport = HttpTransport::new(&HttpSettings::default()).unwrap();
        transport.send(request.unwrap()).unwrap().status().as_u16()
    }

    /// Of the body, with the secret.
    const SIGNATURE: &str =
        "sha256=e01b53ed3e762684e32578abc1a0ef33b4387d3c51fae622dedb24dc35cc3c6f";
    /// Of `{}`, with the secret.
    const SIGNATURE_OF_NOTHING: &str =
        "sha256=50b0123e6e44430d2c43ecca0ee520d961ffd326425c07859f70a57161c3ebcd";

    #[test]
    fn what_is_signed_wakes_and_what_is_not_is_turned_away() {
        let (url, wakes) = endpoint();
        for (event, signature, body) in [
            ("issues", "", BODY),
            ("issues", "sha256=00", BODY),
            ("issues", SIGNATURE_OF_NOTHING, BODY),
            ("issues", SIGNATURE, "{}"),
        ] {
            assert_eq!(deliver(&url, (event, signature, body)), 401, "{signature} {body}");
        }
        assert!(wakes.try_recv().is_err(), "nobody was woken");
        assert_eq!(deliver(&url, ("ping", SIGNATURE_OF_NOTHING, "{}")), 200);
        assert!(wakes.try_recv().is_err(), "a ping is no hint");
        assert_eq!(deliver(&url, ("issues", SIGNATURE, BODY)), 202);
        let Ok(Wake::Hints(hints)) = wakes.try_recv() else { panic!("not woken") };
        assert!(!hints.is_empty());
        drop(wakes);
        assert_eq!(deliver(&url, ("issues", SIGNATURE, BODY)), 503, "nobody listens any more");
    }
}
