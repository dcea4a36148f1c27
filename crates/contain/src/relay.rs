//! The relay process: inside of a sandbox without a network it runs one command, and leads its connections to the
//! [proxy](crate::proxy) outside.
//!
//! It is this program started again, as the guard is. It listens on the sandbox's own loopback device, names itself in
//! the usual variables, and hands every connection on to the socket of the proxy. It decides nothing.

use crate::process::{Relayed, spawn_relayed, wait_relayed};
use crate::pump::{Pump, wait_to_read};
use crate::{Moment, guard};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// The first word of the guard's arguments that makes it a relay.
pub(crate) const WORD: &str = "--relay";
/// The place of the program and of the proxy's socket in the sandbox.
pub(crate) const PROGRAM: &str = "/run/ralph/relay";
pub(crate) const SOCKET: &str = "/run/ralph/proxy.sock";
/// The usual port of an HTTP proxy. In its own network it is free, so settings of tools without variables may name it.
const PORT: u16 = 3128;
/// Hosts that are never asked for through the proxy: servers that the command itself starts.
const DIRECT: &str = "localhost,127.0.0.1,::1";
/// Connections at once; the proxy allows fewer.
const CONNECTIONS_MAX: usize = 300;
/// The proxy ends a silent connection sooner.
const IDLE_TIME: Duration = Duration::from_secs(20 * 60);
/// The time for the proxy's answer to a connection to a loopback port.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// The longest answer of the proxy before the connection stands.
const ANSWER_BYTES_MAX: usize = 4_096;

struct Order {
    /// Ports of the machine's loopback device that are offered on this one.
    loopback_ports: Vec<u16>,
    socket: PathBuf,
    program: OsString,
    arguments: Vec<OsString>,
}

/// The place that a connection is for.
#[derive(Clone, Copy)]
enum Aim {
    /// The proxy itself.
    Proxy,
    /// This port of the machine's loopback device.
    Loopback(u16),
}

/// Runs the relay. The exit code is that of the command, or 128 plus the signal.
pub(crate) fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    match Order::parse(words) {
        Some(order) => order.run().unwrap_or_else(|error| {
            guard::complain(guard::UNFIT, "cannot lead to the proxy", Some(error))
        }),
        None => guard::complain(guard::UNFIT, "the relay was called without a command", None),
    }
}

/// The words that make the guard's program a relay for a command.
pub(crate) fn words(loopback_ports: &[u16]) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![WORD.into()];
    for port in loopback_ports {
        words.extend(["--loopback".into(), port.to_string().into()]);
    }
    words.extend(["--socket".into(), SOCKET.into(), "--".into()]);
    words
}

impl Order {
    fn parse(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let (mut loopback_ports, mut socket) = (Vec::new(), PathBuf::new());
        loop {
            match words.next()?.to_str()? {
                "--loopback" => loopback_ports.push(words.next()?.to_str()?.parse().ok()?),
                "--socket" => socket = words.next()?.into(),
                "--" => break,
                _other => return None,
            }
        }
        let program = words.next()?;
        Some(Self { loopback_ports, socket, program, arguments: words.collect() })
    }

    fn run(self) -> io::Result<ExitCode> {
        // The guard asks everything to end, and this process has to stay until the command has. A handler, unlike an
        // ignored signal, is not inherited.
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGHUP, SIGINT] {
            signal_hook::flag::register(signal, asked.clone())?;
        }
        let relay = Arc::new(Relay { socket: self.socket, connections: AtomicUsize::new(0) });
        for port in &self.loopback_ports {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, *port))?;
            relay.accept_all(listener, Aim::Loopback(*port))?;
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PORT));
        let listener = listener.or_else(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let address = format!("http://{}", listener.local_addr()?);
        relay.accept_all(listener, Aim::Proxy)?;
        match spawn_relayed(&self.program, &self.arguments, &variables(&address)) {
            Relayed::Started(child) => Ok(ExitCode::from(wait_relayed(child)?)),
            Relayed::NotStarted(error) => {
                let what = format!("cannot start {}", self.program.display());
                Ok(guard::complain(guard::NOT_STARTED, &what, Some(error)))
            }
        }
    }
}

/// The variables that tell programs of the proxy. Those about exceptions give way to the command's own.
fn variables(address: &str) -> Vec<(&'static str, OsString)> {
    let names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];
    let mut variables: Vec<_> = names.map(|name| (name, address.into())).into();
    let has_own = |name: &str| std::env::vars_os().any(|(own, _)| own == name);
    if !has_own("NO_PROXY") && !has_own("no_proxy") {
        variables.extend(["NO_PROXY", "no_proxy"].map(|name| (name, DIRECT.into())));
    }
    // Node heeds the others only with this one.
    variables.push(("NODE_USE_ENV_PROXY", "1".into()));
    variables
}

struct Relay {
    socket: PathBuf,
    connections: AtomicUsize,
}

impl Relay {
    fn accept_all(self: &Arc<Self>, listener: TcpListener, aim: Aim) -> io::Result<()> {
        let relay = self.clone();
        let thread = std::thread::Builder::new().name("relay".to_owned());
        thread
            .spawn(move || listener.incoming().flatten().for_each(|one| relay.receive(one, aim)))?;
        Ok(())
    }

    fn receive(self: &Arc<Self>, client: TcpStream, aim: Aim) {
        if self.connections.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS_MAX {
            self.connections.fetch_sub(1, Ordering::SeqCst);
            return;
        }
        let relay = self.clone();
        let thread = std::thread::Builder::new().name("relay".to_owned());
        let spawned = thread.spawn(move || {
            // A proxy that does not answer closes the connection, which the client sees.
            drop(relay.lead(&client, aim));
            relay.connections.fetch_sub(1, Ordering::SeqCst);
        });
        if spawned.is_err() {
            self.connections.fetch_sub(1, Ordering::SeqCst);
        }
    }

    fn lead(&self, client: &TcpStream, aim: Aim) -> io::Result<()> {
        let mut proxy = UnixStream::connect(&self.socket)?;
        proxy.set_nonblocking(true)?;
        client.set_nonblocking(true)?;
        client.set_nodelay(true)?;
        match aim {
            Aim::Proxy => {}
            Aim::Loopback(port) => open_tunnel(&mut proxy, port)?,
        }
        let (here, there) = (client.as_fd(), proxy.as_fd());
        Pump { here, there, idle: IDLE_TIME, stop: None }.run(Vec::new());
        Ok(())
    }
}

/// Asks the proxy for a port of the machine's loopback device.
fn open_tunnel(proxy: &mut UnixStream, port: u16) -> io::Result<()> {
    write!(proxy, "CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n")?;
    let (began, mut answer) = (Moment::now(), Vec::new());
    // Byte by byte, so that nothing of the host's is taken.
    let mut byte = [0];
    while !answer.ends_with(b"\r\n\r\n") {
        let is_ready = wait_to_read(&*proxy, None, began.left_of(ANSWER_TIME));
        let is_over = !is_ready || answer.len() > ANSWER_BYTES_MAX || proxy.read(&mut byte)? == 0;
        if is_over {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        answer.extend(byte);
    }
    let is_open = answer.starts_with(b"HTTP/1.1 200 ");
    if is_open { Ok(()) } else { Err(io::ErrorKind::ConnectionRefused.into()) }
}
