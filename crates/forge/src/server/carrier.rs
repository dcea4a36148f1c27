//! Connections: taken up, served, and closed when a client takes too long to send what it began or
//! to read what it asked for.

use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use super::endpoint::{self, Endpoint};
use super::patient::Patient;

/// The time that running requests get when the server stops.
const FAREWELL: Duration = Duration::from_secs(5);

/// A client may do something else before it reads on, so that it has several times as long for it.
const UNREAD_PATIENCES: u32 = 3;

/// The pause when the system has no connection to give.
const PAUSE: Duration = Duration::from_millis(50);

/// One thread carries all bytes: it never waits for the disk or for git.
pub(super) fn carry(
    listener: std::net::TcpListener,
    endpoint: Arc<Endpoint>,
    stopped: oneshot::Receiver<()>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return };
    runtime.block_on(async {
        let Ok(listener) = TcpListener::from_std(listener) else { return };
        let (ending, ended) = watch::channel(false);
        let stop = async move {
            // A dropped sender means the end as well.
            drop(stopped.await);
            ending.send_replace(true);
            // Kept until everybody has seen it.
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = accept(listener, endpoint, ended) => {}
            () = stop => {}
        }
    });
    runtime.shutdown_background();
}

async fn accept(listener: TcpListener, endpoint: Arc<Endpoint>, mut ended: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    let for_each = ended.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _address)) => {
                    connections.spawn(serve(stream, Arc::clone(&endpoint), for_each.clone()));
                }
                Err(_none_now) => tokio::time::sleep(PAUSE).await,
            },
            _seen = ended.wait_for(|ended| *ended) => break,
            Some(_finished) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
    drop(listener);
    let rest = async { while connections.join_next().await.is_some() {} };
    // Who takes longer is cut off.
    drop(tokio::time::timeout(FAREWELL, rest).await);
}

async fn serve(stream: TcpStream, endpoint: Arc<Endpoint>, mut ended: watch::Receiver<bool>) {
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(endpoint.patience);
    let patience = endpoint.patience;
    let service = TowerToHyperService::new(endpoint::router(endpoint));
    let stream = Patient::new(stream, patience * UNREAD_PATIENCES);
    let connection = server.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // A client that broke off needs no telling.
        _served = connection.as_mut() => return,
        _seen = ended.wait_for(|ended| *ended) => {}
    }
    connection.as_mut().graceful_shutdown();
    drop(connection.await);
}
