//! The proxy: the only way to the network for a process in a sandbox with [`Network::Proxy`].
//!
//! It runs in this process, outside of the sandbox, and listens on a Unix socket that is shown inside. There a
//! [relay](crate::relay) leads the process to it. The proxy alone decides, so it does not matter what the process does to
//! its relay.

mod request;
mod traffic;
mod visit;

pub use traffic::{Passed, Refusal, Traffic};

use crate::pump::wait_to_read;
use crate::{HostList, Network, Switch};
use rustix::fs::{Mode, OFlags, open};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use visit::{Visit, answer_refusal};

/// Connections at once. Package managers open about fifty.
const CONNECTIONS_MAX: usize = 256;
/// The time between two looks at whether the proxy still has to listen, in case the first was missed.
const LISTEN: Duration = Duration::from_secs(60);
/// The pause after a failed accept: no descriptor may be free for a moment.
const AGAIN: Duration = Duration::from_millis(50);
/// The name of the socket in its folder.
const SOCKET: &str = "proxy.sock";

/// A proxy that listens. Dropping it ends it, with every connection.
#[derive(Debug)]
pub struct Proxy {
    door: ProxyDoor,
    shared: Arc<Shared>,
}

/// The way to a [`Proxy`] for a [`Spec`](crate::Spec).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyDoor {
    pub(crate) socket: PathBuf,
    /// Ports of the machine's loopback device that the process finds on its own one.
    pub(crate) loopback_ports: Vec<u16>,
}

/// The things that all connections have in common.
#[derive(Debug)]
struct Shared {
    allowed: HostList,
    traffic: Mutex<Traffic>,
    stop: Switch,
    connections: Arc<AtomicUsize>,
}

/// One of the connections that are possible at once.
#[derive(Debug)]
struct Place(Arc<AtomicUsize>);

impl Proxy {
    /// Listens on a socket in this folder, which only this user may enter.
    pub fn start(folder: &Path, allowed: HostList) -> io::Result<Self> {
        let socket = folder.join(SOCKET);
        let listener = listen(folder, &socket)?;
        let door = ProxyDoor { socket, loopback_ports: allowed.loopback_ports() };
        let shared = Arc::new(Shared {
            allowed,
            traffic: Mutex::default(),
            stop: Switch::new()?,
            connections: Arc::default(),
        });
        let own = shared.clone();
        let thread = std::thread::Builder::new().name("proxy".to_owned());
        thread.spawn(move || own.accept_all(&listener))?;
        Ok(Self { door, shared })
    }

    /// The network of a process that reaches this proxy and nothing else.
    #[must_use]
    pub fn network(&self) -> Network {
        Network::Proxy(self.door.clone())
    }

    /// Everything that was asked for so far. The bytes of a connection are counted once it is over.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.shared.traffic().clone()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.stop.flip();
        // A folder that is gone took it along.
        drop(std::fs::remove_file(&self.door.socket));
    }
}

/// Binds the socket through its folder's descriptor, because the path of a socket has room for 107 bytes only.
fn listen(folder: &Path, socket: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let folder = open(folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let short = format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd());
    let listener = UnixListener::bind(short)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

impl Shared {
    fn traffic(&self) -> MutexGuard<'_, Traffic> {
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept_all(self: &Arc<Self>, listener: &UnixListener) {
        while !self.stop.is_flipped() {
            if !wait_to_read(listener, Some(&self.stop), LISTEN) {
                continue;
            }
            match listener.accept() {
                Ok((client, _)) => self.receive(client),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => {
                    wait_to_read(&self.stop, None, AGAIN);
                }
            }
        }
    }

    /// Serves a connection in its own thread, if there is a place for it.
    fn receive(self: &Arc<Self>, mut client: UnixStream) {
        let place = Arc::new(Place::take(&self.connections));
        if self.connections.load(Ordering::SeqCst) > CONNECTIONS_MAX {
            self.traffic().refuse("(unclear)", Refusal::Busy);
            answer_refusal(&mut client, "anything", Refusal::Busy);
            return;
        }
        let visit = Visit { shared: self.clone(), place, client };
        let thread = std::thread::Builder::new().name("proxy".to_owned());
        if thread.spawn(move || visit.serve()).is_err() {
            self.traffic().refuse("(unclear)", Refusal::Busy);
        }
    }
}

impl Place {
    fn take(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count.clone())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
