//! One connection to a proxy: its request is read, judged, and carried out or refused.

use super::request::Request;
use super::traffic::{Refusal, Traffic};
use super::{Place, Shared};
use crate::Moment;
use crate::hosts::{Host, Target};
use crate::pump::{Pump, wait_to_read};
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

/// The longest head of a request. Only its first line counts; clients send a few hundred bytes.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// The time for a head. The client is on the same machine.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// The time for finding the addresses of a name: two tries of two name servers, as resolvers do it.
const RESOLVE_TIME: Duration = Duration::from_secs(20);
/// The time for connecting to one address.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// The addresses of a host that are tried.
const ADDRESSES_MAX: usize = 4;
/// A model may think for minutes without a word, and this is far above.
const IDLE_TIME: Duration = Duration::from_secs(15 * 60);
/// The time for an answer to be taken by a client on the same machine.
const ANSWER_TIME: Duration = Duration::from_secs(5);

const ESTABLISHED: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

pub(crate) struct Visit {
    pub(crate) shared: Arc<Shared>,
    pub(crate) place: Arc<Place>,
    pub(crate) client: UnixStream,
}

/// A refusal, with the host it is about if there is one.
struct Refused {
    host: Option<Target>,
    why: Refusal,
}

impl Visit {
    pub(crate) fn serve(mut self) {
        let served = self.read_head().ok_or(Refused { host: None, why: Refusal::Malformed });
        if let Err(refused) = served.and_then(|(head, rest)| self.carry_out(&head, rest)) {
            let host = refused.host.map_or_else(|| "(unclear)".to_owned(), |host| host.to_string());
            self.count(|traffic| traffic.refuse(&host, refused.why));
            answer_refusal(&mut self.client, &host, refused.why);
        }
    }

    fn count(&self, count: impl FnOnce(&mut Traffic)) {
        count(&mut self.shared.traffic());
    }

    /// Reads up to the empty line. What follows it belongs to the host.
    fn read_head(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.client.set_nonblocking(true).ok()?;
        let began = Moment::now();
        let (mut all, mut chunk) = (Vec::new(), [0; 4096]);
        loop {
            if let Some(end) = all.windows(4).position(|four| four == b"\r\n\r\n") {
                let rest = all.split_off(end + 4);
                return Some((all, rest));
            }
            let stop = &self.shared.stop;
            let is_ready = wait_to_read(&self.client, Some(stop), began.left_of(HEAD_TIME));
            if !is_ready || stop.is_flipped() || all.len() > HEAD_BYTES_MAX {
                return None;
            }
            match self.client.read(&mut chunk) {
                Ok(0) => return None,
                Ok(count) => all.extend_from_slice(chunk.get(..count)?),
                Err(error) if is_passing(&error) => {}
                Err(_) => return None,
            }
        }
    }

    fn carry_out(&mut self, head: &[u8], rest: Vec<u8>) -> Result<(), Refused> {
        let malformed = Refused { host: None, why: Refusal::Malformed };
        let (target, first) = match Request::parse(head).ok_or(malformed)? {
            Request::Tunnel(target) => (target, rest),
            Request::Plain { target, head } => {
                if !is_loopback(&target) {
                    return Err(Refused { host: Some(target), why: Refusal::Plain });
                }
                (target, [head, rest].concat())
            }
        };
        let is_tunnel = head.starts_with(b"CONNECT ");
        let host = self.connect(&target);
        let host = host.map_err(|why| Refused { host: Some(target.clone()), why })?;
        let name = target.to_string();
        self.count(|traffic| traffic.allow(&name));
        if is_tunnel && self.client.write_all(ESTABLISHED).is_err() {
            return Ok(());
        }
        let pump = Pump {
            here: self.client.as_fd(),
            there: host.as_fd(),
            idle: IDLE_TIME,
            stop: Some(&self.shared.stop),
        };
        let moved = pump.run(first);
        self.count(|traffic| traffic.pass(&name, moved));
        Ok(())
    }

    /// Connects to a host that is listed, at an address that may be reached. The addresses are looked up once, so that the
    /// one that was judged is the one that is used.
    fn connect(&self, target: &Target) -> Result<TcpStream, Refusal> {
        if !self.shared.allowed.admits(target) {
            return Err(Refusal::NotListed);
        }
        let addresses = match &target.host {
            Host::Address(address) => vec![SocketAddr::new(*address, target.port)],
            Host::Name(name) => self.resolve(name, target.port).ok_or(Refusal::Unknown)?,
        };
        let may_reach = |address: &SocketAddr| self.shared.allowed.admits_address(*address);
        let mut reachable = addresses.into_iter().filter(may_reach).peekable();
        if reachable.peek().is_none() {
            return Err(Refusal::NotPublic);
        }
        let connected = reachable.take(ADDRESSES_MAX).find_map(|address| {
            let stream = TcpStream::connect_timeout(&address, CONNECT_TIME).ok()?;
            stream.set_nodelay(true).and_then(|()| stream.set_nonblocking(true)).ok()?;
            Some(stream)
        });
        connected.ok_or(Refusal::Unreachable)
    }

    /// Asks the resolver of the machine, which knows no time limit, in a thread that keeps this connection's place.
    fn resolve(&self, name: &str, port: u16) -> Option<Vec<SocketAddr>> {
        let (sender, receiver) = channel();
        let (name, place) = (name.to_owned(), self.place.clone());
        let resolver = std::thread::Builder::new().name("resolver".to_owned());
        let spawned = resolver.spawn(move || {
            let found = (name.as_str(), port).to_socket_addrs().map(Iterator::collect::<Vec<_>>);
            // The client no longer waits once the time is over.
            drop(sender.send(found));
            drop(place);
        });
        spawned.ok()?;
        receiver.recv_timeout(RESOLVE_TIME).ok()?.ok().filter(|found| !found.is_empty())
    }
}

fn is_loopback(target: &Target) -> bool {
    match target.host {
        Host::Address(address) => address.is_loopback(),
        Host::Name(_) => false,
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Says no, with the reason.
pub(crate) fn answer_refusal(client: &mut UnixStream, host: &str, why: Refusal) {
    let status = match why {
        Refusal::Malformed => "400 Bad Request",
        Refusal::NotListed | Refusal::NotPublic | Refusal::Plain => "403 Forbidden",
        Refusal::Unknown | Refusal::Unreachable => "502 Bad Gateway",
        Refusal::Busy => "503 Service Unavailable",
    };
    let body = format!("Ralph's sandbox does not let through {host}: {}.\n", why.reason());
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    );
    let blocking = client.set_nonblocking(false).and_then(|()| {
        client.set_write_timeout(Some(ANSWER_TIME))?;
        client.write_all(answer.as_bytes())
    });
    // A client that is gone needs no answer.
    drop(blocking);
}
